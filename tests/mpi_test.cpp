// The commands whose work the ranks of mpirun share, from the outside: three ranks on this machine,
// however many cores it has.

#include <cmath>
#include <set>
#include <thread>

#include "tests/pfm.h"
#include "tests/program.h"
#include "tests/reports.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;

#ifdef RAYSCOPE_MPI_PROGRAM
const std::string kProgram = RAYSCOPE_MPI_PROGRAM, kReduction = RAYSCOPE_REDUCTION;
#else
const std::string kProgram, kReduction;
#endif

class Mpi : public test::Program {
protected:
    void SetUp() override {
        if (kProgram.empty()) GTEST_SKIP() << "built without MPI: libopenmpi-dev is missing";
        if (test::runShell("mpirun --version").code != 0)
            GTEST_SKIP() << "there is no mpirun: openmpi-bin is missing";
        Program::SetUp();
    }

    /// Open MPI leaves memory behind when it ends, which is not ours to report. Two jobs that share
    /// a folder may take it from each other.
    std::string environment() const {
        return "env -u DISPLAY OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
               "ASAN_OPTIONS=detect_leaks=0 OMPI_MCA_orte_tmpdir_base=" +
               folder.string() + " ";
    }
    Outcome ranks(const std::string& arguments) {
        return test::runShell("cd " + folder.string() + " && " + environment() +
                              "mpirun --oversubscribe -n 3 " + kProgram + " " + arguments +
                              " 2>&1");
    }
    /// Begins a shell's command: mpirun, process $m, has started, and the file is there. 9: it is
    /// not and mpirun has ended.
    std::string inBackground(const std::string& arguments, const std::string& file) {
        return "cd " + folder.string() + " || exit 9; " + environment() +
               "mpirun --oversubscribe -n 3 " + kProgram + " " + arguments +
               " >log 2>&1 & m=$!; until [ -s " + file +
               " ]; do sleep .02; kill -0 $m || { cat log; exit 9; }; done; ";
    }
    std::string bytes(const std::string& name) const {
        std::ifstream file(folder / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    /// The pixels of a .pfm.
    void expectEqualPictures(const std::string& a, const std::string& b, int samples) {
        test::expectEqualPictures(folder / a, folder / b, samples);
    }
    static size_t count(const std::string& text, const std::string& word) {
        size_t found = 0;
        for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
        return found;
    }
};

TEST_F(Mpi, APictureIsThatOfASingleProcess_alone) {
    const std::string what = "render --backend cpu --scene cornell --size 64x48 --spp 40 --seed 7 ";
    ASSERT_EQ(run(what + "--out one.pfm --json one.json").code, 0);
    const Outcome r = ranks(what + "--out three.pfm --json three.json");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(count(r.text, "wrote three.pfm"), 1u) << "only rank 0 speaks\n" << r.text;
    expectEqualPictures("one.pfm", "three.pfm", 40);
    test::expectReports(folder, "*.json");
    const json one = read("one.json"), three = read("three.json");
    EXPECT_EQ(one["rays"], three["rays"]);
    ASSERT_EQ(three["ranks"].size(), 3u);
    int samples = 0;
    for (const json& rank : three["ranks"]) samples += rank["samples"].get<int>();
    EXPECT_EQ(samples, 40);
    EXPECT_FALSE(fs::exists(folder / "three.pfm.checkpoint")) << "it is done";
}

/// Rank 2 as if it were alone on another machine.
TEST_F(Mpi, FilmsAreAddedUpAcrossMachines_alone) {
    const Outcome r =
        test::runShell(environment() + "mpirun --oversubscribe -n 3 " + kReduction + " 1e8 2 2>&1");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find("a level: "), std::string::npos) << r.text;
}

/// The program without MPI, started by mpirun, gives way to the other.
TEST_F(Mpi, TheProgramItselfSharesItsWorkToo_alone) {
    const Outcome r = test::runShell("cd " + folder.string() + " && " + environment() +
                                     "mpirun --oversubscribe -n 3 " RAYSCOPE_PROGRAM
                                     " render --backend cpu --size 16x9 --spp 3 --json - 2>&1");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(json::parse(r.text, nullptr, false)["ranks"].size(), 3u) << r.text;
}

/// MPI makes files before the program has said anything. They are larger than 200 KB. A kernel is
/// smaller; it is loaded from memory that counts as a file, too.
TEST_F(Mpi, ALimitOfFileSizesIsNoSignal_alone) {
    const Outcome r =
        test::runShell("cd " + folder.string() + " && " + environment() +
                       "mpirun --oversubscribe -n 2 sh -c 'ulimit -f 400; exec " + kProgram +
                       " render --backend cpu --size 16x9 --spp 2 --json -' 2>&1");
    EXPECT_EQ(r.code, 0) << r.text;
}

TEST_F(Mpi, FramesAreThoseOfASingleProcess_alone) {
    const std::string what =
        "sequence --backend cpu --scene nbody-100 --size 32x18 --spp 2 --frames 9 --set steps=3 ";
    ASSERT_EQ(run(what + "--out one/a.png").code, 0);
    const Outcome r = ranks(what + "--out three/a.png");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find("wrote 9 frames"), std::string::npos) << r.text;
    for (int frame = 1; frame <= 9; ++frame) {
        const std::string name = "a-000" + std::to_string(frame) + ".png";
        EXPECT_FALSE(bytes("one/" + name).empty()) << name;
        EXPECT_TRUE(bytes("one/" + name) == bytes("three/" + name)) << name;
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "three"), fs::directory_iterator()), 9);
}

