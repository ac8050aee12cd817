#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/tracing.h"
#include "renderer/files.h"
#include "renderer/scene/json.h"
#include "ui/viewer.h"

namespace rayscope {

int refuse(const Refusal& refusal) {
    fmt::print(stderr, "rayscope: {}\n", refusal.sentence);
    return refusal.exitCode;
}

std::string writeText(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fputs(text.c_str(), stdout);
        return {};
    }
    return writeFile(path, [&](std::FILE* file) {
        std::fwrite(text.data(), 1, text.size(), file);
        return std::string();
    });
}

int runView(const Options& options, bool vsync) {
    std::variant<Request, Refusal> understood = understand(options);
    if (Refusal* refusal = std::get_if<Refusal>(&understood)) return refuse(*refusal);
    Request& request = std::get<Request>(understood);
    request.renderer.reset();  // the viewer has its own
    const auto assets = findAssets();
    ViewerOptions viewer;
    viewer.state = std::move(request.state);
    if (const auto* folder = std::get_if<std::filesystem::path>(&assets)) {
        viewer.shaders = (folder->parent_path() / "shaders").string();
    }
    if (!options.size.empty()) {
        viewer.width = request.width;
        viewer.height = request.height;
    }
    viewer.vsync = vsync;
    watchForInterrupt();
    viewer.goOn = [] { return !interrupted(); };
    return runViewer(viewer);
}

