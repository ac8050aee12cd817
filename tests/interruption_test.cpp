// Commands that are interrupted, from the outside.

#include <csignal>
#include <thread>

#include "renderer/base/elapsed.h"
#include "renderer/base/run_program.h"
#include "renderer/film/image_files.h"
#include "tests/program.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Interruption : public test::Program {
protected:
    /// SIGTERM, so many seconds after the program has begun to listen for it. Not Ctrl-C, which
    /// a shell's job in the background ignores, and so do those whom it starts.
    test::Outcome interrupt(const std::string& command, double seconds = 0,
                            const std::string& kill = "kill -TERM $p") {
        return run(command + " 2>&1 & p=$!; until grep -q rayscope /proc/$p/comm && " +
                   "grep -Eq 'SigCgt:.*[4-7c-f]...$' /proc/$p/status; do sleep .01; done; sleep " +
                   std::to_string(seconds) + "; begun=$(date +%s%N); " + kill +
                   "; wait $p; echo code $?; echo $(( ($(date +%s%N) - begun) / 1000000 )) ms");
    }

    /// How long the command took to end after the signal, in milliseconds.
    static int msOf(const test::Outcome& r) {
        const std::size_t end = r.text.rfind(" ms\n");
        if (end == std::string::npos) return -1;
        const std::size_t begin = r.text.rfind('\n', end);
        return std::stoi(r.text.substr(begin == std::string::npos ? 0 : begin + 1));
    }

    /// The report of a command that is interrupted when some of it is done and kept, which on a
    /// busy machine takes longer.
    json kept(const std::string& command) {
        for (const double seconds : {.5, 1., 2., 4., 8.}) {
            const test::Outcome r = interrupt(command + " --backend cpu --json a.json", seconds);
            EXPECT_NE(r.text.find("rayscope: interrupted "), std::string::npos) << r.text;
            EXPECT_NE(r.text.find("code 1"), std::string::npos) << r.text;
            text = r.text;
            if (fs::exists(folder / "a.json")) break;
        }
        const json report = read("a.json");
        EXPECT_TRUE(report.is_object()) << text;
        EXPECT_EQ(report.is_object() && report.value("complete", true), false);
        return report;
    }

    std::string text;  ///< of kept()
};

/// timeout(1) signals a program, then its process group.
TEST_F(Interruption, TheSameSignalTwiceIsOne_long) {
    const std::string what = "render --backend cpu --size 64x36 --spp 900000 --out a.png";
    for (int i = 0; i < 5; ++i) {
        const test::Outcome r = interrupt(what, .3, "kill -TERM $p; kill -TERM $p");
        EXPECT_EQ(r.text.find("code 143"), std::string::npos) << r.text;
        EXPECT_TRUE(fs::exists(folder / "a.png")) << r.text;
        fs::remove(folder / "a.png");
    }
}

/// What it has started, that is: a kernel's trial, or a process that counts.
TEST_F(Interruption, ALostProgramTakesItsOwnAlong_long) {
    const std::string out = (folder / "lost.png").string();
    const pid_t starter = fork();
    if (starter == 0) {
        const auto ran = runProgram({RAYSCOPE_PROGRAM, "render", "--backend", "cpu", "--size",
                                     "64x36", "--spp", "900000", "--out", out},
                                    1 << 20, {});
        _exit(ran ? 0 : 1);
    }
    /// The process with `out` among its arguments; 0: there is none.
    const auto started = [&] {
        for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
            std::ifstream file(entry.path() / "cmdline");
            const std::string words{std::istreambuf_iterator(file), {}};
            if (words.find(out) != std::string::npos) return std::stoi(entry.path().filename());
        }
        return 0;
    };
    const auto become = [&](bool there) {
        const Clock::time_point begun = Clock::now();
        while ((started() != 0) != there && millisecondsSince(begun) < 20e3)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return (started() != 0) == there;
    };
    ASSERT_TRUE(become(true));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // it is past its first lines
    EXPECT_NE(started(), 0);
    kill(starter, SIGKILL);
    waitpid(starter, nullptr, 0);
    EXPECT_TRUE(become(false));
    if (const pid_t left = started()) kill(left, SIGKILL);
}

