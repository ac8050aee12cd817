// The program from the outside: exit codes, sentences, reports, files.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>

#include "renderer/choices/axes.h"
#include "renderer/compile/kernel_sources.h"
#include "renderer/film/image_files.h"
#include "renderer/lab/autotune.h"
#include "renderer/scene/json.h"
#include "tests/program.h"
#include "tests/trace_format.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;
using test::Program;

TEST_F(Program, ChecksItself_long) {
    const Outcome r = run(
        "selfcheck --backend cpu --size 64x36 --comparisons 3 --time 0.05 --json a.json", false);
    std::ifstream file(folder / "a.json");
    const nlohmann::json j = nlohmann::json::parse(file);
    EXPECT_EQ(j["kind"], "selfcheck");
    EXPECT_EQ(j["complete"], true);
    EXPECT_EQ(j["scenes"].size(), 3u);
    EXPECT_EQ(j["counting_cost"].size(), 3u);
    bool failed = false;
    for (const auto& check : j["checks"]) {
        failed |= check["finding"] == "FAILED";
        EXPECT_NE(r.text.find(check["sentence"]), std::string::npos) << r.text;
    }
    EXPECT_EQ(r.code, failed ? 1 : 0) << r.text;
    expectRefused("selfcheck --comparisons 0", 2, "--comparisons");
    expectRefused("selfcheck --backend cpu --size 0x1", 2, "WIDTHxHEIGHT");
}

TEST_F(Program, ComparesRecordedRuns) {
    const std::string render = "render --backend cpu --size 40x30 --spp 2 ";
    ASSERT_EQ(run(render + "--set path=loop --json a.json --out a.png").code, 0);
    ASSERT_EQ(run(render + "--set path=stack --json b.json").code, 0);
    const Outcome r = run("compare a.png b.json --json c.json", false);
    EXPECT_EQ(r.code, 0);
    EXPECT_NE(r.text.find("path: loop -> stack"), std::string::npos) << r.text;
    EXPECT_NE(r.text.find("not interleaved"), std::string::npos) << r.text;
    std::ifstream file(folder / "c.json");
    const nlohmann::json j = nlohmann::json::parse(file);
    EXPECT_EQ(j["kind"], "records");
    EXPECT_EQ(j["rows"].size(), 1u);
    expectRefused("compare a.json none.json", 1, "none.json");
    EXPECT_EQ(run("compare a.json a.json --json missing/c.json").code, 1);
    std::ofstream(folder / "d.json") << "{}";
    expectRefused("compare d.json a.json", 1, "no rates");
}

TEST_F(Program, AComparisonFailsIfItIsToldTo_long) {
    const std::string compare =
        "compare --backend cpu --scene vt9 --size 32x18 --time .3 --a opt=O2 ";
    const auto code = [&](const std::string& more) { return run(compare + more).code; };
    const Outcome slower = run(compare + "--b opt=O0 --only-speed --fail-if slower --json a.json");
    EXPECT_EQ(slower.code, 3);
    EXPECT_NE(slower.text.find("rayscope: B is slower: 0."), std::string::npos) << slower.text;
    EXPECT_EQ(read("a.json")["complete"], true);
    EXPECT_EQ(code("--b opt=O0 --only-speed --at-least 1.05"), 3);
    EXPECT_EQ(code("--b opt=O0 --only-speed --at-least .001"), 0);
    EXPECT_EQ(code("--b opt=O0 --fail-if different"), 0);
    EXPECT_EQ(code("--b depth=2 --fail-if slower --fail-if different"), 3);
    expectRefused(compare + "--only-speed --fail-if different", 2, "--only-speed");
    expectRefused(compare + "--fail-if faster", 2, "--fail-if");
    expectRefused("compare a.json a.json --fail-if slower", 2, "means nothing beside two");
}

TEST_F(Program, WritesTraces_long) {
    const auto contents = [&](const char* name) {
        std::ifstream file(folder / name);
        return test::checkTrace(nlohmann::json::parse(file, nullptr, false));
    };
    const std::string render = "render --backend cpu --size 64x36 --spp 3 --json r.json ";
    ASSERT_EQ(run(render + "--threads 2 --trace a.json").code, 0);
    const test::TraceContents a = contents("a.json");
    EXPECT_GT(a.zones.at("advance"), 0);
    EXPECT_EQ(a.zones.at("launch"), a.zones.at("advance"));
    EXPECT_EQ(a.zones.at("work"), 2 * a.zones.at("launch"));
    EXPECT_EQ(a.counters.at("rays/s"), a.zones.at("advance"));
    EXPECT_TRUE(a.tracksWithZones.contains("main"));
    EXPECT_TRUE(a.tracksWithZones.contains("worker 1"));

    const std::string small = " --backend cpu --size 32x18 --time 0.02 ";
    ASSERT_EQ(run("ladder weekend" + small + "--json l.json --trace b.json").code, 0);
    EXPECT_GT(contents("b.json").zones.at("rung"), 1);
    EXPECT_EQ(
        run("compare --backend cpu --size 32x18 --time 0.1 --b path=stack --trace c.json").code, 0);
    EXPECT_GT(contents("c.json").zones.at("time A and B"), 0);
    const Outcome lost = run(render + "--trace missing/t.json");
    EXPECT_EQ(lost.code, 1);
    EXPECT_NE(lost.text.find("missing/t.json"), std::string::npos) << lost.text;
}