/// Rank 1 has no such folder. Its frames come back, and are earlier ones.
TEST_F(Mpi, FramesOfARankThatLeavesAreRenderedByAnother_alone) {
    const std::string what =
        " sequence --backend cpu --scene nbody-100 --size 32x18 --spp 2 --frames 9 --set steps=3 ";
    ASSERT_EQ(run(what + "--out one/a.png").code, 0);
    fs::create_directories(folder / "elsewhere");
    const std::string rank = kProgram + what + "--out two/a.png ";
    const Outcome r = test::runShell("cd " + folder.string() + " && " + environment() +
                                     "mpirun --oversubscribe -n 1 " + rank + ": -n 1 -wdir " +
                                     (folder / "elsewhere").string() + " " + rank + "2>&1");
    EXPECT_EQ(r.code, 1) << r.text;
    EXPECT_NE(r.text.find("wrote 9 frames"), std::string::npos) << r.text;
    for (int frame = 1; frame <= 9; ++frame) {
        const std::string name = "a-000" + std::to_string(frame) + ".png";
        EXPECT_TRUE(bytes("one/" + name) == bytes("two/" + name)) << name;
    }
}

TEST_F(Mpi, SettingsAreMeasuredByRanksWithProcessorsOfTheirOwn_alone) {
    write("two.json", R"({"title": "Two", "scene": "vt9", "size": [16, 9], "spp": 1,
        "measures": "rate", "unit": "rays/s", "rungs": [{"name": "a", "why": "w"},
        {"name": "b", "why": "w", "settings": {"path": "stack"}}]})");
    const std::string quick = " --backend cpu --size 16x9 --time .01 ";
    for (const std::string command :
         {"sweep --x path --y accel=brute,grid", "ladder weekend",
          "ladder ./two.json --study steps", "autotune --candidates 2 --climb 3"}) {
        const Outcome r = ranks(command + quick + "--json a.json");
        EXPECT_EQ(r.code, 0) << command << "\n" << r.text;
        const json report = read("a.json");
        EXPECT_EQ(report.value("complete", false), true) << command << "\n" << r.text;
        test::expectReports(folder, "a.json");
        EXPECT_FALSE(fs::exists(folder / "a.json.checkpoint"));
        // of three ranks on two cores two share one
        const size_t sharing = std::thread::hardware_concurrency() == 2 ? 1 : 0;
        EXPECT_GE(count(r.text, "measures nothing"), sharing) << r.text;
    }
}

TEST_F(Mpi, RanksWithOtherDevicesMeasureNothing_alone) {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one core";
    const std::string sweep = kProgram + " sweep --backend cpu --x path --size 16x9 --time .02 ";
    const Outcome r = test::runShell("cd " + folder.string() + " && " + environment() +
                                     "mpirun --oversubscribe --bind-to none -n 1 " + sweep +
                                     ": -n 1 taskset -c 0 " + sweep + " 2>&1");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(count(r.text, "devices differ: rank 0 has "), 1u) << r.text;
}

