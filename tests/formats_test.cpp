// What the commands write for scripts, against docs/formats.md and its schema.

#include <set>
#include <sstream>

#include "renderer/lab/hot.h"
#include "renderer/lab/lesson_check.h"
#include "renderer/scene/json.h"
#include "tests/program.h"
#include "tests/reports.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;

/// As if a GPU had counted.
HotWork madeUpHotWork() {
    HotWork work;
    work.device.name = "a GPU";
    work.width = work.height = 8;
    work.samples = 1;
    work.code.kernels.push_back({"megakernel", "k", 32, 0, 0, {}});
    work.files = {{"renderer/core/path.h", "one\ntwo"}};
    work.counts = {{"k", {{0, 4, 100, 90}, {16, 2, 64, 64}}}};
    LineTable table;
    table.files = {"/renderer/core/path.h"};
    table.places = {{0, 2, -1, -1}};
    table.kernels["k"] = {{0, 0, 0}, {16, -1, -1}};
    work.stalls = {{"selected", "long_scoreboard"}, {{"k", {{0, {3, 1}}, {16, {0, 4}}}}}, 2};
    work.hot = hotLines(work.counts, table, {"renderer/core/path.h"}, work.stalls);
    return work;
}

/// The same of a lesson, whose speeds are a comparison's.
json madeUpLesson(json comparison, bool solved) {
    LessonWish wish;
    wish.lesson.name = "one";
    wish.lesson.number = 1;
    wish.lesson.goal = 1.5;
    wish.state.scene = *findScene("vt9");
    LessonResult result;
    const Fact lanes{"lanes", "Instructions", "lanes", "", Better::more, 20};
    const MovedFigure moved{lanes, 10, true}, unknown{lanes, std::nan(""), true};
    if (solved)
        result.code.figures = result.counters = {moved, unknown};
    else
        result.missing = result.noCounters = "something";
    comparison["kind"] = "lesson";
    comparison["lesson"] = reportOf(wish, result)["lesson"];
    return comparison;
}

class Formats : public test::Program {
protected:
    /// Every column of every table stands in docs/formats.md.
    void expectColumnsExplained() {
        std::ifstream file(std::string(RAYSCOPE_SOURCE_DIR) + "/docs/formats.md");
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() != ".csv") continue;
            std::string line;
            std::getline(std::ifstream(entry.path()), line);
            std::istringstream columns(line);
            for (std::string column; std::getline(columns, column, ',');)
                EXPECT_NE(text.find("`" + column + "`"), std::string::npos) << column;
        }
    }

    void expectRuns(const std::string& command) {
        const Outcome r = run(command);
        EXPECT_TRUE(r.code == 0 || command.starts_with("selfcheck")) << command << "\n" << r.text;
    }
};

/// The window's screenshots are checked where they are taken.
TEST_F(Formats, EveryReportIsAsTheSchemaSays_long) {
    const std::string size = " --backend cpu --size 32x18 ", quick = size + "--time .01 ";
    expectRuns("render --spp 2 --json render.json --out render.png" + size);
    expectRuns("ladder weekend --json ladder.json --csv ladder.csv" + quick);
    expectRuns("bench --json bench.json --csv bench.csv" + quick);
    expectRuns("compare --b path=stack --time .1 --json comparison.json" + size);
    expectRuns("switches --only-speed --json switches.json --csv switches.csv" + quick);
    expectRuns(
        "sweep --x path=loop,stack --y accel=bvh,brute,embree --json sweep.json --csv sweep.csv" +
        quick);
    fs::create_directories(folder / "ladders");
    write("ladders/two.json", R"({"title": "Two", "scene": "vt9", "size": [16, 9], "spp": 1,
        "measures": "rate", "unit": "rays/s", "rungs": [{"name": "a", "why": "w"},
        {"name": "b", "why": "w", "settings": {"path": "stack"}}]})");
    for (const std::string kind : {"steps", "add-one", "leave-one-out"})
        expectRuns("ladder ladders/two.json --study " + kind + " --json " + kind + ".json" + quick);
    expectRuns("autotune --candidates 4 --json autotune.json" + quick);
    expectRuns("selfcheck --comparisons 3 --json selfcheck.json" + quick);
    expectRuns("divergence --json divergence.json" + size);
    expectRuns("counters --b path=stack --json counters.json --csv counters.csv" + size);
    expectRuns("hot --json hot.json" + size);
    expectRuns("hot --only stalls --json stalls.json" + size);
    write("hot-2.json", reportOf(State{}, madeUpHotWork()).dump());
    for (const bool solved : {false, true})
        write(solved ? "lesson.json" : "lesson-2.json",
              madeUpLesson(read("comparison.json"), solved).dump());
    expectRuns("simulate --backend cpu --scene nbody-100 --steps 2 --json simulation.json");
    expectRuns("info --json info.json");
    expectRuns("compare render.json render.png --json records.json");
    expectRuns("code --backend cpu --json code-3.json");
    expectRuns("code --backend cpu --diff opt=O1 --json code-4.json");
    if (run("code --ptx").code == 0) {  // there is a compiler
        expectRuns("code --backend cuda --json code.json");
        expectRuns("code --backend cuda --diff path=stack --json code-2.json");
    }
    expectRuns("code --copy-to mine");
    expectRuns("render --kernels mine --spp 1 --json mine.json" + size);
    std::ofstream(folder / "mine/renderer/core/path.h", std::ios::app) << "// edited\n";
    expectRuns("render --kernels mine --spp 1 --json mine-2.json" + size);
    EXPECT_NE(read("mine.json")["sources"]["mine"], read("mine-2.json")["sources"]["mine"]);
    EXPECT_FALSE(read("render.json").contains("sources"));
    test::expectReports(folder, "*.json *.png");
    std::set<std::string> kinds{"screenshot", "code"};
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".json")
            kinds.insert(read(entry.path().filename())["kind"]);
    }
    std::ifstream schema(std::string(RAYSCOPE_SOURCE_DIR) + "/docs/reports.schema.json");
    for (const json& kind : json::parse(schema)["oneOf"])
        EXPECT_TRUE(kinds.contains(kind["$ref"].get<std::string>().substr(8))) << kind;
    expectColumnsExplained();
}

}  // namespace
}  // namespace rayscope