TEST_F(Program, ReadsWhereZonesGoFromAFile) {
    const std::string render = "render --backend cpu --size 16x16 --spp 1 --json r.json ";
    fs::create_directories(folder / "xdg" / "rayscope");
    const auto write = [&](const char* name, const char* text) {
        std::ofstream(folder / name) << text;
    };
    const std::string xdg = "XDG_CONFIG_HOME=" + (folder / "xdg").string();
    write("xdg/rayscope/rayscope.json", R"({"trace": "from-xdg.json", "nvtx": true})");
    ASSERT_EQ(run(render, true, xdg).code, 0);
    EXPECT_TRUE(fs::exists(folder / "from-xdg.json"));

    write("mine.json", R"({"trace": "from-mine.json", "nvtx": false, "tracy": false})");
    ASSERT_EQ(run(render + "--config mine.json --trace from-option.json", true, xdg).code, 0);
    EXPECT_TRUE(fs::exists(folder / "from-option.json"));
    EXPECT_FALSE(fs::exists(folder / "from-mine.json"));
    ASSERT_EQ(run(render + "--config mine.json", true, xdg).code, 0);
    EXPECT_TRUE(fs::exists(folder / "from-mine.json"));

    write("bad.json", R"({"trase": "x.json"})");
    expectRefused(render + "--config bad.json", 1, "\"trase\" is none of trace, nvtx, tracy");
    write("bad.json", R"({"nvtx": 1})");
    expectRefused(render + "--config bad.json", 1, "neither true nor false");
    write("bad.json", R"({"trace": true})");
    expectRefused(render + "--config bad.json", 1, "not the name of a file");
    write("bad.json", "[1, 2");
    expectRefused(render + "--config bad.json", 1, "line 1, column 6");
    write("bad.json", "[1, 2]");
    expectRefused(render + "--config bad.json", 1, "no JSON object");
    expectRefused(render + "--config none.json", 1, "none.json");
}