/// Where cores are shared, twice the second that is promised.
constexpr int kMostMs = 2000;

TEST_F(Interruption, AMeshThatIsMadeAndItsHierarchyAreGivenUp_long) {
    for (const char* scene : {"terrain-4000000", "city-4000000", "copied-forest-12000"}) {
        for (const double seconds : {.2, .7, 1.5, 3.}) {
            const test::Outcome r = interrupt(
                fmt::format("render --backend cpu --size 64x36 --spp 900000 --out a.pfm --scene {}",
                            scene),
                seconds);
            EXPECT_NE(r.text.find("code 1\n"), std::string::npos) << r.text;
            EXPECT_LT(msOf(r), kMostMs) << scene << " after " << seconds << " s\n" << r.text;
            EXPECT_GE(msOf(r), 0) << r.text;
        }
    }
}

TEST_F(Interruption, BodiesAreGivenUpInTheMiddleOfAStep_long) {
    for (const char* command :
         {"simulate --scene nbody-200000 --steps 1000",
          "sequence --scene nbody-200000 --frames 1000 --size 64x36 --spp 1 --out f/a.png"}) {
        for (const double seconds : {.5, 2., 6.}) {
            const test::Outcome r = interrupt(std::string(command) + " --backend cpu", seconds);
            EXPECT_NE(r.text.find("code 1\n"), std::string::npos) << r.text;
            EXPECT_LT(msOf(r), kMostMs) << command << "\n" << r.text;
        }
    }
}

/// As nohup does with SIGHUP: the starter of a job in the background has decided.
TEST_F(Interruption, ACtrlCThatTheStarterIgnoresStaysIgnored_long) {
    const test::Outcome r =
        run("render --backend cpu --size 64x36 --spp 2000 --out a.pfm 2>&1 & p=$!; "
            "until grep -q rayscope /proc/$p/comm && grep -Eq 'SigCgt:.*[4-7c-f]...$' "
            "/proc/$p/status; do sleep .01; done; kill -INT $p; wait $p; echo code $?");
    EXPECT_NE(r.text.find("code 0\n"), std::string::npos) << r.text;
    EXPECT_TRUE(fs::exists(folder / "a.pfm"));
}

TEST_F(Interruption, ALadderKeepsItsRungs_long) {
    const json report = kept("ladder weekend --size 32x18 --time .6");
    EXPECT_LT(report["rungs"].size(), 9u);
    EXPECT_NE(text.find("interrupted after " + std::to_string(report["rungs"].size()) + " of "),
              std::string::npos)
        << text;
}

TEST_F(Interruption, TheBenchmarkHasNoScore_long) {
    const json report = kept("bench --size 32x18 --time .6");
    EXPECT_NE(text.find("no score: "), std::string::npos) << text;
    EXPECT_TRUE(report["score"].contains("missing"));
}

TEST_F(Interruption, AComparisonSaysSo_long) {
    const json report = kept("compare --b path=stack --size 32x18 --time 300");
    EXPECT_NE(text.find("B is "), text.find("no measurable")) << text;
    EXPECT_EQ(text.find("the time was up"), std::string::npos) << text;
    EXPECT_GT(report["rounds"], 0);
}

TEST_F(Interruption, AStudyKeepsItsItems_long) {
    // more rows than are measured before it is interrupted
    const json report =
        kept("sweep --x depth=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 --size 32x18 --time .4");
    EXPECT_TRUE(report["items"][0].contains("result"));
    EXPECT_FALSE(report["items"].back().contains("result"));
}

TEST_F(Interruption, ASearchKeepsItsRounds_long) {
    const json report = kept("autotune --size 32x18 --time .2");
    EXPECT_FALSE(report.contains("winner"));
    EXPECT_GT(report["rounds"][0]["candidates"][0]["samples_ratio"]["value"], 0);
    EXPECT_NE(text.find("single changes"), std::string::npos) << text;
}