TEST_F(Mpi, AnErrorIsSaidOnceWithItsRank_alone) {
    Outcome r = ranks("render --scene nowhere");
    EXPECT_EQ(r.code, 2) << r.text;
    EXPECT_EQ(count(r.text, "rayscope: "), 1u) << "all have the same\n" << r.text;
    const std::string render = kProgram + " render --backend cpu --size 16x9 --spp 1 ";
    r = test::runShell("cd " + folder.string() + " && " + environment() +
                       "mpirun --oversubscribe -n 2 " + render + ": -n 1 " + render +
                       "--scene ./missing.json 2>&1");
    EXPECT_EQ(r.code, 1) << r.text;
    EXPECT_EQ(count(r.text, "rayscope: "), 1u) << r.text;
    EXPECT_NE(r.text.find("rayscope: rank 2: cannot read ./missing.json"), std::string::npos)
        << r.text;
    EXPECT_FALSE(fs::exists(folder / "rayscope.png"));
}

/// mpirun in the background, of which something is killed when the file is there: RANK, or mpirun
/// itself if that is empty. What is gone on from later has all that the others had done.
struct Killed {
    const char *signal, *rank;
};
class MpiKilled : public Mpi, public testing::WithParamInterface<Killed> {};

TEST_P(MpiKilled, APictureGoesOnWithoutMpi_alone) {
    const std::string find = *GetParam().rank == 0
                                 ? "v=$m"
                                 : "for p in $(cat /proc/$m/task/*/children); do tr '\\0' '\\n' "
                                   "</proc/$p/environ | grep -qx "
                                   "OMPI_COMM_WORLD_RANK=" +
                                       std::string(GetParam().rank) + " && v=$p; done";
    const std::string picture = " --backend cpu --scene vt9 --size 96x54 --seed 3 ";
    const Outcome r = test::runShell(
        inBackground("render " + picture + "--spp 900000 --out a.pfm --checkpoint-every .1",
                     "a.pfm.checkpoint") +
        "sleep .1; " + find + "; kill -" + GetParam().signal + " $v; wait $m; cat log");
    ASSERT_NE(r.code, 9) << r.text;
    std::ifstream file(folder / "a.pfm.checkpoint");
    std::string line;
    std::getline(file, line);
    std::getline(file, line);
    const json kept = json::parse(line, nullptr, false);
    ASSERT_TRUE(kept.is_object()) << r.text;
    const int spp = kept["next"].get<int>() + 5;
    const std::string samples = " --spp " + std::to_string(spp);
    const Outcome rest = run("render --resume a.pfm.checkpoint --out b.pfm" + samples);
    EXPECT_EQ(rest.code, 0) << rest.text;
    ASSERT_EQ(run("render --out one.pfm" + picture + samples).code, 0);
    expectEqualPictures("one.pfm", "b.pfm", spp);
    EXPECT_FALSE(fs::exists(folder / "a.pfm.checkpoint")) << "it is done";
}

INSTANTIATE_TEST_SUITE_P(, MpiKilled,
                         testing::Values(Killed{"KILL", "1"}, Killed{"KILL", "0"},
                                         Killed{"INT", ""}));

TEST_F(Mpi, WhatRanksHaveMeasuredIsNotMeasuredAgain_alone) {
    const std::string what = "sweep --backend cpu --x samples=1..32 --size 32x18 --time .5 ";
    const Outcome r = test::runShell(
        inBackground(what + "--json a.json --checkpoint-every .1", "a.json.checkpoint") +
        "kill -INT $m; wait $m; cat log");
    ASSERT_NE(r.code, 9) << r.text;
    const json before = read("a.json");
    EXPECT_EQ(before.value("complete", true), false) << r.text;
    const Outcome other = ranks("sweep --backend cpu --x accel --resume a.json.checkpoint");
    EXPECT_EQ(other.code, 1);
    EXPECT_NE(other.text.find("with other options"), std::string::npos) << other.text;
    const Outcome rest = ranks(what + "--json a.json --resume a.json.checkpoint");
    EXPECT_EQ(rest.code, 0) << rest.text;
    const json after = read("a.json");
    int kept = 0;
    for (size_t i = 0; i < after["items"].size(); ++i) {
        EXPECT_TRUE(after["items"][i].contains("result")) << i;
        if (!before["items"][i].contains("result")) continue;
        ++kept;
        EXPECT_EQ(before["items"][i]["result"], after["items"][i]["result"]) << i;
    }
    EXPECT_GT(kept, 0);
}

}  // namespace
}  // namespace rayscope