TEST_F(Program, RefusesOptionsBeforeTheCommandAndOutputsInOnePlace) {
    expectRefused("--scene cornell render --spp 1", 2, "--scene belongs after render");
    expectRefused("--spp 3 --size 40x20 render", 2, "belongs after render");
    expectRefused("--set depth=3 compare", 2, "--set belongs after compare");
    expectRefused("vt9.json info", 2, "file belongs after info");
    expectRefused("render --spp 1 --scene ''", 2, "--scene");
    expectRefused("render --out a.png --json ./a.png", 2, "--out and --json both go to ./a.png");
    expectRefused("render --out a.png --json a.png", 2, "--out and --json both go to a.png");
    expectRefused("bench --csv - --json -", 2, "--json and --csv both go to -");
    EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(Program, SaysWhatOfAModelIsNotShown) {
    write("m.obj", "mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\nl 2 3\n");
    const Outcome r = run("render m.obj --backend cpu --size 16x9 --spp 1 --json m.json");
    EXPECT_EQ(r.code, 0);
    EXPECT_NE(r.text.find("rayscope: m.obj: library 'gone.mtl': missing"), std::string::npos)
        << r.text;
    const json remarks = read("m.json")["remarks"];
    ASSERT_EQ(remarks.size(), 2u);
    EXPECT_EQ(remarks[1], (json{{"file", "m.obj"},
                                {"what", "lines (l) are not shown"},
                                {"where", "line 6"},
                                {"count", 2}}));
    write("m.usd", "#usda 1.0\n");
    expectRefused("render m.usd", 1, ".glb, .gltf, .obj, .ply, .fbx, .dae, .3ds or .stl");
}

/// None of these says what it does wrong once it runs.
TEST_F(Program, RefusesWhatWouldHaveNoEffect) {
    write("one.json", "{}");
    expectRefused("ladder one.json --json one.json", 2, "--json would replace one.json");
    expectRefused("render ./one.json --json ../" + folder.filename().string() + "/one.json", 2,
                  "would replace");
    fs::create_symlink("one.json", folder / "link.json");
    expectRefused("compare one.json two.json --json link.json", 2, "would replace");
    for (const std::string resume :
         {"render --resume one.json", "sweep --x path --resume one.json"})
        expectRefused(resume + " --json one.json", 2, "--json would replace one.json");
    write("film", "{}");
    expectRefused("render --resume film --json film", 2, "--json would replace film");
    expectRefused("render --resume film --out a.png --checkpoint ./film", 1, "film");
    expectRefused("render --config film --json film", 2, "--json would replace film");
    EXPECT_EQ(read("one.json"), nlohmann::json::object());
    EXPECT_EQ(read("film"), nlohmann::json::object());

    for (const std::string option : {"--time 3", "--only-speed", "--scene vt9", "--b path=stack",
                                     "--backend cpu", "--size 16x9", "--device 0"}) {
        expectRefused(
            "compare one.json two.json " + option, 2,
            option.substr(0, option.find(' ')) + " means nothing beside two recorded runs");
    }
    for (const std::string option : {"--b path=stack", "--at-least 2", "--only-speed",
                                     "--clock loop", "--spp 3", "--seed 7"}) {
        expectRefused("compare --program-a a --program-b b " + option, 2,
                      option.substr(0, option.find(' ')) + " means nothing beside two programs");
    }
    expectRefused("compare one.json --program-a a --program-b b", 2, "beside two programs");
    expectRefused("compare --program-a a", 2, "--program-b");
    expectRefused("render --depth 5 --set depth=6", 2, "depth is set twice: depth=6 and depth=5");
    expectRefused("render --threads 1 --set threads=2", 2, "threads is set twice");
    expectRefused("render --set path=loop --set path=stack", 2, "path is set twice");
    expectRefused("compare --b path=loop path=stack", 2, "path is set twice");
    expectRefused("sweep --x spheres=8,16 --y scene=vt9,card", 2, "both choose the scene");
    expectRefused("sweep --x scene=vt9,card --y spheres=8,16", 2, "both choose the scene");
}

TEST_F(Program, AGpuThatIsAskedForMustBeThere) {
    const std::string none = "CUDA_VISIBLE_DEVICES=";
    for (const char* command :
         {"render", "bench", "selfcheck", "ladder weekend", "code", "switches"})
        EXPECT_EQ(run(std::string(command) + " --device 1 --json a.json", true, none).code, 1);
    for (const char* command : {"render", "bench", "selfcheck", "compare"})
        expectRefused(std::string(command) + " --backend cpu --device 0", 2, "--device", none);
    EXPECT_FALSE(fs::exists(folder / "a.json"));
}

TEST_F(Program, SeveralDevicesRenderTogether) {
    const std::string render = "render --scene cornell --size 64x48 --spp 40 --backend cpu --json ";
    ASSERT_EQ(run(render + "one.json").code, 0);
    const Outcome two = run(render + "two.json --device cpu,cpu");
    ASSERT_EQ(two.code, 0) << two.text;
    EXPECT_NE(two.text.find("efficiency"), std::string::npos) << two.text;
    const nlohmann::json a = read("one.json"), b = read("two.json");
    EXPECT_EQ(a["rays"], b["rays"]);
    for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(a["mean_radiance"][i].get<double>(), b["mean_radiance"][i].get<double>(), 1e-7);
    EXPECT_FALSE(a.contains("devices"));
    ASSERT_EQ(b["devices"].size(), 2u);
    EXPECT_EQ(b["devices"][0]["samples"].get<int>() + b["devices"][1]["samples"].get<int>(), 40);
    EXPECT_GT(b["efficiency"].get<double>(), 0);
    EXPECT_LE(b["efficiency"].get<double>(), 1);
    ASSERT_EQ(run(render + "kept.json --device cpu,cpu --checkpoint c").code, 0);
    EXPECT_EQ(read("kept.json")["rays"], a["rays"]);
    EXPECT_EQ(read("kept.json")["devices"].size(), 2u);

    ASSERT_EQ(run("sequence --scene nbody-50 --size 16x9 --spp 2 --frames 2 --device cpu,cpu").code,
              0);
    ASSERT_EQ(run("bench --device cpu,cpu --size 32x18 --time .02 --json bench.json").code, 0);
    for (const nlohmann::json& rung : read("bench.json")["rungs"]) {
        if (rung.contains("problem")) continue;
        EXPECT_EQ(rung["devices"].size(), 2u) << rung;
    }
    expectRefused("render --device cpu,", 2, "is not devices");
    expectRefused("render --device cpu,cpu --backend cuda", 2, "names no GPU");
    expectRefused("render --device 0,cpu", 1, "", "CUDA_VISIBLE_DEVICES=");
}

TEST_F(Program, StudiesOfLaddersWithoutAMachineOrAPairSaySo) {
    std::ofstream(folder / "one.json") << R"({"title": "Alone", "scene": "vt9", "size": [16, 9],
        "spp": 1, "measures": "rate", "unit": "rays/s",
        "rungs": [{"name": "a", "why": "w"}, {"name": "b", "why": "w"}]})";
    for (const char* kind : {"add-one", "leave-one-out"}) {
        expectRefused(std::string("ladder one.json --backend cpu --study ") + kind, 1,
                      "there is nothing to compare");
    }
    const Outcome r = run("ladder sphere-tiles --study steps --time .01 --json a.json", true,
                          "CUDA_VISIBLE_DEVICES=");
    EXPECT_EQ(r.code, 1) << r.text;
    EXPECT_NE(r.text.find(" on no GPU"), std::string::npos) << r.text;
    EXPECT_NE(r.text.find("rayscope: nothing was measured: "), std::string::npos) << r.text;
    EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));
}

TEST_F(Program, FilesOfAnyNameAreReported_long) {
    std::ofstream(folder / "not\xff-utf8.json")
        << R"({"camera": {"from": [0, 0, 5], "to": [0, 0, 0]}, "spheres": [{"center": [0, 0, 0],
               "radius": 1, "material": {"kind": "lambert"}}]})";
    const Outcome r =
        run("sweep --backend cpu --x scene=vt9,not\xff-utf8.json --size 16x9 --time .01 "
            "--json s.json");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_TRUE(std::filesystem::exists(folder / "s.json"));
}

TEST_F(Program, RefusesWrongWordsWithCodeTwo) {
    expectRefused("render --set foo=1", 2, "scene_layout");
    expectRefused("render --set path=spiral", 2, "recursive, stack, loop");
    expectRefused("render --set path", 2, "path=VALUE");
    expectRefused("render --set backend=cpu", 2, "--backend");
    expectRefused("render --backend cpu --set block=32x4", 2, "means nothing on the cpu backend");
    expectRefused("render --backend cpu --scene card --set light_sampling=on", 2, "light already");
    expectRefused("render --backend gpu", 2, "cuda");
    expectRefused("render --size 100", 2, "WIDTHxHEIGHT");
    expectRefused("render --size 0x10", 2, "WIDTHxHEIGHT");
    expectRefused("render --size 10x99999999999", 2, "WIDTHxHEIGHT");
    expectRefused("render --size 10x10x", 2, "WIDTHxHEIGHT");
    expectRefused("render --spp 0", 2, "--spp");
    expectRefused("render --spp many", 2, "--spp");
    expectRefused("render --depth 65", 2, "--depth");
    expectRefused("render --backend cpu --set state_layout=aos", 2, "belongs to engine=wavefront");
    expectRefused("render --threads 1000", 2, "--threads");
    expectRefused("render --out picture.jpg", 2, ".png, .exr or .pfm");
    expectRefused("render --exposure nan", 2, "not a number from -20 to 20");
    expectRefused("compare --time nan", 2, "not a number from 0.1 to 3600");
    expectRefused("bench --time inf", 2, "not a number");
    expectRefused("render --set \"$(printf '\\033[2J')=1\"", 2, "'\uFFFD[2J'");
    expectRefused("render --frobnicate", 2, "--help");
    expectRefused("render --scene nowhere", 2, "vt9");
    expectRefused("--json x", 2, "--help");
}

