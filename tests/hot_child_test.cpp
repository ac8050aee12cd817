// Instructions that another process counts: programs that stand in for it.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "renderer/choices/axes.h"
#include "renderer/lab/hot.h"
#include "renderer/lab/instructions.h"
#include "renderer/scene/json.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

class HotChild : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directory(folder_);
        wish_.state.scene = *findScene("vt9");
        wish_.state.settings = defaultSettings(Backend::cuda, wish_.state.scene);
        wish_.width = 8;
        wish_.height = 4;
        wish_.gpu = 3;
    }
    void TearDown() override { fs::remove_all(folder_); }

    /// A shell script in place of the program.
    Result<HotWork> count(const std::string& script) {
        wish_.program = (folder_ / "program").string();
        std::ofstream(wish_.program) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(wish_.program, fs::perms::owner_all);
        return countElsewhere(wish_);
    }

    const fs::path folder_ =
        fs::temp_directory_path() / fmt::format("rayscope-hot-child-{}", getpid());
    HotWish wish_;
};

TEST_F(HotChild, IsToldWhatToCount) {
    const std::string words = count("echo \"$@\"").reason();
    EXPECT_TRUE(words.starts_with("hot /")) << words;
    EXPECT_NE(words.find(".json --backend cuda --device 3 --size 8x4 --json -"), std::string::npos)
        << words;
    wish_.only = HotPart::model;
    EXPECT_TRUE(count("echo \"$@\"").reason().ends_with("--json - --only model"));
    const auto copied = count(fmt::format("cp $2 {}/state; exit 1", folder_.string()));
    EXPECT_EQ(copied.reason(), "the process that counts ended without a word");
    std::ifstream in(folder_ / "state");
    const auto state = stateFromJson(nlohmann::json::parse(in));
    ASSERT_TRUE(state) << state.reason();
    EXPECT_EQ(state->settings, wish_.state.settings);
    EXPECT_EQ(state->scene, wish_.state.scene);
    EXPECT_FALSE(fs::exists(words.substr(4, words.find(' ', 4) - 4))) << "it is deleted afterwards";
}

TEST_F(HotChild, ItsSentenceIsTheReason) {
    EXPECT_EQ(count("echo one; echo 'rayscope: no GPU' >&2; exit 1").reason(), "rayscope: no GPU");
    EXPECT_EQ(count("echo '{\"kind\": \"hot\", \"no_counts\": \"nobody may\"}'").reason(),
              "nobody may");
    EXPECT_FALSE(count("echo '{\"kind\": \"hot\"'"));
    wish_.state.settings.backend = Backend::cpu;
    EXPECT_EQ(count("echo 'no kernel'; exit 1").reason(), "no kernel") << "a CPU's are sampled";
    wish_.only = HotPart::counts;
    EXPECT_NE(count("exit 1").reason().find("on a GPU only"), std::string::npos);
}

TEST_F(HotChild, ItsReportIsTaken) {
    SKIP_WITHOUT_NVRTC();
    const CodeWish wish{wish_.state.settings, wish_.state.scene};
    CountedInstructions counted;
    const auto code = kernelCode(wish);
    ASSERT_TRUE(code) << code.reason();
    counted.code = *code;
    counted.lines = *readLineTable(code->cubin);
    counted.files = kernelFiles(wish);
    counted.rays.camera = 100;
    counted.rays.shadow = 20;
    counted.counts = {{code->kernels.at(0).symbol, {{0, 10, 320, 300}, {16, 20, 100, 100}}}};
    HotWork work;
    work.device.name = "a GPU";
    work.width = 8;
    work.height = 4;
    work.model = "nobody may count";
    work.stalls = {{"selected", "wait"}, {{code->kernels[0].symbol, {{16, {2, 5}}}}}, 1};
    work.take(std::move(counted));
    std::ofstream(folder_ / "report") << reportOf(wish_.state, work).dump(2);
    const std::string print = fmt::format("cat {}/report", folder_.string());
    const Result<HotWork> read = count(print);
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(read->hot.all.warps, 30u);
    EXPECT_EQ(read->model, "nobody may count");
    EXPECT_NE(tableOf(wish_.state, *read).find("a model: "), std::string::npos);
    EXPECT_EQ(read->rays.total(), 120u);
    EXPECT_EQ(read->hot.sampled.byReason, (std::vector<std::uint64_t>{2, 5}));
    EXPECT_EQ(read->stalls.kernels.at(0).instructions.at(0).address, 16u);
    EXPECT_EQ(read->stalls.reasons, work.stalls.reasons);
    EXPECT_EQ(read->stalls.dropped, 1u);
    EXPECT_EQ(read->idle.stepLanes, work.idle.stepLanes);
    EXPECT_DOUBLE_EQ(read->idle.all(), work.idle.all());
    EXPECT_FALSE(count(print + " | sed 's/\"wait\",*//'")) << "a reason without a name";
    // of other machine code it is nobody's
    EXPECT_NE(count(print + " | sed 's/\"digest\": \"./\"digest\": \"x/'").reason().find("another"),
              std::string::npos);
}

}  // namespace
}  // namespace rayscope
