#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/backend/kernel_code.h"
#include "renderer/backend/renderer.h"
#include "renderer/choices/state.h"
#include "renderer/lab/job.h"
#include "renderer/profile/hot_lines.h"
#include "renderer/profile/idle_lanes.h"

// Where the time of a kernel goes, line by line.

namespace rayscope {

struct CountedInstructions;

/// What the kernels of settings executed in one pass over a picture.
struct HotWork {
    Settings settings;
    DeviceInfo device;
    int width = 0, height = 0;
    int samples = 0;          ///< a pixel, of the pass
    Rays rays;                ///< of the pass that was counted
    double kernelMs = 0;      ///< of such a pass, not counted
    double collectMs = 0;     ///< that counting took
    std::string noCounts;     ///< why nothing is known of instructions; the rest is then empty
    std::string model;        ///< why the counts are those of a model; empty: they are counted
    KernelCode code;          ///< the machine code, which is that which is timed
    bool linesChange = true;  ///< whether it differs from that without line information
    std::vector<KernelSource> files;   ///< kernelFiles()
    LineTable lines;                   ///< of the code
    std::vector<KernelCounts> counts;  ///< of a CPU: samples instead (countsOf()),
    HostSamples seen;                  ///< which are these
    StallSamples stalls;               ///< of some passes more
    std::string noStalls;              ///< why nothing could be sampled
    HotLines hot;                      ///< of these
    IdleLanes idle;                    ///< and where their lanes are lost
    double lanes = 0;                  ///< without counts: the part at work as lanesOf() models it

    /// Of a CPU: what is told of its instructions are samples, and HotLines::all is their number.
    bool host() const { return code.host(); }

    /// Fills in what follows from that, and from the samples.
    void take(CountedInstructions counted);
};

/// everything: what can be counted and sampled, or a model of the former where nobody may count.
enum class HotPart { everything, counts, stalls, model };

/// What is to be counted.
struct HotWish {
    State state;  ///< scene, camera and settings
    int width = 0, height = 0;
    int gpu = 0;                             ///< CUDA's number
    std::string program = "/proc/self/exe";  ///< this one, of which other processes are started
    std::string kernel = {};                 ///< the only one, by its name; empty: all
    HotPart only = HotPart::everything;      ///< of one kernel counts alone
};

class Trial;

/// A few passes of settings.samples, a launch each, whose kernels are timed.
std::unique_ptr<Trial> passTrial(Renderer& renderer, const HotWish& wish);

/// A job that plays a few passes of settings.samples and then counts the instructions of one more;
/// of several kernels, in as many processes, and in another samples what warps wait for. The
/// renderer has the scene; nothing else may use the device meanwhile. Where nobody may count, twins
/// of the kernels count their blocks for a model. Complete without either where that fails, too;
/// then a model of the paths tells how many lanes are at work. Of a CPU nothing is counted: passes
/// of some seconds are played while it is sampled where its threads are.
class HotJob : public SteppedJob {
public:
    HotJob(Renderer& renderer, HotWish wish);
    ~HotJob() override;

    double share() const override;
    /// Complete when step() has returned true without a problem.
    const HotWork& result() const { return work_; }

private:
    Steps run() override;
    void sample();
    Result<CountedInstructions> model(const CodeWish& wish, const std::string& reason);

    Renderer& renderer_;
    const HotWish wish_;
    std::unique_ptr<Trial> trial_;
    HotWork work_;
};

/// A line of two programs, and what it does in either: instructions of warps a ray, over those of
/// all of A; of a CPU time a ray, over that of A.
struct LineChange {
    HotLine line;  ///< of B where it has it, else of A
    double a = 0, b = 0;
};
/// The lines of both, those that gained or lost most first. Both have been counted, or modelled.
std::vector<LineChange> changesOf(const HotWork& a, const HotWork& b);

/// "renderer/core/path.h:136", and the text of that line without the space around it.
std::string placeText(const HotLine& line);
std::string sourceText(const HotLine& line, const std::vector<KernelSource>& files);

/// That the counts are a model's, how it is made and why.
std::string modelText(const HotWork& work);

/// Where lanes are lost, a line a place; the smallest are left out.
std::string idleTable(const IdleLanes& idle);
nlohmann::json toJson(const IdleLanes& idle);

/// The hottest lines, the parts, where lanes are lost, and the kernels if there are several, as
/// tables.
std::string tableOf(const State& state, const HotWork& work);
nlohmann::json reportOf(const State& state, const HotWork& work);

/// What a report says was counted, of the program that is compiled here from its state; fails where
/// that is another program by the digests of its kernels, or the text is no such report.
struct HotReport {
    State state;
    HotWork work;
};
Result<HotReport> readHotReport(const std::string& text);

/// By `rayscope hot` in a process of its own, since CUPTI 13.0 counts instructions one by one only
/// once in a process, and those of one kernel; takes some seconds on any thread. `goOn` as in
/// run_program.h.
Result<HotWork> countElsewhere(const HotWish& wish, const std::function<bool()>& goOn = {});
/// The same for samples of these kernels, as CUPTI 13.0 counts wrongly after it has sampled.
Result<StallSamples> sampleElsewhere(const HotWish& wish, const KernelCode& code,
                                     const std::function<bool()>& goOn = {});

}  // namespace rayscope