/// The engine that the CPU begins with is nobody's choice.
TEST_F(Program, TheFirstEngineGivesWayToWhatIsSet) {
    const auto engineOf = [&](const std::string& set) {
        const Outcome r = run("render --backend cpu --size 16x16 --spp 1 --json - " + set, false);
        if (!json::accept(r.text)) return r.text;
        return json::parse(r.text)["settings"]["engine"].get<std::string>();
    };
    const std::string first = engineOf("");
    EXPECT_TRUE(first == "packets" || first == "megakernel") << first;
    EXPECT_EQ(engineOf("--set light_sampling=on --set order=rows"), first);
    EXPECT_EQ(engineOf("--set opt=O2"), first);  // packets are compiled with it, too
    for (const char* set : {"--set precision=double", "--set scene_layout=aos", "--set path=loop",
                            "--set random=per_row"})
        EXPECT_EQ(engineOf(set), "megakernel") << set;
    EXPECT_EQ(engineOf("--set engine=wavefront --set kernels=fused"), "wavefront");
}

/// Or B would differ by more than what was asked for.
TEST_F(Program, BothSidesBeginWithTheSameEngine) {
    const auto enginesOf = [&](const std::string& sides) {
        const Outcome r = run(
            "compare --backend cpu --size 16x9 --time .1 --only-speed --json - " + sides, false);
        if (!json::accept(r.text)) return r.text;
        const json j = json::parse(r.text);
        return j["a"]["settings"]["engine"].get<std::string>() + " " +
               j["b"]["settings"]["engine"].get<std::string>();
    };
    EXPECT_EQ(enginesOf("--a precision=double"), "megakernel megakernel");
    EXPECT_EQ(enginesOf("--b path=stack"), "megakernel megakernel");
    EXPECT_EQ(enginesOf("--set vectors=256 --a order=rows"), "megakernel megakernel");
    const std::string same = enginesOf("--a order=rows");
    EXPECT_TRUE(same == "packets packets" || same == "megakernel megakernel") << same;
    EXPECT_EQ(enginesOf("--a engine=wavefront --b engine=megakernel"), "wavefront megakernel");
}

TEST_F(Program, ReportsMissingThingsWithCodeOne) {
    expectRefused("render --scene ./nowhere.json", 1, "nowhere.json");
    expectRefused("render nowhere.png", 1, "nowhere.png");
    expectRefused("render --scene vt9", 1, missing(), "RAYSCOPE_ASSETS=" + missing());
    expectRefused("", 1, "render");  // no display: says what to do instead
    // what a name holds is shown, not obeyed
    expectRefused("render --scene \"$(printf './\\033[2J\\233.json')\"", 1,
                  "./\uFFFD[2J\uFFFD.json");
    std::ofstream(folder / "bad.json") << R"({"format": "rayscope-scene", "spheres": 3})";
    expectRefused("render --scene ./bad.json", 1, "bad.json");
}

