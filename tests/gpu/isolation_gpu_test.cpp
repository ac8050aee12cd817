// Edited kernels that crash or never end are ended in processes of their own, and the device goes
// on.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

#include "renderer/backend/kernel_isolation.h"
#include "renderer/base/elapsed.h"
#include "renderer/base/files.h"
#include "renderer/base/run_program.h"

namespace rayscope {
namespace {

class IsolationGpu : public Gpu {
protected:
    void SetUp() override {
        Gpu::SetUp();
        if (IsSkipped()) return;
        isolateEditedKernels(RAYSCOPE_PROGRAM);
        folder_ = std::filesystem::temp_directory_path() /
                  ("rayscope-hostile-" + std::to_string(getpid()));
        ASSERT_EQ(copyKernelSources(folder_.string(), kFile).reason(), "");
        ASSERT_EQ(setKernelSourceDirectory(kMine, folder_.string()).reason(), "");
        use("vt9");
        allocate();
        waitForKernel(*session_, settings_, scene_);
    }
    void TearDown() override {
        isolateEditedKernels("");
        if (!folder_.empty()) {
            EXPECT_TRUE(setKernelSourceDirectory(kMine, ""));
            std::filesystem::remove_all(folder_);
        }
        Gpu::TearDown();
    }

    /// Before every path.
    void insert(const std::string& statement) {
        const std::string path = (folder_ / kFile).string();
        std::string text = *readFile(path, 1 << 20);
        const size_t at = text.find("        startPath<V>(launch, pixel, sample, rng);\n");
        ASSERT_NE(at, text.npos);
        std::ofstream(path) << text.insert(at, statement);
        ASSERT_EQ(setKernelSourceDirectory(kMine, folder_.string()).reason(), "");
        settings_.source = kMine;
    }

    /// What is said of the kernel; empty where it renders.
    std::string outcome() {
        const Clock::time_point start = Clock::now();
        FrameStats stats;
        while (session_->kernel().compileLog.empty() && stats.rays.total() == 0 &&
               millisecondsSince(start) < 60e3)
            stats += session_->advance(settings_, scene_.camera, 5);
        stats += session_->finish();
        EXPECT_EQ(stats.rays.total() == 0, !session_->kernel().compileLog.empty())
            << "neither a kernel nor a reason in a minute";
        return session_->kernel().compileLog;
    }

    /// What is built in still renders.
    void goOn() {
        settings_.source = kBuiltIn;
        FrameStats stats = session_->advance(settings_, scene_.camera, 50);
        stats += session_->finish();
        EXPECT_GT(stats.rays.total(), 0u);
    }

    static constexpr const char* kFile = "renderer/core/path.h";
    std::filesystem::path folder_;
};

TEST_F(IsolationGpu, AnHonestEditRenders) {
    insert("        if (launch.width == 7) rng = {};\n");
    EXPECT_EQ(outcome(), "");
    EXPECT_TRUE(session_->kernel().ready);
    EXPECT_EQ(session_->kernel().source, kMine);
    goOn();
}

TEST_F(IsolationGpu, AKernelThatNeverEndsIsEnded) {
    insert("        while (launch.width > 0) __nanosleep(100);\n");
    const std::string reason = outcome();
    EXPECT_NE(reason.find("source=mine: its kernel was ended"), std::string::npos) << reason;
    goOn();
}

TEST_F(IsolationGpu, AWriteOutOfBoundsIsNamed) {
    insert("        *reinterpret_cast<volatile int*>(8) = 1;\n");
    const std::string reason = outcome();
    EXPECT_NE(reason.find("source=mine: its kernel fails"), std::string::npos) << reason;
    goOn();
}

/// The report of rayscope compare: what is built in, and the user's own.
nlohmann::json compared(const std::string& folder) {
    const std::string file = folder + "/report.json";
    const auto ran =
        runProgram({RAYSCOPE_PROGRAM, "compare", "--scene", "vt9", "--kernels", "mine=" + folder,
                    "--a", "source=built_in", "--b", "source=mine", "--time", "2", "--json", file},
                   size_t{1} << 20, {});
    EXPECT_TRUE(ran);
    const auto text = readFile(file, size_t{16} << 20);
    EXPECT_TRUE(text) << ran->text;
    return nlohmann::json::parse(text ? *text : "{}", nullptr, false);
}

/// In the shell, too.
TEST_F(IsolationGpu, TheVerdictIsOnTheEditedKernel) {
    const auto same = compared(folder_.string());
    EXPECT_EQ(same["work"]["verdict"], "identical") << same["work"];
    insert("        if (launch.width < 0) rng = {};\n");
    const auto edited = compared(folder_.string());
    EXPECT_EQ(edited["work"]["verdict"], "identical") << edited["work"];
    EXPECT_EQ(edited["b"]["settings"]["source"], "mine") << edited["b"];
    insert("        sum.x = sum.x + Real(.05);\n");
    const auto redder = compared(folder_.string());
    EXPECT_EQ(redder["work"]["verdict"], "DIFFERENT") << redder["work"];
    EXPECT_NE(redder["work"]["sentence"].get<std::string>().find("brighter in B"),
              std::string::npos)  // most where the picture is dark
        << redder["work"];
}

TEST_F(IsolationGpu, ALargeArrayIsRefused) {
    insert("        volatile char big[500000]; big[pixel % 500000] = 1;\n");
    outcome();  // where the device has memory for the stacks of all its threads, it runs
    goOn();
}

}  // namespace
}  // namespace rayscope

#endif
