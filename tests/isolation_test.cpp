// Edited kernels that would take the program down compile in processes of their own: no GPU is
// needed, only NVRTC.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "renderer/backend/session.h"
#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/choices/sources.h"
#include "renderer/code/read_code.h"
#include "renderer/compile/cache.h"
#include "renderer/cuda/isolation.h"
#include "renderer/cuda/kernel_request.h"
#include "renderer/scene/json.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr const char* kFile = "renderer/core/path.h";
constexpr const char* kPlace = "        startPath<V>(launch, pixel, sample, rng);\n";

class Isolation : public testing::Test {
protected:
    void SetUp() override {
        SKIP_WITHOUT_NVRTC();
        isolateEditedKernels(RAYSCOPE_PROGRAM);
        folder_ = fs::temp_directory_path() / ("rayscope-isolation-" + std::to_string(getpid()));
        ASSERT_EQ(copyKernelSources(folder_.string(), kFile).reason(), "");
        ASSERT_EQ(setKernelSourceDirectory(kMine, folder_.string()).reason(), "");
    }
    void TearDown() override {
        isolateEditedKernels("");
        EXPECT_TRUE(setKernelSourceDirectory(kMine, ""));
        std::error_code error;
        if (!folder_.empty()) fs::remove_all(folder_, error);
    }

    void append(const std::string& text) { std::ofstream(folder_ / kFile, std::ios::app) << text; }
    /// Where paths begin.
    void insert(const std::string& statement) {
        std::string text = *readFile((folder_ / kFile).string(), 1 << 20);
        const size_t at = text.find(kPlace);
        ASSERT_NE(at, text.npos);
        std::ofstream(folder_ / kFile) << text.insert(at, statement);
    }

    /// What comes of the sources as they are now.
    static Result<CompiledKernel> build() {
        return compileCached(KernelCache({}), programOf(Variant{}, architecture()),
                             kernelSources(kMine));
    }
    static int architecture() { return compilerInfo()->architectures.back(); }

    fs::path folder_;
};

TEST_F(Isolation, IsForWhatWasEdited) {
    EXPECT_FALSE(needsIsolation(kernelSources(kMine))) << "a copy is what is built in";
    append("\n// edited\n");
    EXPECT_TRUE(needsIsolation(kernelSources(kMine)));
    EXPECT_FALSE(needsIsolation(withBaked(kernelSources(kBuiltIn), "// a scene")));
    isolateEditedKernels("");
    EXPECT_FALSE(needsIsolation(kernelSources(kMine)));
}

/// Another process makes the same of them.
TEST_F(Isolation, GivesTheSameKernel) {
    append("\n// edited\n");
    const auto apart = build();
    ASSERT_TRUE(apart) << apart.reason();
    isolateEditedKernels("");
    const auto here = build();
    ASSERT_TRUE(here) << here.reason();
    EXPECT_EQ(apart->code, here->code);
    EXPECT_EQ(apart->functions, here->functions);
}

TEST_F(Isolation, AMebibyteOfErrorsIsCutAndHarmless) {
    std::string errors;
    for (int i = 0; i < 5000; ++i)
        errors += "static_assert(sizeof(int) == 9, \"" + std::string(300, 'e') + "\");\n";
    append(errors + "#error \x1b[31m\n");
    const auto built = build();
    ASSERT_FALSE(built);
    EXPECT_LT(built.reason().size(), size_t{70} << 10);
    EXPECT_NE(built.reason().find(kFile), std::string::npos);
    EXPECT_EQ(printable(built.reason(), "\n\t"), built.reason());
}

TEST_F(Isolation, AFileOfTheSystemIsNoSource) {
    append("#include \"/etc/passwd\"\n");
    EXPECT_FALSE(build());
    append("#include \"/dev/zero\"\n");
    EXPECT_FALSE(build());
}

TEST_F(Isolation, TenGigabytesOfLocalArraysAreASentence) {
    insert("        volatile char big[10000000000ull]; big[pixel] = 1;\n");
    const auto built = build();
    ASSERT_FALSE(built);
    EXPECT_NE(built.reason().find("bytes of local memory"), std::string::npos) << built.reason();
}

/// A program that ends as a compiler may.
class BadCompiler : public Isolation {
protected:
    void use(const std::string& script) {
        const fs::path path = folder_ / "compiler";
        std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(path, fs::perms::owner_all);
        isolateEditedKernels(path.string());
        append("\n// edited\n");
    }
};

TEST_F(BadCompiler, ThatCrashesIsNamed) {
    use("kill -SEGV $$");
    EXPECT_NE(build().reason().find("the compiler has crashed"), std::string::npos);
    use("exit 1");
    EXPECT_EQ(build().reason(), "the compiler ended without a word");
    use("exit 0");
    EXPECT_FALSE(build()) << "it has written nothing";
    use("echo damaged > \"$3\"");
    EXPECT_NE(build().reason().find("written no kernel"), std::string::npos);
}

TEST_F(BadCompiler, ThatWritesForEverIsEnded) {
    use("yes");
    EXPECT_NE(build().reason().find("more than a mebibyte"), std::string::npos);
}

/// A window's launches fill its frames; the program that tries one sample is told of one.
TEST_F(BadCompiler, IsGivenSettingsThatAStateMayHave) {
    use("grep -q '\"launches\":1,' \"$3\"");
    const auto scene = findScene("vt9");
    ASSERT_TRUE(scene) << scene.reason();
    KernelTrial trial{*scene, scene->camera, defaultSettings(Backend::cuda, *scene), 8, 8, 0};
    trial.settings.launches = kAsManyAsFit;
    EXPECT_EQ(tryKernel(trial, kernelSources(kMine), {}).reason(), "");
}

/// The kernel that is saved next is not kept waiting, nor is the end of the program.
TEST_F(BadCompiler, ThatHangsGivesWayToTheNextKernel) {
    use("trap '' TERM; while :; do sleep .1; done");
    const auto start = std::chrono::steady_clock::now();
    {
        KernelBuilder builder(KernelCache({}));
        BuildRequest request = requestOf({}, kMine, architecture(), {});
        builder.request(request);
        builder.wait(seconds(1));
        EXPECT_FALSE(builder.take());
        isolateEditedKernels(RAYSCOPE_PROGRAM);
        request.version += 1000;
        builder.request(request);
        std::optional<BuildResult> last;
        while (!last || !(last->request == request)) {
            builder.wait(seconds(50));
            last = builder.take();
            ASSERT_TRUE(last) << "nothing came";
        }
        EXPECT_TRUE(last->kernel) << last->kernel.reason();
        use("trap '' TERM; while :; do sleep .1; done");
        request.version += 1000;
        builder.request(request);
        builder.wait(seconds(1));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(50));
}

}  // namespace
}  // namespace rayscope

#endif