TEST_F(Program, OutputsAreTriedBeforeTheWork) {
    const std::string none = "there is no folder missing";
    expectRefused("render --backend cpu --spp 1000000 --out missing/a.png", 1,
                  "cannot write missing/a.png: " + none);
    for (const char* command :
         {"bench", "ladder weekend", "switches", "sweep --x path", "selfcheck", "autotune",
          "compare", "divergence", "counters", "hot", "code", "info", "render --spp 1000000"})
        expectRefused(std::string(command) + " --json missing/a.json", 1, none);
    expectRefused("bench --csv missing/a.csv", 1, none);
    expectRefused("bench --trace missing/a.json", 1, none);
    expectRefused("bench --json /proc/a.json", 1, "cannot write /proc/a.json");
    EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(Program, WhatCannotBeWrittenIsSaidAndTheReportStillComes) {
    fs::create_symlink("/dev/full", folder / "a.png");
    const Outcome r = run("render --backend cpu --size 16x16 --spp 1 --out a.png --json a.json");
    EXPECT_EQ(r.code, 1);
    EXPECT_NE(r.text.find("cannot write a.png"), std::string::npos) << r.text;
    EXPECT_NE(r.text.find("M rays/s"), std::string::npos) << r.text;
    EXPECT_EQ(read("a.json")["kind"], "render");
}

TEST_F(Program, RenderReports) {
    const Outcome r = run(
        "render --backend cpu --scene vt46 --set light_sampling=on --set path=loop --size 64x36 "
        "--spp 5 --seed 7 --depth 6 --json - --out a.pfm",
        false);
    ASSERT_EQ(r.code, 0);
    const nlohmann::json j = nlohmann::json::parse(r.text);
    EXPECT_EQ(j["scene"], "vt46");
    EXPECT_EQ(j["backend"], "cpu");
    EXPECT_EQ(j["size"], (std::vector<int>{64, 36}));
    EXPECT_EQ(j["spp"], 5);
    EXPECT_EQ(j["seed"], 7);
    EXPECT_EQ(j["settings"]["depth"], 6);
    EXPECT_EQ(j["settings"]["light_sampling"], "on");
    const auto& rays = j["rays"];
    EXPECT_EQ(rays["camera"], 64 * 36 * 5);
    EXPECT_EQ(rays["total"].get<long>(),
              rays["camera"].get<long>() + rays["bounce"].get<long>() + rays["shadow"].get<long>());
    EXPECT_GT(rays["shadow"], 0);
    EXPECT_NEAR(j["rays_per_second"].get<double>(),
                1e3 * rays["total"].get<double>() / j["kernel_ms"].get<double>(), 1);
    EXPECT_LE(j["kernel_ms"].get<double>(), j["wall_ms"].get<double>());
    EXPECT_EQ(j["image_hash"].get<std::string>().size(), 16u);
    EXPECT_EQ(j["mean_radiance"].size(), 3u);
    EXPECT_EQ(j["settings"]["path"], "loop");
    EXPECT_FALSE(j["settings"].contains("block"));         // of the other backend
    EXPECT_FALSE(j["settings"].contains("state_layout"));  // of another engine
    EXPECT_TRUE(fs::exists(folder / "a.pfm"));
    EXPECT_FALSE(fs::exists(folder / "rayscope.png"));
}

/// The clock that runs from before the device is opened is never behind.
TEST_F(Program, ReportsTheTimeWithAllThatComesBeforeTheKernels) {
    const Outcome r = run("render --backend cpu --size 40x30 --spp 2 --json -", false);
    const nlohmann::json j = nlohmann::json::parse(r.text);
    EXPECT_GE(j["total_ms"].get<double>(), j["wall_ms"].get<double>());
    EXPECT_GE(j["wall_ms"].get<double>(), j["kernel_ms"].get<double>());
    EXPECT_FALSE(j.contains("context_ms"));  // there is none on the CPU
}

TEST_F(Program, DivergenceReports) {
    const std::string command = "divergence --backend cpu --scene vt9 --size 64x36 --depth 4";
    const Outcome table = run(command, false);
    EXPECT_EQ(table.code, 0);
    EXPECT_NE(table.text.find("32 samples a pixel"), std::string::npos) << table.text;
    EXPECT_NE(table.text.find("warps full"), std::string::npos) << table.text;
    const nlohmann::json j = nlohmann::json::parse(run(command + " --json -", false).text);
    for (const char* mapping : {"threads", "loop"}) {
        ASSERT_EQ(j[mapping].size(), 4u);
        EXPECT_NEAR(j[mapping][0]["active"].get<double>(), 85, 3);
        EXPECT_EQ(j[mapping][3]["done"].get<double>(), 100);
    }
    const bool packets = j["settings"]["engine"] == "packets";  // where the processor has them
    ASSERT_EQ(j["engines"].size(), packets ? 6u : 5u);
    EXPECT_EQ(j["engines"][0]["counted"], packets);
    for (const auto& engine : j["engines"]) {
        EXPECT_GT(engine["lane_efficiency"].get<double>(), .2);
        EXPECT_LE(engine["lane_efficiency"].get<double>(), 1);
    }
    EXPECT_EQ(j["hits"][0]["rays"].get<int>(), 64 * 36 * 32);
    EXPECT_EQ(j["hits"][0]["floor"].get<int>(), 0);
    expectRefused("divergence --backend cpu --size 16384x16384", 2, "smaller --size");
}

/// A map opens as the view that it shows.
TEST_F(Program, DivergenceWritesMaps) {
    for (const std::string map : {"rays", "time"}) {
        const std::string file = map + ".png";
        const Outcome result =
            run("divergence --backend cpu --scene vt9 --size 64x36 --spp 4 --map " + map +
                    " --out " + file,
                false);
        EXPECT_EQ(result.code, 0) << result.text;
        EXPECT_NE(result.text.find("white is"), std::string::npos) << result.text;
        const auto state = readState((folder / file).string());
        ASSERT_TRUE(state);
        EXPECT_EQ(nameOf(state->view.shown), map);
    }
    expectRefused("divergence --backend cpu --map rays", 2, "--out");
    expectRefused("divergence --backend cpu --map light --out a.png", 2, "--map");
    expectRefused("divergence --backend cpu --map rays --out a.exr", 2, ".png");
}

TEST_F(Program, TheSamePictureTwice) {
    const std::string command = "render --backend cpu --size 40x30 --spp 3 --json - ";
    const auto hash = [&](const std::string& more) {
        return nlohmann::json::parse(run(command + more, false).text)["image_hash"];
    };
    const auto first = hash("");
    EXPECT_EQ(hash("--threads 3 --set order=rows"), first);
    EXPECT_NE(hash("--seed 2"), first);
}

TEST_F(Program, AScreenshotRendersAgain) {
    ASSERT_EQ(run("render --backend cpu --scene cornell --set path=stack --size 20x15 --spp 2 "
                  "--exposure 1.5 --tone-mapper filmic --out shot.png")
                  .code,
              0);
    const auto state = readState((folder / "shot.png").string());
    ASSERT_TRUE(state) << state.reason();
    EXPECT_EQ(state->scene->name, "cornell");
    EXPECT_EQ(state->settings.variant.path, Path::stack);
    EXPECT_EQ(state->view.exposure, 1.5);
    EXPECT_EQ(state->view.toneMapper, ToneMapper::filmic);
    const Outcome again = run("render shot.png --json -", false);
    ASSERT_EQ(again.code, 0);
    EXPECT_EQ(json::parse(again.text)["size"], (std::vector<int>{20, 15}));
    EXPECT_EQ(json::parse(again.text)["spp"], 2);
    EXPECT_EQ(json::parse(run("render shot.png --size 8x4 --spp 1 --json -", false).text)["size"],
              (std::vector<int>{8, 4}));
    const nlohmann::json j = nlohmann::json::parse(again.text);
    EXPECT_EQ(j["scene"], "cornell");
    EXPECT_EQ(j["settings"]["path"], "stack");
    // its text says what is wrong with a state, not what it lacks as a scene
    nlohmann::json text = toJson(*state);
    std::ofstream(folder / "text.json") << text;
    EXPECT_EQ(run("render text.json --size 20x15 --spp 2").code, 0);
    text["settings"]["depth"] = 99;
    std::ofstream(folder / "text.json") << text;
    expectRefused("render text.json", 1, "depth");
}

TEST_F(Program, WithoutOptionsItWritesOnePicture) {
    const Outcome r = run("render --size 16x9 --spp 1");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_TRUE(fs::exists(folder / "rayscope.png"));
    EXPECT_NE(r.text.find("wrote rayscope.png"), std::string::npos);
    EXPECT_NE(r.text.find("rays a sample"), std::string::npos);
}

TEST_F(Program, LaddersAreClimbedAndWritten) {
    const Outcome list = run("ladder --list", false);
    EXPECT_EQ(list.code, 0);
    for (const char* name : {"voxel-tracer", "ece408-smallpt", "business-card", "codeplay-tracy",
                             "sphere-tiles", "triangles", "weekend"}) {
        EXPECT_NE(list.text.find(name), std::string::npos) << name;
    }
    const Outcome r = run(
        "ladder weekend --backend cpu --size 32x18 --time 0.01 --json a.json --csv a.csv", false);
    EXPECT_EQ(r.code, 0);
    EXPECT_NE(r.text.find("2500 ms"), std::string::npos) << r.text;
    EXPECT_NE(r.text.find("means nothing on the cpu backend"), std::string::npos) << r.text;
    std::ifstream file(folder / "a.json");
    const nlohmann::json j = nlohmann::json::parse(file);
    EXPECT_EQ(j["size"], (std::vector<int>{32, 18}));
    EXPECT_EQ(j["complete"], true);
    EXPECT_GT(j["rungs"][0]["measured"]["median"], 0);
    EXPECT_EQ(j["rungs"][1]["settings"]["path"], "loop");
    EXPECT_TRUE(j["rungs"][1].contains("x_before"));
    EXPECT_TRUE(fs::exists(folder / "a.csv"));
    const Outcome only = run("ladder weekend --backend cpu --size 8x8 --time 0.01 --json -", false);
    EXPECT_TRUE(nlohmann::json::accept(only.text)) << only.text;
}

TEST_F(Program, LadderRefusesInASentence) {
    expectRefused("ladder", 2, "--list");
    expectRefused("ladder nowhere", 2, "voxel-tracer");
    expectRefused("ladder ./nowhere.json", 1, "nowhere.json");
    expectRefused("sweep --x scene=nowhere", 2, "vt9");
    expectRefused("ladder ./none.json", 1, "none.json");
    expectRefused("ladder weekend --size 3", 2, "WIDTHxHEIGHT");
    expectRefused("ladder weekend --time 0", 2, "--time");
    std::ofstream(folder / "bad.json") << R"({"title": "x"})";
    expectRefused("ladder ./bad.json", 1, "scene is missing");
    const Outcome r =
        run("ladder weekend --backend cpu --size 8x8 --time 0.01 --csv missing/a.csv");
    EXPECT_EQ(r.code, 1);
    EXPECT_NE(r.text.find("missing/a.csv"), std::string::npos);
}

TEST_F(Program, LessonsAreListedCopiedAndCheckedOnlyWhereTheyRun) {
    const std::string none = "CUDA_VISIBLE_DEVICES=";
    const Outcome list = run("lesson --list", true, none);
    EXPECT_EQ(list.code, 0) << list.text;
    for (const char* words :
         {"  3  doubles ", "Doubles in float code", "cannot measure those of a GPU: "})
        EXPECT_NE(list.text.find(words), std::string::npos) << words << "\n" << list.text;
    expectRefused("lesson", 2, "--list");
    expectRefused("lesson 99", 2, "the lessons are reference");
    expectRefused("lesson ./nowhere", 1, "nowhere");
    expectRefused("lesson 3 --size 3", 2, "WIDTHxHEIGHT");
    expectRefused("lesson 3 --json a.json", 2, "--check");
    expectRefused("lesson --list --check .", 2, "--check");
    expectRefused("lesson --check nowhere", 2, "nowhere");
    expectRefused("lesson --check nowhere --lesson nothing", 2, "the lessons are reference");
    expectRefused("lesson --check . --lesson 3", 2, "lacks renderer/core/");
    if (embeddedKernelSources().empty()) GTEST_SKIP() << "built without the CUDA toolkit";

    const Outcome copied = run("lesson 3 --copy-only", true, none);
    EXPECT_EQ(copied.code, 0) << copied.text;
    const std::string file = "rayscope-lesson-doubles/renderer/core/shapes.h";
    ASSERT_TRUE(fs::is_regular_file(folder / file)) << copied.text;
    for (const char* words : {"some of their instructions are FP64", "rayscope-lesson-doubles\n",
                              "Begin at renderer/core/shapes.h:", "Nothing can be measured here: "})
        EXPECT_NE(copied.text.find(words), std::string::npos) << words << "\n" << copied.text;
    write(file, "mine\n");
    const Outcome again = run("lesson doubles --copy-only", true, none);
    EXPECT_EQ(again.code, 0) << again.text;
    EXPECT_NE(again.text.find("Your work is in "), std::string::npos) << again.text;
    std::ifstream kept(folder / file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "mine\n");
    expectRefused("lesson spill --copy-only --to rayscope-lesson-doubles", 1, "is no work on",
                  none);
    expectRefused("lesson --check rayscope-lesson-doubles --json a.json", 1,
                  "Lesson 3, doubles cannot be measured here: ", none);
    expectRefused("lesson --check rayscope-lesson-doubles --lesson spill", 1,
                  "Lesson 2, spill cannot be measured here: ", none);
    EXPECT_FALSE(fs::exists(folder / "a.json"));
}

TEST_F(Program, BenchPrintsATableAndOneLineToShare) {
    const Outcome r =
        run("bench --backend cpu --size 32x18 --time 0.01 --json a.json --csv a.csv", false);
    EXPECT_EQ(r.code, 0) << r.text;
    for (const char* scene : {"vt9", "vt46", "cornell", "card", "weekend"})
        EXPECT_NE(r.text.find(std::string("\n") + scene + " "), std::string::npos) << r.text;
    std::ifstream file(folder / "a.json");
    const nlohmann::json j = nlohmann::json::parse(file);
    EXPECT_EQ(j["complete"], true);
    const std::string share = j["score"]["share"];
    EXPECT_TRUE(r.text.ends_with("\n" + share + "\n")) << r.text;
    EXPECT_NE(share.find("geometric mean of 5 scenes at 32x18"), std::string::npos) << share;
    std::ifstream csv(folder / "a.csv");
    EXPECT_EQ(std::count(std::istreambuf_iterator<char>(csv), {}, '\n'), 11);
    const Outcome only = run("bench --backend cpu --size 8x8 --time 0.01 --json -", false);
    EXPECT_TRUE(nlohmann::json::accept(only.text)) << only.text;
}

TEST_F(Program, BenchRefusesInASentence) {
    expectRefused("bench --size 3", 2, "WIDTHxHEIGHT");
    expectRefused("bench --time 0", 2, "--time");
    expectRefused("bench --backend gpu", 2, "cuda");
    expectRefused("bench --scene vt9", 2, "--help");
    expectRefused("bench --backend cpu", 1, missing(), "RAYSCOPE_ASSETS=" + missing());
}

TEST_F(Program, HotLinesOfACpuAreWhereItsThreadsAre) {
    const Outcome r = run("hot --backend cpu --scene vt9 --size 48x27 --json a.json", false);
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find("samples of where the threads are"), std::string::npos) << r.text;
    EXPECT_NE(r.text.find("renderer/core/"), std::string::npos) << r.text;
    EXPECT_TRUE(nlohmann::json::accept(read("a.json").dump()));
    expectRefused("hot --backend cpu --only counts", 2, "--only");
    expectRefused("hot --backend cpu --only lines", 2, "counts,stalls,model");
}

