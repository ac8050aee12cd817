// Recorded runs: reading what the commands and the viewer write, and comparing two of them.

#include "renderer/lab/record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "renderer/film/image_files.h"
#include "renderer/lab/benchmark.h"
#include "renderer/lab/comparison.h"
#include "renderer/lab/report.h"
#include "renderer/lab/run_ladder.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

RunRecord recordOf(const json& report, const std::string& file = "a.json") {
    auto record = recordFrom(report, file);
    if (!record) throw std::runtime_error(record.reason());
    return *std::move(record);
}

Measurement measured(double rate, double brightness = .5) {
    Measurement m;
    m.device.name = "a processor";
    m.kernelRate = {rate, .99 * rate, 1.01 * rate};
    m.rays.camera = 100;
    m.raysPerSample = 2.5;
    m.mean = {brightness, brightness, brightness};
    m.brightnessError = .0005;
    return m;
}

/// What `rayscope ladder` or `bench` writes where each rung has this rate.
json ladderReport(const std::vector<double>& rates, const char* ladder = "ece408-smallpt") {
    const Ladder l = *findLadder(ladder);
    Machine machine;
    machine.cpu = makeCpuRenderer();
    std::vector<RungResult> results;
    for (size_t i = 0; i < rates.size(); ++i) {
        RungResult r;
        r.rung = static_cast<int>(i);
        r.settings = cpuSettings(sceneNamed(l.scene));
        r.measured = measured(rates[i]);
        r.value = {rates[i], .99 * rates[i], 1.01 * rates[i]};
        r.conditions.samples = 1;
        r.conditions.clockMhz = Extremes{3000, 3000};
        results.push_back(r);
    }
    return reportOf(l, machine, {}, results);
}

json comparisonReport(double a, double b) {
    const Scene scene = sceneNamed("card");
    PairResult result;
    result.speed.sides = {measured(a, 0), measured(b, 0)};
    return reportOf({{scene, scene.camera, cpuSettings(scene), {}},
                     cpuSettings(scene, {"path=stack"}),
                     640,
                     360},
                    result);
}

/// What the viewer keeps in a PNG file.
json capsule(double rate) {
    const Scene scene = sceneNamed("vt9");
    json state = toJson(State{scene, scene.camera, cpuSettings(scene), {}});
    state["info"] = reportHead("screenshot", {"a GPU", "", -1, "580.1"}, true);
    state["info"]["film"] = {1280, 720};
    state["info"]["kernel_rays_per_second"] = toJson(Spread{rate, .9 * rate, 1.1 * rate});
    state["info"]["rays"] = {{"camera", 100}, {"total", 250}};
    state["info"]["mean_radiance"] = {.4, .5, .6};
    return state;
}

TEST(Record, ReadsALadder) {
    const RunRecord r = recordOf(ladderReport({2, 4}));
    EXPECT_EQ(r.kind, "ladder");
    EXPECT_NE(r.version, "");
    EXPECT_EQ(r.date.size(), std::string("2026-01-01T00:00:00Z").size());
    EXPECT_EQ(r.device, makeCpuRenderer()->device().name);
    ASSERT_EQ(r.rows.size(), 2u);
    EXPECT_EQ(r.rows[0].name, "recursion");
    EXPECT_EQ(r.rows[0].scene, "cornell");
    EXPECT_FALSE(r.rows[0].rate) << "this ladder's rungs are times";
    EXPECT_NEAR(r.rows[1].value, 4, 1e-9);
    EXPECT_NEAR(r.rows[1].spread->lower, 3.96, 1e-9);
    EXPECT_EQ(r.rows[1].raysPerSample, 2.5);
    EXPECT_EQ(r.rows[1].brightness, .5);
    EXPECT_EQ(r.rows[1].settings.at("backend"), "cpu");
    EXPECT_EQ(r.clockMhz->highest, 3000);
    EXPECT_TRUE(r.conditions);
}

TEST(Record, ReadsAComparison) {
    const RunRecord r = recordOf(comparisonReport(1e8, 2e8));
    ASSERT_EQ(r.rows.size(), 2u);
    EXPECT_EQ(r.rows[0].name, "A");
    EXPECT_EQ(r.rows[1].name, "B");
    EXPECT_TRUE(r.rows[1].rate);
    EXPECT_EQ(r.rows[1].value, 2e8);
    EXPECT_EQ(r.rows[1].settings.at("path"), "stack");
    EXPECT_FALSE(r.rows[1].brightness) << "a comparison has no picture";
    EXPECT_EQ(r.size, "640x360");
    EXPECT_EQ(r.scene.at("name"), "card");
    EXPECT_FALSE(r.camera.is_null());
}