TEST_F(Interruption, ASimulationKeepsItsSteps_long) {
    const json report = kept("simulate --scene nbody-2000 --steps 1000000000");
    EXPECT_NE(text.find("interrupted after " + report["steps"].dump() + " of 1000000000 steps"),
              std::string::npos)
        << text;
    EXPECT_GT(report["interactions_per_second"], 0);
    EXPECT_FALSE(report.contains("energy_drift"));
}

/// The first row takes a minute at least.
TEST_F(Interruption, AnOldFileStaysWhereNothingIsMeasured_long) {
    for (const char* command :
         {"bench --time 60", "ladder weekend --time 60", "ladder weekend --study steps --time 60",
          "switches --time 60", "sweep --x path --time 60", "selfcheck --time 60",
          "autotune --time 60", "compare --size 8192x8192", "divergence --size 4096x2048 --spp 100",
          "counters --size 8192x8192"}) {
        write("a.json", "old");
        const test::Outcome r = interrupt(std::string(command) + " --backend cpu --json a.json");
        EXPECT_NE(r.text.find("rayscope: interrupted before anything was measured\n"),
                  std::string::npos)
            << command << "\n"
            << r.text;
        EXPECT_NE(r.text.find("code 1"), std::string::npos) << command << "\n" << r.text;
        std::string there;
        std::getline(std::ifstream(folder / "a.json"), there);
        EXPECT_EQ(there, "old") << command;
    }
}

TEST_F(Interruption, ASequenceCountsItsFrames_long) {
    ASSERT_EQ(run("render --backend cpu --size 16x9 --spp 1 --out a.png").code, 0);
    json state = json::parse(*readPngState((folder / "a.png").string()));
    state["bookmarks"] = {{"1", state["camera"]}, {"2", state["camera"]}};
    write("b.json", state.dump());
    const test::Outcome r =
        interrupt("sequence b.json --size 640x360 --spp 1 --frames 9999 --out f/a.png", .5);
    const auto files =
        std::distance(fs::directory_iterator(folder / "f"), fs::directory_iterator());
    EXPECT_NE(r.text.find("wrote " + std::to_string(files) + " frames"), std::string::npos)
        << files << " files\n"
        << r.text;
}

TEST_F(Interruption, APictureGoesOnWithItsCheckpoint_long) {
    const std::string what = "render --backend cpu --scene cornell --size 48x36 --seed 5 ";
    for (const double seconds : {.3, 1., 3.}) {
        if (fs::exists(folder / "a.checkpoint")) break;
        text = interrupt(what + "--spp 900000 --checkpoint a.checkpoint --out a.pfm", seconds).text;
    }
    EXPECT_NE(text.find("rayscope: --resume a.checkpoint goes on from here"), text.npos) << text;
    expectRefused(what + "--checkpoint a.checkpoint", 1, "a.checkpoint is there already");
    expectRefused("render --resume a.checkpoint --scene vt9", 2, "another one stands beside it");
    expectRefused("render --resume a.checkpoint --seed 6", 2,
                  "is of another picture, without this --seed");
    expectRefused("render --resume a.checkpoint --size 9x9", 2, "is not that of");
    expectRefused("render --resume a.checkpoint --spp 1", 2, "has sample");
    expectRefused("sweep --x path --resume a.checkpoint", 1, "is a checkpoint of rayscope");
    expectRefused("render --resume a.pfm", 1, "a.pfm");
    std::ifstream file(folder / "a.checkpoint");
    std::string head;
    std::getline(file, head);
    std::getline(file, head);
    const json kept = json::parse(head, nullptr, false);
    const std::string spp = " --spp " + std::to_string(kept["next"].get<int>() + 9);
    EXPECT_EQ(run("render --resume a.checkpoint --json b.json --out b.png" + spp).code, 0);
    EXPECT_EQ(run(what + "--json one.json --out one.png" + spp).code, 0);
    EXPECT_FALSE(fs::exists(folder / "a.checkpoint")) << "it is done";
    const json b = read("b.json"), one = read("one.json");
    EXPECT_EQ(b["rays"], one["rays"]);
    for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(b["mean_radiance"][i], one["mean_radiance"][i].get<double>(), 1e-4);
}

}  // namespace
}  // namespace rayscope
