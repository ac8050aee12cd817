#include "renderer/lab/compile_ahead.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

/// With a cache of its own.
class CompileAheadTest : public testing::Test {
protected:
    void SetUp() override {
        SKIP_WITHOUT_NVRTC();
        if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
        std::string pattern = std::filesystem::temp_directory_path() / "rayscope-ahead-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    void TearDown() override {
        if (folder_.empty()) return;
        before_.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }

    CodeWish wish(const char* block) const {
        CodeWish wish{defaultSettings(Backend::cuda, *scene_), scene_, kUsualArchitecture};
        assignAll(wish.settings, {block});
        return wish;
    }

    SharedScene scene_ = *findScene("vt9");

private:
    std::string before_, folder_;
};

TEST_F(CompileAheadTest, KernelsAreInTheCacheThen) {
    const std::vector<CodeWish> wishes{wish("block=8x8"), wish("block=16x8"), wish("block=8x8")};
    for (const CodeWish& w : wishes) EXPECT_FALSE(kernelCode(w, Compiling::never));
    CompileAhead job(wishes);
    EXPECT_LT(job.share(), 1);
    playToEnd(job);
    EXPECT_EQ(job.share(), 1);
    EXPECT_EQ(job.label(), "2 of 2 kernels compiled");
    for (const CodeWish& w : wishes) {
        const auto code = kernelCode(w, Compiling::never);
        EXPECT_TRUE(code) << code.reason();
    }
}

TEST_F(CompileAheadTest, NothingIsDoneAtOnce) {
    CompileAhead job({});
    EXPECT_TRUE(job.step(0));
    EXPECT_EQ(job.share(), 1);
}

/// Its end waits only for kernels that are being compiled.
TEST_F(CompileAheadTest, WhatIsCancelledCompilesNoMore) {
    std::vector<CodeWish> wishes;
    for (const char* block : {"block=8x8", "block=16x8", "block=8x16", "block=16x16", "block=4x32",
                              "block=64x2", "block=32x2", "block=4x16"})
        wishes.push_back(wish(block));
    {
        CompileAhead job(wishes);
        job.cancel();
    }
    EXPECT_FALSE(kernelCode(wishes.back(), Compiling::never));
}

}  // namespace
}  // namespace rayscope