namespace {

void addLadderOptions(CLI::App& command, LadderOptions& options) {
    command.add_option("name", options.name, "A ladder, or a file that ends in .json");
    command.add_flag("--list", options.list, "Show the ladders");
    command
        .add_option("--study", options.study,
                    "Pairs with intervals: steps compares each rung with the one before, add-one "
                    "adds each change alone to the first, leave-one-out takes it from the last")
        ->check(CLI::IsMember({"steps", "add-one", "leave-one-out"}));
    addClimbOptions(command, options.climb);
}

void addCompareOptions(CLI::App& command, CompareOptions& options) {
    addOptions(command, options.common);
    command.add_option("second", options.second,
                       "With two files: what --json wrote, or screenshots, to compare these runs");
    command.add_option("--a", options.a, "Axes of A, besides those of --set")
        ->type_name("AXIS=VALUE ...");
    command.add_option("--b", options.b, "Axes of B, besides those of --set")
        ->type_name("AXIS=VALUE ...");
    command.add_option("--clock", options.clock, "kernel time, or wall time of the loop around")
        ->check(CLI::IsMember({"kernel", "loop"}));
    command.add_option("--time", options.seconds, "Seconds to narrow the interval in")
        ->check(CLI::Range(.1, 3600.));
    command.add_flag("--only-speed", options.onlySpeed, "Don't compare the work");
    command.add_option("--json", options.json, "Everything as JSON, - for standard output");
}

void addSweepOptions(CLI::App& command, SweepOptions& options) {
    addOptions(command, options.study.common);
    command
        .add_option("--x", options.x,
                    "Along a row: AXIS, AXIS=V1,V2,... or AXIS=LOW..HIGH; "
                    "also scene=NAME,... and spheres=LOW..HIGH")
        ->required()
        ->type_name("AXIS[=VALUES]");
    command.add_option("--y", options.y, "Along a column, the same")->type_name("AXIS[=VALUES]");
    addStudyOptions(command, options.study);
    command.add_flag("--work", options.work, "Compare the work, too");
}

void addAutotuneOptions(CLI::App& command, AutotuneOptions& options) {
    addOptions(command, options.common);
    command.add_option("--candidates", options.candidates, "Combinations to begin with")
        ->check(CLI::Range(2, 1000));
    command.add_option("--time", options.seconds, "Seconds for each of them at first")
        ->check(CLI::Range(.01, 600.));
    command.add_option("--json", options.json, "Everything as JSON, - for standard output");
}

void addSelfcheckOptions(CLI::App& command, SelfcheckOptions& options) {
    command.add_option("--backend", options.backend, "auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    command.add_option("--size", options.size, "Picture size")->type_name("WxH");
    command.add_option("--comparisons", options.comparisons, "Of a setting with itself")
        ->check(CLI::Range(1, 10000));
    command.add_option("--time", options.seconds, "Seconds of each; ten times that of few others")
        ->check(CLI::Range(.01, 60.));
    command.add_option("--json", options.json, "Everything as JSON, - for standard output");
}

void addDivergenceOptions(CLI::App& command, DivergenceOptions& options) {
    addOptions(command, options.common);
    command.add_option("--json", options.json, "The same as JSON, - for standard output");
    CLI::Option* map =
        command
            .add_option("--map", options.map,
                        "What each pixel costs, in false colours: rays or time (clock cycles on "
                        "the GPU, nanoseconds on the CPU)")
            ->check(CLI::IsMember({"rays", "time"}));
    CLI::Option* mapOut = command.add_option("--out", options.out, "The map's file, a .png")
                              ->check([](const std::string& path) {
                                  return path.ends_with(".png") ? "" : "a map is written as .png";
                              })
                              ->needs(map);
    map->needs(mapOut);
}

void addCountersOptions(CLI::App& command, CountersOptions& options) {
    addOptions(command, options.common);
    command.add_option("--b", options.b, "Axes of a second kernel, besides those of --set")
        ->type_name("AXIS=VALUE ...");
    command.add_option("--json", options.json, "The same as JSON, - for standard output");
    command.add_option("--csv", options.csv, "The figures as CSV, - for standard output");
}

int run(int argc, char** argv) {
    CLI::App app(
        "Rayscope: an interactive path tracer and optimisation laboratory.\n"
        "Without a command it opens the viewer.",
        "rayscope");
    app.set_version_flag("--version", std::string("rayscope ") + RAYSCOPE_VERSION);
    app.require_subcommand(0, 1);
    Options view;
    bool noVsync = false;
    addOptions(app, view);
    app.add_flag("--no-vsync", noVsync, "Don't wait for the display");

    RenderOptions render;
    render.common.cpuSamples = 16;  // no frames to keep up: longer passes are 1 % faster
    CLI::App* renderCommand = app.add_subcommand("render", "Render without a window");
    addOptions(*renderCommand, render.common);
    renderCommand->add_option(
        "--out", render.out,
        "Picture: .png, .exr or .pfm (rayscope.png where --json is not given)");
    renderCommand->add_option("--json", render.json, "Report as JSON, - for standard output");

    LadderOptions ladder;
    CLI::App* ladderCommand =
        app.add_subcommand("ladder", "Measure the rungs of a published ladder");
    addLadderOptions(*ladderCommand, ladder);

    CompareOptions compare;
    compare.common.cpuSamples = 16;
    CLI::App* compareCommand =
        app.add_subcommand("compare", "Measure how much faster one setting is than another");
    addCompareOptions(*compareCommand, compare);

    StudyOptions switches;
    CLI::App* switchesCommand = app.add_subcommand("switches", "Measure what each switch is worth");
    addOptions(*switchesCommand, switches.common);
    addStudyOptions(*switchesCommand, switches);
    switchesCommand->add_flag("--only-speed", switches.onlySpeed, "Don't compare the work");

    SweepOptions sweep;
    CLI::App* sweepCommand = app.add_subcommand("sweep", "Measure settings on a line or a grid");
    addSweepOptions(*sweepCommand, sweep);

    AutotuneOptions autotune;
    CLI::App* autotuneCommand =
        app.add_subcommand("autotune", "Look for the fastest settings that trace the same paths");
    addAutotuneOptions(*autotuneCommand, autotune);

    ClimbOptions bench;
    CLI::App* benchCommand = app.add_subcommand("bench", "Measure the fixed benchmark");
    addClimbOptions(*benchCommand, bench);

    SelfcheckOptions selfcheck;
    CLI::App* selfcheckCommand =
        app.add_subcommand("selfcheck", "Check whether numbers from this machine can be trusted");
    addSelfcheckOptions(*selfcheckCommand, selfcheck);

    DivergenceOptions divergence;
    CLI::App* divergenceCommand =
        app.add_subcommand("divergence", "Show how many lanes of a warp are still tracing");
    addDivergenceOptions(*divergenceCommand, divergence);

    CountersOptions counters;
    CLI::App* countersCommand =
        app.add_subcommand("counters", "Read hardware counters and name what limits the kernel");
    addCountersOptions(*countersCommand, counters);

    std::string infoJson;
    CLI::App* infoCommand = app.add_subcommand("info", "Show devices, scenes and axes");
    infoCommand->add_option("--json", infoJson, "The same as JSON, - for standard output");

    TracingOptions tracing;
    for (CLI::App* command : {&app, renderCommand, ladderCommand, compareCommand, switchesCommand,
                              sweepCommand, autotuneCommand, benchCommand, selfcheckCommand})
        addTracingOptions(*command, tracing);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        return refuse({2, fmt::format("{} (rayscope --help lists the options)", error.what())});
    }
    return traced(tracing, [&] {
        if (*renderCommand) return runRender(render);
        if (*ladderCommand) return runLadderCommand(ladder);
        if (*compareCommand) return runCompare(compare);
        if (*switchesCommand) return runSwitches(switches);
        if (*sweepCommand) return runSweep(sweep);
        if (*autotuneCommand) return runAutotune(autotune);
        if (*benchCommand) return runBench(bench);
        if (*selfcheckCommand) return runSelfcheck(selfcheck);
        if (*divergenceCommand) return runDivergence(divergence);
        if (*countersCommand) return runCounters(counters);
        if (*infoCommand) return runInfo(infoJson);
        return runView(view, !noVsync);
    });
}

}  // namespace

}  // namespace rayscope

int main(int argc, char** argv) {
    try {
        return rayscope::run(argc, argv);
    } catch (const std::exception& error) {
        return rayscope::refuse({1, error.what()});
    }
}