TEST(Record, ReadsAScreenshot) {
    const fs::path path =
        fs::temp_directory_path() / ("record" + std::to_string(getpid()) + ".png");
    const Picture picture{2, 2, std::vector<unsigned char>(12, 7)};
    ASSERT_EQ(writePng(path.string(), picture, capsule(1e9).dump()).reason(), "");
    const auto read = readRecord(path.string());
    ASSERT_TRUE(read) << read.reason();
    const RunRecord& r = *read;
    ASSERT_EQ(r.rows.size(), 1u);
    EXPECT_EQ(r.rows[0].value, 1e9);
    EXPECT_EQ(r.rows[0].name, "vt9");
    EXPECT_EQ(r.rows[0].raysPerSample, 2.5);
    EXPECT_NEAR(*r.rows[0].brightness, .5, 1e-12);
    EXPECT_EQ(r.driver, "580.1");
    EXPECT_EQ(r.size, "1280x720");
    EXPECT_FALSE(r.rows[0].settings.contains("block")) << "what does not matter on the CPU";

    ASSERT_EQ(writePng(path.string(), picture).reason(), "");
    EXPECT_FALSE(readRecord(path.string()));
    fs::remove(path);
}

TEST(Record, RowsOfTheSameNameAreTold) {
    json report = ladderReport({1, 2, 3});
    for (json& rung : report["rungs"]) rung["name"] = "same";
    const RunRecord r = recordOf(report);
    ASSERT_EQ(r.rows.size(), 3u);
    EXPECT_EQ(r.rows[1].name, "same of cornell");
    EXPECT_EQ(r.rows[2].name, "same of cornell #2");
}

TEST(Record, SidesOfManyComparisonsAreRows) {
    json item = toJson(PairResult{}, {}, {});
    for (const char* side : {"a", "b"}) {
        item[side] = toJson(measured(1e6));
        item[side]["settings"] = {{"path", "loop"}};
    }
    item["name"] = "path=loop";
    const RunRecord r = recordOf({{"kind", "sweep"}, {"scene", "vt9"}, {"items", {item}}});
    ASSERT_EQ(r.rows.size(), 2u);
    EXPECT_EQ(r.rows[0].name, "path=loop A");
    EXPECT_EQ(r.rows[1].name, "path=loop B");
    EXPECT_EQ(r.rows[1].scene, "vt9");
}

TEST(Record, WrongFilesGiveOneSentence) {
    const fs::path folder = fs::temp_directory_path() / ("record" + std::to_string(getpid()));
    fs::create_directories(folder);
    const auto sentence = [&](const std::string& content) {
        const fs::path path = folder / "x.json";
        std::ofstream(path) << content;
        const auto read = readRecord(path.string());
        if (read) return std::string("read");
        EXPECT_NE(read.reason().find("x.json"), std::string::npos) << read.reason();
        EXPECT_EQ(read.reason().find('\n'), std::string::npos) << read.reason();
        return read.reason();
    };
    EXPECT_NE(sentence("").find("expected"), std::string::npos);
    EXPECT_NE(sentence("\x7f"
                       "ELF")
                  .find("expected"),
              std::string::npos);
    EXPECT_NE(sentence("{\"a\": ").find("line 1"), std::string::npos);
    EXPECT_NE(sentence("{\"kind\": \"selfcheck\"}").find("no rates"), std::string::npos);
    EXPECT_NE(sentence("{\"info\": {}}").find("format"), std::string::npos);
    const json state = toJson(State{sceneNamed("vt9"), {}, {}, {}});
    EXPECT_NE(sentence(state.dump()).find("no rates"), std::string::npos);
    // what nobody would write
    EXPECT_NE(sentence(R"({"settings": 3, "rays_per_second": 1})").find("no rates"),
              std::string::npos);
    EXPECT_EQ(sentence(R"({"settings": {}, "rays_per_second": "fast", "size": [1],
                           "rays": 3, "mean_radiance": ["a", 1, 2], "conditions": [{}],
                           "kernel_rays_per_second": 5, "measured": {"unit": 4}})"),
              "read");
    EXPECT_NE(readRecord((folder / "none").string()).reason().find("none"), std::string::npos);
    fs::remove_all(folder);
}

const RecordedChange* changeOf(const RecordComparison& c, const std::string& what) {
    for (const RecordedChange& change : c.changes) {
        if (change.what == what) return &change;
    }
    return nullptr;
}

TEST(RecordComparison, ARunIsItself) {
    const RunRecord r = recordOf(ladderReport({1, 2}));
    const RecordComparison c = compareRecords(r, r);
    ASSERT_EQ(c.pairs.size(), 2u);
    EXPECT_EQ(c.pairs[0].ratio, 1);
    EXPECT_EQ(c.pairs[0].otherWork, "");
    EXPECT_TRUE(c.changes.empty());
    EXPECT_NE(textOf(r, r, c).find("Nothing else differed"), std::string::npos);
}

TEST(RecordComparison, RatiosAreTimesAsFast) {
    const RunRecord slow = recordOf(ladderReport({4, 2})), fast = recordOf(ladderReport({1, 2, 3}));
    RecordComparison c = compareRecords(slow, fast);
    ASSERT_EQ(c.pairs.size(), 2u);
    EXPECT_NEAR(*c.pairs[0].ratio, 4, 1e-9) << "a quarter of the time";
    EXPECT_NEAR(*c.pairs[0].spread, std::hypot(.01, .01), 1e-6);
    ASSERT_EQ(c.onlySecond.size(), 1u);
    EXPECT_TRUE(c.onlyFirst.empty());
    EXPECT_NE(textOf(slow, fast, c).find("not interleaved"), std::string::npos);
    EXPECT_NE(textOf(slow, fast, c).find("only in 2: " + c.onlySecond[0]), std::string::npos);

    c = compareRecords(recordOf(comparisonReport(1e8, 1e8)), recordOf(comparisonReport(1e8, 3e8)));
    EXPECT_NEAR(*c.pairs[1].ratio, 3, 1e-9);
}

