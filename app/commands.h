#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/climb.h"
#include "app/options.h"
#include "app/study.h"
#include "renderer/base/result.h"

// The commands. Each returns the exit code: 0 done; 1 failed: a file, a device, a measurement, or
// it was interrupted; 2 wrong usage: options that are misspelt, out of range or at odds with each
// other, the scene or the backend; 3 what --fail-if and --at-least ask about, or a lesson that is
// not solved. Problems are one sentence on stderr.

namespace rayscope {

struct LessonWish;

/// Parses the command line and runs the command that it names.
int runCommandLine(int argc, char** argv);

struct RenderOptions {
    Options common;
    std::string out;   ///< .png, .exr or .pfm
    std::string json;  ///< "-" is stdout
    KeepOptions keep{};
};

int runRender(const RenderOptions& options);

struct LadderOptions {
    std::string name;  ///< of a ladder, or a file
    ClimbOptions climb;
    std::vector<std::string> kernels;  ///< DIR or NAME=DIR of each
    std::string study;  ///< "steps", "add-one", "leave-one-out": pairs in place of rungs
    bool list = false;
    KeepOptions keep{};
};

/// Measures the rungs of a ladder one after the other.
int runLadderCommand(const LadderOptions& options);

struct CompareOptions {
    Options common;
    std::string second;              ///< a recorded run, to be compared with that of common.file
    std::string programA, programB;  ///< two builds, in place of settings
    std::string bench;               ///< what they render: a benchmark's file, or "default"
    std::string markdown;            ///< a comment on them; "-" is stdout
    std::vector<std::string> a, b;   ///< assignments of one side, on top of the common ones
    std::string clock = "kernel";    ///< or "loop"
    double seconds = 10;
    bool onlySpeed = false;           ///< do not compare the work
    std::vector<std::string> failIf;  ///< "slower", "different": then the exit code is 3
    double atLeast = 0;               ///< likewise unless B is so many times as fast; 0: whatever
    std::string json;                 ///< "-" is stdout
};

/// Exit code: what --fail-if or --at-least asks about.
inline constexpr int kNotAsAsked = 3;
/// Whether --fail-if names it.
bool failsIf(const CompareOptions& options, std::string_view what);

/// Measures how much faster B is than A.
int runCompare(const CompareOptions& options);

/// Measures what each switch is worth for the settings asked for.
int runSwitches(const StudyOptions& options);

struct SweepOptions {
    StudyOptions study;
    std::string x, y;   ///< as in renderer/lab/studies.h; y may be empty
    bool work = false;  ///< whether the work is compared, too
};

/// Measures the settings on a line or a grid.
int runSweep(const SweepOptions& options);

struct AutotuneOptions {
    Options common;
    int candidates = 24;
    double seconds = .1;  ///< per candidate in the first round
    double climb = 45;    ///< as AutotuneWish has it
    std::string json;     ///< "-" is stdout
    KeepOptions keep{};
};

/// Looks for the fastest settings that trace the same paths.
int runAutotune(const AutotuneOptions& options);

/// Measures whether the program B is slower than A.
int runComparePrograms(const CompareOptions& options);

/// Compares two recorded runs and lists what else differed; `json` as above.
int runCompareFiles(const std::string& first, const std::string& second, const std::string& json);

/// Measures the fixed benchmark and prints the line to be shared.
int runBench(const ClimbOptions& options);

struct SelfcheckOptions {
    std::string backend = "auto";
    std::string size;
    int comparisons = 100;
    double seconds = .5;  ///< of each comparison
    std::string json;     ///< "-" is stdout
    DeviceList device;
};

/// Checks whether this machine's numbers can be trusted; the exit code is 1 if a check fails.
int runSelfcheck(const SelfcheckOptions& options);

struct DivergenceOptions {
    Options common;
    std::string json;  ///< "-" is stdout
    std::string map;   ///< "rays", "time": what a map of the pixels' cost shows; empty: no map
    std::string out;   ///< the map's file, .png
};

/// Prints the divergence of warps, what rays hit, and each engine's share of active lanes.
int runDivergence(const DivergenceOptions& options);

struct CountersOptions {
    Options common;
    std::vector<std::string> b;  ///< axes of a second side; empty: one side
    std::string json;            ///< "-" is stdout
    std::string csv;             ///< "-" is stdout
};

/// Reads the hardware counters of one setting or two, and names what limits the kernel.
int runCounters(const CountersOptions& options);

struct HotOptions {
    Options common;
    std::string kernel;  ///< the only one to count; empty: all
    std::string only;    ///< "counts", "stalls", "model"; empty: what can be had
    std::string json;    ///< "-" is stdout
};

/// Counts each instruction of a kernel and prints the lines of the sources that execute most.
int runHot(const HotOptions& options);

struct LessonOptions {
    std::string name;    ///< a name or number
    std::string check;   ///< a folder that is to be checked
    std::string lesson;  ///< that it is checked as; empty: what the folder says
    std::string to;      ///< where the kernels are copied to
    bool list = false, copyOnly = false;
    bool why = false;  ///< look for what moved, too
    double seconds = 10;
    std::string json;  ///< "-" is stdout
    Options common;    ///< of the window its size, and the GPU
};

/// Names the lessons, opens one in the window, or checks whether somebody has solved one.
int runLesson(const LessonOptions& options);

struct SequenceOptions {
    Options common;
    /// Frames are rayscope-path-0001.png and so on; of .mp4 and .webm a movie is made.
    std::string out = "rayscope-path.png";
    int fps = 30;  ///< of a movie
    int frames = 120;
    KeepOptions keep{};
};

/// Renders the path through the bookmarks of a state to numbered pictures.
int runSequence(const SequenceOptions& options);

struct SimulateOptions {
    Options common;
    int steps = 1000;
    bool noEnergy = false;  ///< sum neither energy nor momentum
    std::string json;       ///< "-" is stdout
};

/// Moves the bodies of a scene without showing them, and measures that.
int runSimulate(const SimulateOptions& options);

struct CodeOptions {
    Options common;
    std::vector<std::string> diff;  ///< assignments of B, on top of the common settings
    std::string architecture;       ///< "sm_90"; empty: the device's
    std::string kernel;             ///< of a program of several; empty: all
    bool source = false, ptx = false, sass = false;  ///< which text to print, at most one
    std::string json;                                ///< "-" is stdout
    std::string copyTo;                              ///< a folder for the kernel sources
};

/// Shows the sources, PTX or machine code of kernels, or how those of two settings differ. Needs no
/// GPU.
int runCode(const CodeOptions& options);

/// Most reports in one page.
inline constexpr std::size_t kMaxPageReports = 64;

struct ReportOptions {
    std::vector<std::string> files;  ///< reports and screenshots
    DeviceList device;
};

/// Makes a page of reports, for --html.
int runReport(const ReportOptions& options);

struct InfoOptions {
    std::string json;  ///< "-" is stdout
    DeviceList device;
};

/// Prints devices, scenes and axes, as text or JSON.
int runInfo(const InfoOptions& options);

/// Opens the window.
int runView(const Options& options, bool vsync);

/// Opens the window on a lesson, of which the sources of the wish have their folders; `window`: the
/// GPU and the size.
int runView(LessonWish wish, const Options& window);

/// Writes to a file, to standard output if `path` is "-", and nothing if it is empty.
Result<void> writeText(const std::string& path, const std::string& text);

/// Likewise; replaces what is not UTF-8.
Result<void> writeJson(const std::string& path, const nlohmann::json& json);

/// Likewise, at the end of a command; returns the exit code.
int finishJson(const std::string& path, const nlohmann::json& json);

/// The file of --html, "-" for standard output; empty: none was asked for.
const std::string& pageFile();

/// Writes a page of the report there, with the picture in that file if it is a PNG.
Result<void> writePage(const nlohmann::json& report, const std::string& picture = {});

/// Prints the sentence on stderr and returns its exit code.
int refuse(const Refusal& refusal);

}  // namespace rayscope
