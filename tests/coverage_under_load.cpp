// Do intervals hold while other programs use the cores? Compares work of known ratios, done by the
// real threads, beside a process for each core that spins for 1.5 of every 2.5 seconds. To be run
// by hand: docs/measuring.md has the figures.

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
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
        stats.kernelMs = stats.timedMs = millisecondsSince(start);
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
    ThreadPool pool_{static_cast<int>(std::thread::hardware_concurrency())};
    int steps_;
};

/// Processes that use all cores now and then, as long as it lives.
class Load {
public:
    Load() {
        for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
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
    double seconds = 2;
    std::vector<double> ratios{.5, .87, 1.3};
    bool quiet = false;
};

void measure(double ratio, const Options& options) {
    const int steps = static_cast<int>(kSteps / ratio);
    const double truth = 1. * kSteps / steps;
    KnownRenderer renderer(steps);
    Settings a, b;
    a.backend = b.backend = Backend::cpu;
    a.variant.path = Path::loop;
    b.variant.path = Path::recursive;
    int contained = 0, cannotTell = 0, byProcessor = 0;
    std::vector<double> halfWidths, estimates, rounds;
    for (int run = 0; run < options.runs; ++run) {
        CompareWish wish;
        wish.width = 320;
        wish.height = 180;
        wish.seconds = options.seconds;
        wish.warmUpMs = 150 * options.seconds;
        wish.seed = run + 1;
        Comparison comparison({&renderer, a}, {&renderer, b}, wish);
        playToEnd(comparison);
        const CompareResult result = comparison.result();
        contained += result.samples.contains(truth);
        cannotTell += result.speed() == Speed::cannotTell;
        byProcessor += result.clock == PassClock::processor;
        halfWidths.push_back(result.samples.halfWidth() / result.samples.value);
        estimates.push_back(result.samples.value / truth);
        rounds.push_back(result.rounds);
    }
    const auto [lowest, highest] = std::ranges::minmax(estimates);
    const Spread estimate = spreadOf(estimates);
    say("ratio {:.3f}: {} of {} intervals contain it ({:.1f} %), half of them within {:.2f} %; "
        "estimates off by {:+.2f} to {:+.2f} %, half of them {:+.2f} to {:+.2f} %; {} by processor "
        "time, {} cannot tell; {:.0f} rounds\n",
        truth, contained, options.runs, 100. * contained / options.runs,
        100 * spreadOf(halfWidths).median, 100 * (lowest - 1), 100 * (highest - 1),
        100 * (estimate.lower - 1), 100 * (estimate.upper - 1), byProcessor, cannotTell,
        spreadOf(rounds).median);
    std::fflush(stdout);  // it takes long
}

}  // namespace
}  // namespace rayscope

int main(int count, char** words) {
    using namespace rayscope;
    Options options;
    CLI::App app("Coverage of a comparison's 95 % intervals beside load that comes and goes");
    app.add_option("--runs", options.runs, "Comparisons of each ratio");
    app.add_option("--time", options.seconds, "Seconds of each");
    app.add_option("--ratio", options.ratios, "B's samples a second over A's");
    app.add_flag("--quiet", options.quiet, "Without the load");
    CLI11_PARSE(app, count, words);
    std::optional<Load> load;
    if (!options.quiet) load.emplace();
    for (const double ratio : options.ratios) measure(ratio, options);
}