TEST(RecordComparison, OtherWorkIsMarked) {
    const json report = ladderReport({1, 1, 1, 1});
    json other = report;
    other["rungs"][0]["mean_radiance"] = {.45, .45, .45};
    other["rungs"][1]["rays_per_sample"] = 2.6;
    other["rungs"][2]["mean_radiance"] = {.5004, .5004, .5004};
    other["rungs"][3]["mean_radiance"] = {.52, .52, .52};
    other["rungs"][3]["mean_radiance_error"] = .02;  // a noisy picture
    const RunRecord a = recordOf(report), b = recordOf(other);
    const RecordComparison c = compareRecords(a, b);
    EXPECT_EQ(c.pairs[0].otherWork, "10.0 % darker");
    EXPECT_EQ(c.pairs[1].otherWork, "4.0 % more rays a sample");
    EXPECT_EQ(c.pairs[2].otherWork, "");
    EXPECT_EQ(c.pairs[3].otherWork, "");
    EXPECT_NE(textOf(a, b, c).find("! 10.0 % darker"), std::string::npos);
}

TEST(RecordComparison, SaysWhatElseDiffered) {
    json report = ladderReport({1, 1}), other = report;
    other["version"] = "9.9";
    other["device"] = "another";
    other["driver"] = "600";
    other["size"] = {64, 36};
    other["rungs"][0]["settings"]["path"] = "stack";
    other["rungs"][0]["settings"]["tile"] = 64;
    for (json& rung : other["rungs"]) {
        rung["settings"].erase("opt");
        rung["conditions"]["clock_mhz"] = {2000, 2900};
        rung["conditions"]["throttling"] = {"power cap"};
    }
    const RunRecord a = recordOf(report), b = recordOf(other);
    const RecordComparison c = compareRecords(a, b);
    const auto second = [&](const char* what) {
        const RecordedChange* change = changeOf(c, what);
        return change == nullptr ? "nothing" : change->second;
    };
    EXPECT_EQ(second("version"), "9.9");
    EXPECT_EQ(second("device"), "another");
    EXPECT_EQ(second("driver"), "600");
    EXPECT_EQ(changeOf(c, "driver")->first, "not recorded");
    EXPECT_EQ(second("size"), "64x36");
    EXPECT_EQ(second("clocks"), "2000 to 2900 MHz");
    EXPECT_EQ(second("throttling"), "power cap");
    EXPECT_EQ(changeOf(c, "throttling")->first, "none");
    EXPECT_EQ(changeOf(c, "scene"), nullptr);
    EXPECT_EQ(changeOf(c, "date"), nullptr);
    EXPECT_EQ(changeOf(c, "settings of recursion")->first,
              "opt: native -> unset, path: loop -> stack, tile: unset -> 64");
    EXPECT_NE(textOf(a, b, c).find("2000 to 2900 MHz"), std::string::npos);
    EXPECT_EQ(reportOf(a, b, c).at("changes").size(), c.changes.size());
}

TEST(RecordComparison, ScreenshotsArePairsWhateverTheirScenes) {
    const RunRecord a = recordOf(capsule(1e9));
    json other = capsule(2e9);
    other["scene"] = toJson(sceneNamed("card"));
    other["camera"]["vfov"] = 20;
    const RunRecord b = recordOf(other);
    const RecordComparison c = compareRecords(a, b);
    ASSERT_EQ(c.pairs.size(), 1u);
    EXPECT_NEAR(*c.pairs[0].ratio, 2, 1e-9);
    EXPECT_EQ(changeOf(c, "scene")->second, "card");
    EXPECT_NE(changeOf(c, "camera"), nullptr);
    const json report = reportOf(a, b, c);
    EXPECT_EQ(report.at("rows").at(0).at("ratio"), *c.pairs[0].ratio);
    EXPECT_EQ(report.at("first").at("device"), "a GPU");
}

TEST(RecordComparison, RowsThatCouldNotBeMeasuredSayWhy) {
    json report = ladderReport({1, 1}), other = report;
    other["rungs"][0] = {{"name", "recursion"},
                         {"scene", "cornell"},
                         {"settings", other["rungs"][0]["settings"]},
                         {"problem", "there is no GPU"}};
    const RunRecord a = recordOf(report), b = recordOf(other);
    const RecordComparison c = compareRecords(a, b);
    EXPECT_FALSE(c.pairs[0].ratio);
    EXPECT_NE(textOf(a, b, c).find("there is no GPU"), std::string::npos);
    EXPECT_TRUE(reportOf(a, b, c).at("rows").at(0).at("ratio").is_null());
}

}  // namespace
}  // namespace rayscope