TEST_F(Program, CountersNameWhatIsKnownOfTwoKernels) {
    const Outcome r =
        run("counters --backend cpu --scene vt9 --size 48x27 --b scene_layout=aos --json a.json "
            "--csv a.csv",
            false);
    EXPECT_EQ(r.code, 0) << r.text;
    for (const char* words : {"rays a second", "change", "scene_layout=aos", "this is a CPU"})
        EXPECT_NE(r.text.find(words), std::string::npos) << words << "\n" << r.text;
    std::ifstream file(folder / "a.json");
    const nlohmann::json j = nlohmann::json::parse(file);
    EXPECT_EQ(j["kind"], "counters");
    EXPECT_GT(j["a"]["facts"]["rays_per_second"], 0);
    EXPECT_EQ(j["b"]["settings"]["scene_layout"], "aos");
    EXPECT_TRUE(j["b"].contains("no_counters"));
    std::ifstream csv(folder / "a.csv");
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "group,id,unit,a,b");
    expectRefused("counters --b nonsense=1", 2, "--b: unknown axis");
    expectRefused("counters --b", 2, "--b");
}

TEST_F(Program, RendersTheBookmarksPath) {
    expectRefused("sequence --scene vt9", 2, "two bookmarks");
    ASSERT_EQ(run("render --backend cpu --scene vt9 --size 16x9 --spp 1 --out a.png").code, 0);
    const auto state = readState((folder / "a.png").string());
    ASSERT_TRUE(state);
    State marked = *state;
    marked.bookmarks[0] = marked.bookmarks[4] = marked.camera;
    marked.bookmarks[4]->from.x += 1;
    std::ofstream(folder / "b.json") << toJson(marked).dump();
    const Outcome r =
        run("sequence b.json --size 16x9 --spp 2 --frames 3 --out made/here/fly.png", false);
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.text, "wrote 3 frames\n");
    for (const char* name : {"fly-0001.png", "fly-0002.png", "fly-0003.png"})
        EXPECT_TRUE(fs::exists(folder / "made/here" / name)) << name;
    expectRefused("sequence b.json --out fly.jpg", 2, "fly.jpg");
    expectRefused("sequence b.json --frames 1", 2, "--frames");
}

