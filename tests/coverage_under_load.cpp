// Do intervals hold while other programs use the cores? Compares work of known ratios, done by the
// real threads, beside a process for each core that spins for 1.5 of every 2.5 seconds. Prints a
// line for each comparison; scripts/coverage.py runs it on all cores and adds up. The figures stand
// in docs/measuring.md.

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "renderer/base/say.h"
#include "renderer/base/thread_pool.h"
#include "renderer/lab/comparison.h"
#include "tests/made_up_renderer.h"

namespace rayscope {
namespace {

/// Of a sample of a pixel, about a microsecond; the other side has others.
constexpr int kSteps = 1000;
constexpr int kPieces = 256;  ///< of a pass
constexpr double kSpinsSeconds = 1.5, kRestsSeconds = 1;

void spin(std::uint64_t steps) {
    std::uint64_t x = steps;
    for (; steps > 0; --steps) x = x * 6364136223846793005u + 1442695040888963407u;
    static std::atomic<std::uint64_t> sink;
    sink.store(x, std::memory_order_relaxed);
}

/// As the CPU's renderer: pieces of the pass, taken by threads until the budget is spent.
class KnownSession : public Session {
public:
    KnownSession(Film& film, ThreadPool& pool, int steps)
        : Session(film), pool_(pool), steps_(steps) {}

    FrameStats advance(const Settings& settings, const Camera&, double budgetMs) override {
        beginPass(settings.samples);
        variant_ = settings.variant;
        const double pixels = 1. * film().width * film().height / kPieces;
        const int steps = variant_.path == Path::recursive ? steps_ : kSteps;
        const auto ofPiece = static_cast<std::uint64_t>(pixels * pass().samples * steps);
        const Clock::time_point start = Clock::now();
        std::atomic<int> next{pass().cursor}, done{0};
        const WorkTime time = pool_.run([&](int thread) {
            for (bool first = thread == 0; first || millisecondsSince(start) < budgetMs;
                 first = false) {
                if (next++ >= kPieces) return;
                spin(ofPiece);
                ++done;
            }
        });
        FrameStats stats;
        stats.kernelMs = stats.timedMs = time.wallMs;
        stats.processorMs = time.processorMs / pool_.size();
        stats.waitedMs = time.waitedMs / pool_.size();
        stats.rays.camera = static_cast<std::uint64_t>(done * pixels * pass().samples);
        stats.launches = 1;
        movePass(pass().cursor + done, kPieces);
        return stats;
    }
    FrameStats finish() override { return {}; }
    void releasePaths() override {}
    KernelInfo kernel() const override {
        KernelInfo info;
        info.variant = variant_;
        info.ready = true;
        return info;
    }

private:
    void clearPixels() override {}

    ThreadPool& pool_;
    int steps_;
    Variant variant_;
};

class KnownRenderer : public BareRenderer {
public:
    explicit KnownRenderer(int steps) : steps_(steps) {}
    DeviceInfo device() const override { return {"known work", ""}; }
    void setScene(const SharedScene&) override {}
    std::string unsupported(const Settings&) const override { return {}; }
    std::unique_ptr<Session> open(Film& film) override {
        return std::make_unique<KnownSession>(film, pool_, steps_);
    }
    FrameStats advance(const Settings&, const Camera&, MadeUpSession&, double) override {
        return {};
    }

private:
    ThreadPool pool_{coreCount()};
    int steps_;
};

/// Processes that use all cores now and then, as long as it lives.
class Load {
public:
    Load() {
        for (int i = 0; i < coreCount(); ++i) {
            const pid_t process = fork();
            if (process == 0) disturb();
            processes_.push_back(process);
        }
    }
    Load(const Load&) = delete;
    ~Load() {
        for (const pid_t process : processes_) {
            kill(process, SIGKILL);
            waitpid(process, nullptr, 0);
        }
    }

private:
    [[noreturn]] static void disturb() {
        while (getppid() != 1) {
            const Clock::time_point start = Clock::now();
            while (millisecondsSince(start) < 1e3 * kSpinsSeconds) spin(1000);
            std::this_thread::sleep_for(std::chrono::duration<double>(kRestsSeconds));
        }
        _exit(0);
    }

    std::vector<pid_t> processes_;
};

struct Options {
    int runs = 200;
    int first = 1;
    double seconds = 4;
    std::vector<double> ratios{.5, .87, 1.3};
    bool quiet = false;
};

/// A ratio and the renderer of both sides.
struct Known {
    explicit Known(double ratio)
        : steps(static_cast<int>(kSteps / ratio)), truth(1. * kSteps / steps), renderer(steps) {}

    int steps;
    double truth;
    KnownRenderer renderer;
};

CompareResult compare(Known& known, double seconds, int seed) {
    Settings a, b;
    a.backend = b.backend = Backend::cpu;
    a.variant.path = Path::loop;
    b.variant.path = Path::recursive;
    CompareWish wish;
    wish.width = 320;
    wish.height = 180;
    wish.seconds = seconds;
    wish.warmUpMs = 150 * seconds;
    wish.seed = static_cast<std::uint32_t>(seed);
    Comparison comparison({&known.renderer, a}, {&known.renderer, b}, wish);
    playToEnd(comparison);
    return comparison.result();
}

void measure(const Options& options) {
    std::vector<std::unique_ptr<Known>> all;
    for (const double ratio : options.ratios) all.push_back(std::make_unique<Known>(ratio));
    say("truth,seed,lower,value,upper,rounds,clock,speed,waited\n");
    for (int seed = options.first; seed < options.first + options.runs; ++seed) {
        for (const std::unique_ptr<Known>& known : all) {
            const CompareResult r = compare(*known, options.seconds, seed);
            say("{:.6f},{},{:.6f},{:.6f},{:.6f},{},{},{},{:.4f}\n", known->truth, seed,
                r.samples.lower, r.samples.value, r.samples.upper, r.rounds, nameOf(r.clock),
                nameOf(r.speed()), r.waited);
            flushSaid();  // it takes long, and may be cut off
        }
    }
}

}  // namespace
}  // namespace rayscope

int main(int count, char** words) {
    using namespace rayscope;
    Options options;
    CLI::App app("Coverage of a comparison's 95 % intervals beside load that comes and goes");
    app.add_option("--runs", options.runs, "Comparisons of each ratio");
    app.add_option("--first", options.first, "Seed of the first; the next ones count up");
    app.add_option("--time", options.seconds, "Seconds of each");
    app.add_option("--ratio", options.ratios, "B's samples a second over A's");
    app.add_flag("--quiet", options.quiet, "Without the load");
    CLI11_PARSE(app, count, words);
    std::optional<Load> load;
    if (!options.quiet) load.emplace();
    measure(options);
}
