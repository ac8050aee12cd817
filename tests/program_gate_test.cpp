// The gate for pull requests, with scripts in place of the programs: they report times that the
// test chooses, with noise of their own.

#include "renderer/lab/program_gate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

class ProgramGateTest : public testing::Test {
protected:
    ProgramGateTest()
        : folder_(fmt::format("{}program_gate_{}", testing::TempDir(),
                              testing::UnitTest::GetInstance()->current_test_info()->name())) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~ProgramGateTest() override { fs::remove_all(folder_); }

    /// A program whose pass takes so many ms, up to 3 % more by chance, and that has this machine
    /// code.
    std::string program(const std::string& name, int microseconds, const std::string& digest,
                        double raysPerSample = 2.5, const std::string& first = "") {
        const std::string file = folder_ + "/" + name;
        std::ofstream(file) << "#!/bin/bash\n"
                            << first << R"(
what=$1
for word; do [ "$last" = --json ] && out=$word; last=$word; done
echo "$@" >>)" << file << R"(.words
if [ "$what" = code ]; then
    echo '{"kernels": [{"digest": ")"
                            << digest << R"("}]}' >"$out"
else
    us=$(()" << microseconds << " + RANDOM % ("
                            << microseconds / 33 << R"( + 1)))
    echo "{\"kernel_ms\": $((us / 1000)).$(printf %03d $((us % 1000))), \"version\": \"1.0\",
           \"rays\": {\"camera\": 1000, \"total\": )"
                            << 1000 * raysPerSample << R"(}}" >"$out"
fi
)";
        fs::permissions(file, fs::perms::owner_all);
        return file;
    }

    static GateTask task(const std::string& name = "vt9") {
        return {name, "vt9", "cpu", {"engine=megakernel"}, 64, 36};
    }

    std::vector<GateRow> rowsOf(const std::string& a, const std::string& b, double seconds,
                                std::vector<GateTask> tasks = {task()}) {
        gate_ = std::make_unique<ProgramGate>(GateWish{{a, b}, std::move(tasks), seconds});
        while (!gate_->step(1000)) {
        }
        EXPECT_EQ(gate_->problem(), "");
        return gate_->rows();
    }

    const std::string folder_;
    std::unique_ptr<ProgramGate> gate_;
};

TEST_F(ProgramGateTest, ASlowerProgramIsFound) {
    const auto rows = rowsOf(program("a", 100000, "x"), program("b", 103000, "y"), 1);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].speed(), Speed::slower) << tableOf(*gate_);
    // 100 over 103 ms, with up to 3 % more on both sides
    EXPECT_NEAR(rows[0].ratio.value, 1 / 1.03, .01);
    EXPECT_GE(rows[0].rounds, ProgramGate::kFewestRounds);
    EXPECT_FALSE(rows[0].otherWork());
}

TEST_F(ProgramGateTest, EqualTimesAreNoDifference) {
    const auto rows = rowsOf(program("a", 100000, "x"), program("b", 100000, "y"), 1);
    EXPECT_NE(rows.at(0).speed(), Speed::slower) << tableOf(*gate_);
    EXPECT_NEAR(rows[0].ratio.value, 1, .01);
}

TEST_F(ProgramGateTest, EqualMachineCodeIsNotTimed) {
    const auto rows = rowsOf(program("a", 100000, "x"), program("b", 150000, "x"), 1);
    EXPECT_TRUE(rows.at(0).identical);
    EXPECT_EQ(rows[0].rounds, 0);
    EXPECT_NE(markdownOf(*gate_).find("machine code identical"), std::string::npos);
    EXPECT_TRUE(reportOf(*gate_)["items"][0]["identical_code"].get<bool>());
}

TEST_F(ProgramGateTest, OtherWorkIsNamed) {
    const auto rows = rowsOf(program("a", 100000, "x", 2.5), program("b", 90000, "y", 2.3), .1);
    EXPECT_TRUE(rows.at(0).otherWork());
    EXPECT_NE(markdownOf(*gate_).find("other work**"), std::string::npos);
}

TEST_F(ProgramGateTest, AProgramThatFailsIsNamedAndTheOtherTasksGoOn) {
    const std::string fails = program("b", 100000, "y", 2.5,
                                      "case \"$*\" in *bad*) echo 'rayscope: one' >&2; echo "
                                      "'rayscope: no such axis' >&2; exit 2;; esac");
    GateTask bad = task("bad");
    bad.settings = {"bad=1"};
    const auto rows = rowsOf(program("a", 100000, "x"), fails, .1, {bad, task()});
    EXPECT_EQ(rows.at(0).problem, "B: rayscope: no such axis");
    EXPECT_EQ(rows.at(1).problem, "");
    EXPECT_GE(rows[1].rounds, ProgramGate::kFewestRounds);
    const auto missing = rowsOf(folder_ + "/none", fails, .1);
    EXPECT_NE(missing.at(0).problem.find("none"), std::string::npos) << missing[0].problem;
}

TEST_F(ProgramGateTest, BothProgramsAreAskedTheSameInEitherOrder) {
    const std::string a = program("a", 100000, "x"), b = program("b", 100000, "y");
    rowsOf(a, b, .1);
    const auto wordsOf = [](const std::string& file) {
        std::ifstream stream(file + ".words");
        std::vector<std::string> lines;
        for (std::string line; std::getline(stream, line);)
            if (line.starts_with("render")) lines.push_back(line.substr(0, line.find(" --json")));
        return lines;
    };
    EXPECT_EQ(wordsOf(a), wordsOf(b));
    EXPECT_EQ(wordsOf(a).front(),
              "render --backend cpu --scene vt9 --set engine=megakernel --size 64x36 --spp 1")
        << "the first pass compiles";
}

TEST_F(ProgramGateTest, ManyTasksAskMoreOfEach) {
    std::vector<GateTask> tasks(20, task());
    const std::string a = program("a", 100000, "x"), b = program("b", 100000, "y");
    for (const GateRow& row : rowsOf(a, b, .1, tasks)) EXPECT_FALSE(row.measurable);
}

TEST_F(ProgramGateTest, ATaskHasAllSettingsThatMatter) {
    const auto scene = *findScene("vt9");
    Settings settings = defaultSettings(Backend::cpu, scene);
    settings.depth = 3;
    const GateTask task = gateTask(settings, "vt9", 320, 180);
    EXPECT_EQ(task.backend, "cpu");
    Settings again = defaultSettings(Backend::cpu, scene);
    for (const std::string& word : task.settings) ASSERT_TRUE(assign(again, word)) << word;
    EXPECT_EQ(describe(again), describe(settings));
}

}  // namespace
}  // namespace rayscope