/// The bodies of each picture stand where they are in it.
TEST_F(Program, RendersASceneThatMoves) {
    const Outcome r =
        run("sequence --backend cpu --scene nbody-50 --set steps=10 --size 16x9 --spp "
            "1 --frames 3 --out fly.png",
            false);
    EXPECT_EQ(r.text, "wrote 3 frames\n");
    const Scene start = *findScene("nbody-50");
    const Bodies bodies = startOf(*start.simulation);
    std::vector<glm::dvec3> then;
    for (const char* name : {"fly-0001.png", "fly-0002.png", "fly-0003.png"}) {
        const auto state = readState((folder / name).string());
        ASSERT_TRUE(state) << name;
        ASSERT_EQ(state->scene->spheres.size(), 50u);
        EXPECT_EQ(state->scene->simulation.has_value(), name == std::string("fly-0001.png"));
        then.push_back(state->scene->spheres[7].center);
    }
    json thrown = toJson(start);
    thrown["simulation"]["step"] = 1000;
    thrown["simulation"]["mass"] = 1e6;
    std::ofstream(folder / "thrown.json") << thrown.dump();
    const Outcome lost =
        run("sequence --backend cpu --scene thrown.json --size 16x9 --spp 1 --frames 9");
    EXPECT_EQ(lost.code, 1);
    EXPECT_NE(lost.text.find("left the scene before frame 2"), std::string::npos) << lost.text;
    EXPECT_NE(lost.text.find("wrote 1 frames"), std::string::npos) << lost.text;
    EXPECT_EQ(then[0], start.spheres[7].center);
    const glm::dvec3 way = 10 * start.simulation->step * bodies.velocities[7];
    EXPECT_LT(glm::distance(then[1], then[0] + way), .1 * glm::length(way));
    EXPECT_LT(glm::distance(then[2], then[1] + way), .2 * glm::length(way));
}

