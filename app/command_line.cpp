#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/completion.h"
#include "app/outputs.h"
#include "app/tracing.h"
#include "renderer/base/memory_budget.h"
#include "renderer/base/say.h"
#include "renderer/base/version.h"
#include "renderer/choices/axes.h"
#include "renderer/team/team.h"

namespace rayscope {

namespace {

/// Unlike CLI::Range, refuses what is not a number.
CLI::Validator within(double low, double high) {
    const auto problem = [low, high](const std::string& text) -> std::string {
        double value = NAN;
        const bool number = CLI::detail::lexical_cast(text, value);
        if (number && value >= low && value <= high) return {};
        return fmt::format("{} is not a number from {} to {}", text, low, high);
    };
    return CLI::Validator(problem, fmt::format("FLOAT in [{} - {}]", low, high));
}

void addKernelsOption(CLI::App& command, std::vector<std::string>& folders) {
    command
        .add_option(
            "--kernels", folders,
            "Read kernel sources from this folder and recompile them when they change; with a "
            "name, repeatable, only for source=NAME")
        ->type_name("[NAME=]DIR")
        ->allow_extra_args(false);
}

/// The options that choose a scene and its settings, but for those of paths.
void addSceneOptions(CLI::App& command, Options& options) {
    command.add_option(
        "file", options.file,
        "Begin with the state of a screenshot (.png or .json) or with a scene (.json, .gltf, .glb, "
        ".obj, .ply, .fbx, .dae, .3ds, .stl)");
    command
        .add_option("--scene", options.scene,
                    "Scene: a name (see rayscope info), or a file: JSON or a model")
        ->check([](const std::string& name) { return name.empty() ? "a scene has a name" : ""; });
    command.add_option("--backend", options.backend, "auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    command
        .add_option("--set", options.set, "Set an axis: axis=value, repeatable (see rayscope info)")
        ->type_name("AXIS=VALUE");
    addKernelsOption(command, options.kernels);
}

/// The options that choose a scene and its settings.
void addSettingOptions(CLI::App& command, Options& options) {
    addSceneOptions(command, options);
    command.add_option("--depth", options.depth, "Longest path in rays")
        ->check(CLI::Range(1, kMaxDepth))
        ->default_str("the scene's");
}

void addThreadsOption(CLI::App& command, Options& options) {
    command.add_option("--threads", options.threads, "CPU threads, 0 for one each core")
        ->check(CLI::Range(0, findAxis("threads")->maximum))
        ->default_str("0");
}

/// The options of every command that renders.
void addOptions(CLI::App& command, Options& options) {
    addSettingOptions(command, options);
    command.add_option("--size", options.size, "Picture size")
        ->type_name("WxH")
        ->default_str("the scene's");
    command.add_option("--spp", options.spp, "Samples a pixel")
        ->check(CLI::Range(1, 1000000000))
        ->default_str("the scene's");
    command.add_option("--seed", options.seed, "Seed of the random numbers")
        ->check(CLI::Range(1u, 4294967295u))
        ->default_str("1");
    addThreadsOption(command, options);
    command.add_option("--exposure", options.exposure, "Exposure in stops")
        ->check(within(-20., 20.));
    command.add_option("--tone-mapper", options.toneMapper, "none, reinhard or filmic")
        ->check(CLI::IsMember({"none", "reinhard", "filmic"}));
}

void addClimbOptions(CLI::App& command, ClimbOptions& options) {
    command.add_option("--backend", options.backend, "Only cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    command.add_option("--size", options.size, "Picture size in place of the fixed one")
        ->type_name("WxH");
    command.add_option("--time", options.seconds, "Seconds to measure a row")
        ->check(within(.01, 600.));
    command.add_option("--json", options.json, "Everything as JSON, - for standard output");
    command.add_option("--csv", options.csv, "One line a row, - for standard output");
}

/// Of commands whose work can go on later.
void addKeepOptions(CLI::App& command, KeepOptions& keep) {
    command
        .add_option("--checkpoint", keep.checkpoint,
                    "Keep what is done in this file, which is removed when all is done")
        ->type_name("FILE");
    command.add_option("--checkpoint-every", keep.every, "Seconds between checkpoints")
        ->check(within(.1, 86400.));
    command
        .add_option("--resume", keep.resume,
                    "Go on from the checkpoint of the same command, and keep what is done there")
        ->type_name("FILE");
}

/// The options of studies, without the common ones.
void addStudyOptions(CLI::App& command, StudyOptions& options) {
    command.add_option("--time", options.seconds, "Seconds to narrow an interval in")
        ->check(within(.01, 600.));
    command.add_option("--json", options.json, "Everything as JSON, - for standard output");
    command.add_option("--csv", options.csv, "One line each, - for standard output");
    addKeepOptions(command, options.keep);
}

std::string& pageFileOption() {
    static std::string file;
    return file;
}

/// Of all commands that report as JSON.
void addPageOption(CLI::App& command) {
    if (command.get_option_no_throw("--json") == nullptr) return;
    command
        .add_option("--html", pageFileOption(),
                    "Everything as a page with figures, - for standard output")
        ->type_name("FILE");
}

void addReportOptions(CLI::App& command, ReportOptions& options) {
    command.add_option("files", options.files, "What --json wrote, or screenshots")
        ->required()
        ->expected(1, static_cast<int>(kMaxPageReports));
    command.add_option("--html", pageFileOption(), "The page, - for standard output")
        ->type_name("FILE")
        ->required();
}

/// A word as a shell reads it.
std::string shellWord(const std::string& word) {
    const bool plain =
        !word.empty() &&
        word.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^") ==
            word.npos;
    if (plain) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// That was given to this program.
std::string commandText(const std::vector<std::string>& words) {
    std::string text = "rayscope";
    for (const std::string& word : words) text += " " + shellWord(word);
    return text;
}

void addTracingOptions(CLI::App& command, TracingOptions& options) {
    command.add_option("--trace", options.trace,
                       "Write a timeline for Perfetto, chrome://tracing or Tracy's importer");
    command
        .add_option("--config", options.config,
                    "Where zones go, in place of rayscope/rayscope.json in XDG_CONFIG_HOME")
        ->type_name("FILE");
}

void addDeviceOption(CLI::App& command, DeviceList& device) {
    command
        .add_option_function<std::string>(
            "--device",
            [&device](const std::string& text) {
                const auto list = deviceListFrom(text);
                if (!list) throw CLI::ValidationError("--device", list.reason());
                device = *list;
            },
            "Which GPUs, by CUDA's numbers (see rayscope info), or all; with cpu the CPU, too. "
            "Several render together")
        ->type_name("LIST")
        ->default_str("0");
}

void addMemoryOption(CLI::App& command) {
    command
        .add_option_function<std::string>(
            "--memory",
            [](const std::string& text) {
                const auto bytes = bytesFrom(text);
                if (!bytes) throw CLI::ValidationError("--memory", bytes.reason());
                MemoryBudget::common().setLimit(*bytes);
            },
            "What scenes, models and pictures may take: 500M, 8G")
        ->type_name("SIZE")
        ->default_str("half of what is free");
}

void addLadderOptions(CLI::App& command, LadderOptions& options) {
    command.add_option("name", options.name, "A ladder, or a file that ends in .json");
    command.add_flag("--list", options.list, "Show the ladders");
    command
        .add_option("--study", options.study,
                    "Pairs with intervals: steps compares each rung with the one before, add-one "
                    "adds each change alone to the first, leave-one-out takes it from the last")
        ->check(CLI::IsMember({"steps", "add-one", "leave-one-out"}));
    addKernelsOption(command, options.kernels);
    addClimbOptions(command, options.climb);
    addKeepOptions(command, options.keep);
}

void addCompareOptions(CLI::App& command, CompareOptions& options) {
    addOptions(command, options.common);
    command.add_option("second", options.second,
                       "With two files: what --json wrote, or screenshots, to compare these runs");
    command.add_option("--a", options.a, "Axes of A, besides those of --set")
        ->type_name("AXIS=VALUE ...");
    command.add_option("--b", options.b, "Axes of B, besides those of --set")
        ->type_name("AXIS=VALUE ...");
    auto* const programA =
        command
            .add_option("--program-a", options.programA,
                        "Compare two builds: A's program, for instance of the last release")
            ->type_name("PROGRAM");
    auto* const programB =
        command.add_option("--program-b", options.programB, "and B's")->type_name("PROGRAM");
    programA->needs(programB);
    programB->needs(programA);
    command
        .add_option(
            "--bench", options.bench,
            "What the programs render: a benchmark's file, or default; without it the scene "
            "and settings")
        ->type_name("FILE")
        ->needs(programA);
    command
        .add_option("--markdown", options.markdown,
                    "A comment on two programs, - for standard output")
        ->type_name("FILE")
        ->needs(programA);
    command.add_option("--clock", options.clock, "kernel time, or wall time of the loop around")
        ->check(CLI::IsMember({"kernel", "loop"}));
    command.add_option("--time", options.seconds, "Seconds that it takes, compiling apart")
        ->check(within(.1, 3600.));
    CLI::Option* const onlySpeed =
        command.add_flag("--only-speed", options.onlySpeed, "Don't compare the work");
    command
        .add_option("--fail-if", options.failIf,
                    "Exit with 3 if B is measurably slower, or does different work; repeatable")
        ->check(CLI::IsMember({"slower", "different"}));
    command
        .add_option("--at-least", options.atLeast,
                    "Exit with 3 unless B is so many times as fast as A, its whole interval")
        ->check(within(.001, 1e6))
        ->default_str("");
    command.add_option("--json", options.json, "Everything as JSON, - for standard output");
    command.callback([&options, onlySpeed] {
        const auto& asked = options.failIf;
        if (onlySpeed->count() > 0 &&
            std::find(asked.begin(), asked.end(), "different") != asked.end())
            throw CLI::ValidationError("--fail-if different", "--only-speed does not compare it");
    });
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
        ->check(within(.01, 600.));
    command
        .add_option("--climb", options.climb,
                    "Seconds for climbs from the fastest; after them come blocks, registers and "
                    "the size of launches")
        ->check(within(0., 86400.));
    command.add_option("--json", options.json, "Everything as JSON, - for standard output");
    addKeepOptions(command, options.keep);
}

void addSelfcheckOptions(CLI::App& command, SelfcheckOptions& options) {
    command.add_option("--backend", options.backend, "auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    command.add_option("--size", options.size, "Picture size")->type_name("WxH");
    command.add_option("--comparisons", options.comparisons, "Of a setting with itself")
        ->check(CLI::Range(1, 10000));
    command.add_option("--time", options.seconds, "Seconds of each; ten times that of few others")
        ->check(within(.01, 60.));
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

void addHotOptions(CLI::App& command, HotOptions& options) {
    addOptions(command, options.common);
    command.add_option("--kernel", options.kernel,
                       "Count only this one of several kernels: trace, primary, ...");
    command
        .add_option("--only", options.only,
                    "counts: only count instructions; stalls: only sample what warps wait for; "
                    "model: model the counts as where nobody may count")
        ->check(CLI::IsMember({"counts", "stalls", "model"}));
    command.add_option("--json", options.json, "The same as JSON, - for standard output");
}

void addLessonOptions(CLI::App& command, LessonOptions& options) {
    command.add_option("name", options.name, "A lesson's number or name, or the folder of one");
    command.add_flag("--list", options.list, "Show the lessons");
    CLI::Option* const check =
        command
            .add_option("--check", options.check,
                        "Exit with 3 unless the kernels in this folder solve the lesson")
            ->type_name("DIR");
    command
        .add_option("--lesson", options.lesson, "Check it as this one, whatever the folder says")
        ->needs(check);
    command.add_option("--time", options.seconds, "Seconds that the check takes, compiling apart")
        ->check(within(.1, 3600.));
    command.add_flag("--why", options.why, "With --check: show which counters moved, too")
        ->needs(check);
    command.add_option("--json", options.json, "Everything as JSON, - for standard output")
        ->needs(check);
    command.add_option("--to", options.to, "Where the kernels are copied to")
        ->type_name("DIR")
        ->default_str("rayscope-lesson-NAME");
    command.add_flag("--copy-only", options.copyOnly, "Copy the kernels, open no window");
    command.add_option("--size", options.common.size, "Size of the window")->type_name("WxH");
}

void addCodeOptions(CLI::App& command, CodeOptions& options) {
    addSettingOptions(command, options.common);
    command
        .add_option("--diff", options.diff,
                    "Axes of B, besides those of --set: what differs from A, without them")
        ->type_name("AXIS=VALUE ...");
    command
        .add_option("--arch", options.architecture,
                    "sm_90, sm_120, ...: otherwise the device's, or sm_90 where there is none")
        ->check([](const std::string& name) {
            const bool number =
                name.size() > 3 && name.find_first_not_of("0123456789", 3) == std::string::npos;
            return name.starts_with("sm_") && number && name.size() < 8
                       ? ""
                       : "an architecture is written as sm_90";
        });
    command.add_option("--kernel", options.kernel, "One of the program's kernels: extend, shade")
        ->type_name("NAME");
    CLI::App* form = command.add_option_group("Text");
    form->add_flag("--source", options.source, "Print the sources");
    form->add_flag("--ptx", options.ptx, "Print the PTX, or diff it");
    form->add_flag("--sass", options.sass, "Print the machine code, or diff it (with nvdisasm)");
    form->require_option(0, 1);
    command.add_option("--json", options.json, "The facts as JSON, - for standard output");
    command
        .add_option(
            "--copy-to", options.copyTo,
            "Only copy the kernel sources into a folder, for --kernels; those that a screenshot "
            "was traced with, where one is named")
        ->type_name("DIR");
}

void addRenderOptions(CLI::App& command, RenderOptions& options) {
    addOptions(command, options.common);
    command.add_option("--out", options.out,
                       "Picture: .png, .exr or .pfm (rayscope.png where --json is not given)");
    command.add_option("--json", options.json, "Report as JSON, - for standard output");
    addKeepOptions(command, options.keep);
}

void addSwitchesOptions(CLI::App& command, StudyOptions& options) {
    addOptions(command, options.common);
    addStudyOptions(command, options);
    command.add_flag("--only-speed", options.onlySpeed, "Don't compare the work");
}

void addSequenceOptions(CLI::App& command, SequenceOptions& options) {
    addOptions(command, options.common);
    command
        .add_option(
            "--frames", options.frames,
            "Frames from the first bookmark to the last; from the start of a scene that moves")
        ->check(CLI::Range(2, 1000000));
    command.add_option(
        "--out", options.out,
        "Where frames go: fly.png makes fly-0001.png, fly-0002.png and so on; fly.mp4 "
        "and fly.webm are movies (with ffmpeg)");
    command.add_option("--fps", options.fps, "Frames a second of a movie")
        ->check(CLI::Range(1, 240));
    addKeepOptions(command, options.keep);
}

void addSimulateOptions(CLI::App& command, SimulateOptions& options) {
    addSceneOptions(command, options.common);
    addThreadsOption(command, options.common);
    command.add_option("--steps", options.steps, "Steps of the simulation")
        ->check(CLI::Range(1, 1000000000));
    command.add_flag("--no-energy", options.noEnergy,
                     "Don't sum energy and momentum before and after");
    command.add_option("--json", options.json, "Everything as JSON, - for standard output");
}

void addInfoOptions(CLI::App& command, InfoOptions& options) {
    command.add_option("--json", options.json, "The same as JSON, - for standard output");
}

/// The devices among a command's options.
template <class CommandOptions>
DeviceList& deviceOf(CommandOptions& options) {
    if constexpr (requires { options.device; })
        return options.device;
    else if constexpr (requires { options.common; })
        return options.common.device;
    else if constexpr (requires { options.climb; })
        return options.climb.device;
    else
        return options.study.common.device;
}

/// Whether ranks share the command's work.
template <class CommandOptions>
constexpr bool kShared = requires(CommandOptions options) {
    options.keep;
}
|| requires(CommandOptions options) {
    options.study.keep;
};

/// The subcommands, each with options of its own.
class Commands {
public:
    /// device: the value of --device, whether before or after a command.
    Commands(CLI::App& app, const DeviceList& device) : app_(app), device_(device) {}

    template <class CommandOptions>
    CLI::App* add(const char* name, const char* help,
                  void (*addOptions)(CLI::App&, CommandOptions&), int (*run)(const CommandOptions&),
                  const CommandOptions& defaults = {}) {
        CLI::App* const command = app_.add_subcommand(name, help);
        const auto options = std::make_shared<CommandOptions>(defaults);
        addOptions(*command, *options);
        runs_.emplace_back(command, [this, run, options] {
            deviceOf(*options) = device_;
            if constexpr (!kShared<CommandOptions>) {
                if (!team().leads()) return 0;  // rank 0 alone does it
            }
            return run(*options);
        });
        return command;
    }

    /// Fails if one of the viewer's options, which would have no effect, stands before a command.
    Result<void> checkPlaces() const {
        if (app_.get_subcommands().empty()) return {};
        const std::set<std::string> everywhere{"--device", "--memory", "--config", "--trace"};
        for (const CLI::Option* option : app_.get_options()) {
            if (option->count() == 0 || everywhere.contains(option->get_name())) continue;
            return Failure{fmt::format("{} belongs after {}", option->get_name(),
                                       app_.get_subcommands().front()->get_name())};
        }
        return {};
    }

    /// Fails if an option stands beside two recorded runs, or two programs, where it would have no
    /// effect.
    Result<void> checkCompared() const {
        const CLI::App* const compare = app_.get_subcommand("compare");
        std::set<std::string> meant{"--json", "--html", "--memory", "--config", "--trace"};
        if (compare->get_option("second")->count() > 0) {
            meant.insert({"file", "second"});
            return onlyThese(meant, "two recorded runs");
        }
        if (compare->get_option("--program-a")->count() == 0) return {};
        meant.insert({"--program-a", "--program-b", "--bench", "--markdown", "--scene", "--backend",
                      "--set", "--depth", "--size", "--threads", "--time", "--fail-if",
                      "--device"});
        return onlyThese(meant, "two programs");
    }

    /// A refusal if the command's files do not go together or cannot be written.
    std::optional<Refusal> checkFiles() const {
        std::vector<NamedFile> inputs, outputs;
        const CLI::App* command =
            app_.get_subcommands().empty() ? &app_ : app_.get_subcommands().front();
        const auto add = [command](std::vector<NamedFile>& files, const std::string& name) {
            const CLI::Option* option = command->get_option_no_throw(name);
            if (option != nullptr && option->count() > 0)
                files.push_back({name, option->as<std::string>()});
        };
        for (const char* name : {"file", "second", "name", "--scene"}) add(inputs, name);
        std::erase_if(inputs, [](const NamedFile& input) {  // built in
            return input.path.find_first_of("./") == std::string::npos;
        });
        for (const char* name : {"--config", "--resume"}) add(inputs, name);
        if (command->get_name() != "sequence") add(outputs, "--out");  // there it is a pattern
        for (const char* name :
             {"--json", "--csv", "--html", "--markdown", "--trace", "--checkpoint"})
            add(outputs, name);
        return rayscope::checkFiles(inputs, outputs);
    }

    /// Runs the command that was given, or `otherwise` if there was none.
    int run(const std::function<int()>& otherwise) const {
        for (const auto& [command, run] : runs_) {
            if (*command) return run();
        }
        return otherwise();
    }

private:
    /// Fails if compare has another option than these.
    Result<void> onlyThese(const std::set<std::string>& meant, const char* beside) const {
        for (const CLI::App* command :
             {static_cast<const CLI::App*>(&app_),
              static_cast<const CLI::App*>(app_.get_subcommand("compare"))}) {
            for (const CLI::Option* option : command->get_options()) {
                if (option->count() == 0 || meant.contains(option->get_name())) continue;
                return Failure{
                    fmt::format("{} means nothing beside {}", option->get_name(), beside)};
            }
        }
        return {};
    }

    CLI::App& app_;
    const DeviceList& device_;
    std::vector<std::pair<CLI::App*, std::function<int()>>> runs_;
};

}  // namespace

const std::string& pageFile() {
    return pageFileOption();
}

int runCommandLine(int argc, char** argv) {
    CLI::App app(
        "Rayscope: an interactive path tracer and optimisation laboratory.\n"
        "Without a command it opens the viewer.",
        "rayscope");
    app.set_version_flag("--version", "rayscope " + versionText());
    app.require_subcommand(0, 1);
    app.option_defaults()->always_capture_default();
    Options view;
    bool noVsync = false;
    addOptions(app, view);
    app.add_flag("--no-vsync", noVsync, "Don't wait for the display");

    RenderOptions render;
    CompareOptions compare;
    // no frame rate to keep: longer passes are 1 % faster
    render.common.cpuSamples = compare.common.cpuSamples = 16;
    DeviceList device;
    addDeviceOption(app, device);
    Commands commands(app, device);
    commands.add("render", "Render without a window", addRenderOptions, runRender, render);
    commands.add("ladder", "Measure the rungs of a published ladder", addLadderOptions,
                 runLadderCommand);
    commands.add("compare", "Measure how much faster one setting is than another",
                 addCompareOptions, runCompare, compare);
    commands.add("switches", "Measure what each switch is worth", addSwitchesOptions, runSwitches);
    commands.add("sweep", "Measure settings on a line or a grid", addSweepOptions, runSweep);
    commands.add("autotune", "Look for the fastest settings that trace the same paths",
                 addAutotuneOptions, runAutotune);
    commands.add("bench", "Measure the fixed benchmark", addClimbOptions, runBench);
    commands.add("selfcheck", "Check whether numbers from this machine can be trusted",
                 addSelfcheckOptions, runSelfcheck);
    commands.add("divergence", "Show how many lanes of a warp are still tracing",
                 addDivergenceOptions, runDivergence);
    commands.add("counters", "Read hardware counters and name what limits the kernel",
                 addCountersOptions, runCounters);
    commands.add(
        "hot", "Show the lines of the sources that take most: instructions on a GPU, time on a CPU",
        addHotOptions, runHot);
    commands.add("code", "Show what kernels are made of: sources, PTX, machine code, instructions",
                 addCodeOptions, runCode);
    commands.add("lesson", "Learn to make kernels fast: exercises that are measured",
                 addLessonOptions, runLesson);
    commands.add(
        "sequence",
        "Render the path through a file's bookmarks, or a scene that moves, to numbered pictures",
        addSequenceOptions, runSequence);
    commands.add("simulate", "Move the bodies of a scene without a window, and measure that",
                 addSimulateOptions, runSimulate);
    commands.add("report", "Make a page of reports, and a table where they are of several machines",
                 addReportOptions, runReport);
    for (CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() != "report") addPageOption(*command);
    }
    commands.add("info", "Show devices, scenes and axes", addInfoOptions, runInfo);
    for (CLI::App* command : app.get_subcommands({})) addDeviceOption(*command, device);
    std::vector<CLI::App*> all = app.get_subcommands({});
    all.push_back(&app);
    TracingOptions tracing;
    for (CLI::App* command : all) {
        addTracingOptions(*command, tracing);
        addMemoryOption(*command);
    }
    for (CLI::App* command : all) {
        for (CLI::Option* option : command->get_options()) {
            if (option->get_default_str() == "[]") option->default_str("");  // an empty list
        }
    }

    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (!words.empty() && words.front() == "--complete") {  // for package/rayscope.bash and .zsh
        for (const std::string& word : candidatesFor(app, {words.begin() + 1, words.end()}))
            say("{}\n", word);
        return 0;
    }
    if (!words.empty()) {
        const std::string meant = nearestCommand(app, words.front());
        if (!meant.empty())
            return refuse(
                {2, fmt::format("there is no command {}: is {} meant?", words.front(), meant)});
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {  // --help or --version
            std::ostringstream text;
            const int code = app.exit(error, text, text);
            sayText(text.str());
            return code;
        }
        return refuse({2, fmt::format("{} (rayscope --help lists the options)", error.what())});
    }
    for (const Result<void>& check : {commands.checkPlaces(), commands.checkCompared()}) {
        if (!check) return refuse({2, check.reason()});
    }
    if (team().leads()) {
        if (const auto refusal = commands.checkFiles()) return refuse(*refusal);
    }
    view.device = device;
    if (!app.get_subcommands().empty()) madeBy = commandText(words);
    return rayscope::traced(tracing,
                            [&] { return commands.run([&] { return runView(view, !noVsync); }); });
}

}  // namespace rayscope