TEST_F(Program, SimulatesBodies) {
    const std::string command = "simulate --backend cpu --scene nbody-200 --steps 30";
    const Outcome shown = run(command + " --set precision=double", false);
    EXPECT_EQ(shown.code, 0) << shown.text;
    for (const char* words : {"nbody-200", "200 bodies", "30 steps", "interactions/s", "drift"})
        EXPECT_NE(shown.text.find(words), std::string::npos) << words << "\n" << shown.text;
    const json j = json::parse(run(command + " --set forces=untiled --json -", false).text);
    EXPECT_EQ(j["steps"], 30);
    EXPECT_EQ(j["settings"]["forces"], "untiled");
    EXPECT_NEAR(j["interactions_per_second"].get<double>(),
                200. * 200 * 30 / (1e-3 * j["kernel_ms"].get<double>()), 1e3);
    EXPECT_LT(std::abs(j["energy_drift"].get<double>()), 1e-3);
    const json fast = json::parse(run(command + " --no-energy --json -", false).text);
    EXPECT_FALSE(fast.contains("energy_drift"));
    expectRefused("simulate --backend cpu --scene vt9", 2, "does not move");
    expectRefused("simulate --backend cpu --set forces=tiled", 2, "backend=cuda");
    expectRefused("simulate --backend cpu --steps 0", 2, "--steps");
    expectRefused("simulate --backend cpu --depth 3", 2, "--depth");
}

TEST_F(Program, AMisspeltCommandIsGuessed) {
    expectRefused("rendr", 2, "there is no command rendr: is render meant?");
    expectRefused("compair --json a.json", 2, "is compare meant?");
    expectRefused("nothing-like-it", 2, "nothing-like-it");
}

/// The window has no options for it.
TEST_F(Program, AutotuneBeginsAsInTheWindow) {
    const std::string help = run("autotune --help").text;
    const AutotuneWish wish;
    const auto expectDefault = [&](const std::string& option, double value) {
        const std::size_t begin = help.find(option + ' ');
        ASSERT_NE(begin, std::string::npos) << option;
        const std::string line = help.substr(begin, help.find('\n', begin) - begin);
        EXPECT_TRUE(line.ends_with(fmt::format("={}", value)) ||  // of any CLI11
                    line.find(fmt::format("[{}]", value)) != line.npos)
            << line;
    };
    expectDefault("--candidates", wish.candidates);
    expectDefault("--time", wish.seconds);
    expectDefault("--climb", wish.climb);
}

TEST_F(Program, HelpAndInfoShowDefaults) {
    const std::string help = run("render --help").text + run("compare --help").text;
    for (const std::string words : {"auto", "the scene's", "kernel", "10"})  // of any CLI11
        EXPECT_TRUE(help.find("[" + words + "]") != help.npos ||
                    help.find("=" + words) != help.npos)
            << words << "\n"
            << help;
    for (const char* words : {"=[]", "[[]]", "=-1", "[-1]"})
        EXPECT_EQ(help.find(words), std::string::npos) << words << "\n" << help;
    const json info = json::parse(run("info --json -", false).text);
    for (const auto& axis : info["axes"])
        EXPECT_TRUE(axis.contains("default") || axis["id"] == "backend") << axis["id"];
}

TEST_F(Program, InfoListsDevicesScenesAndAxes) {
    const Outcome r = run("info", false);
    EXPECT_EQ(r.code, 0);
    for (const Axis& axis : axes()) {
        EXPECT_NE(r.text.find(std::string(axis.id)), std::string::npos) << axis.id;
    }
    const nlohmann::json j = nlohmann::json::parse(run("info --json -", false).text);
    EXPECT_EQ(j["axes"].size(), axes().size());
    EXPECT_EQ(j["scenes"], sceneNames());
    EXPECT_TRUE(j["cuda"].contains("name") || j["cuda"].contains("missing"));
    EXPECT_EQ(run("--version").code, 0);
    EXPECT_EQ(run("--help").code, 0);
    EXPECT_EQ(run("render --help").code, 0);
}

}  // namespace
}  // namespace rayscope
