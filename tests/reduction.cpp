// How long the ranks of mpirun take to add up their films, and what follows for more of them. Built
// and run by hand: ninja -C build reduction && mpirun -n 2 build/tests/reduction

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "renderer/base/elapsed.h"
#include "renderer/lab/measure.h"
#include "renderer/mpi/mpi_team.h"

namespace rayscope {
namespace {

struct Size {
    int width, height;
    double pixels() const { return 1. * width * height; }
};
constexpr std::array<Size, 6> kSizes{
    {{16, 9}, {64, 36}, {320, 180}, {640, 360}, {1280, 720}, {2560, 1440}}};
constexpr int kRounds = 11;

bool always() {
    return true;
}

/// What rank r puts in pixel i, so that a sum tells whether all of it is there once.
PixelSum pixelOf(int rank, std::size_t i) {
    return {static_cast<float>(1 << rank), static_cast<float>(i % 251), 0, 1};
}

bool isSum(const std::vector<PixelSum>& pixels, int ranks) {
    const auto all = static_cast<float>((1 << ranks) - 1), many = static_cast<float>(ranks);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        const PixelSum& p = pixels[i];
        if (p.samples != many || p.g != many * static_cast<float>(i % 251)) return false;
        if (ranks < 20 && p.r != all) return false;  // exact in a float
    }
    return true;
}

/// Milliseconds of one sum; all ranks begin together. Not a number if it is wrong.
double sumMs(Team& team, const std::vector<PixelSum>& pixels) {
    const auto sum = [&](const std::vector<PixelSum>& what) {
        team.beginSum(what);
        while (team.sum() == nullptr) {
        }
    };
    const std::vector<PixelSum> one(1, pixelOf(team.rank(), 0));
    // rank 0 has the first only when everybody has begun, and says so by a letter
    sum(one);
    if (team.leads()) team.sendAll({Word::sum, 0});
    while (!team.leads() && !team.receive()) {
    }
    const Clock::time_point start = Clock::now();
    sum(pixels);
    const double ms = millisecondsSince(start);
    if (team.leads() && !isSum(*team.sum(), team.size())) return NAN;
    return ms;
}

/// Microseconds from a letter to its answer.
double answerUs(Team& team) {
    constexpr int kLetters = 2000;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kLetters; ++i) {
        if (team.leads()) team.send(1, {Word::chunk, i, "1234 16"});
        if (team.rank() > 1) break;
        while (!team.receive()) {
        }
        if (!team.leads()) team.send(0, {Word::rendered, i, "1234 16 1000.0"});
    }
    return 1e3 * millisecondsSince(start) / kLetters;
}

/// For so many machines in a binomial tree: the last sum of a picture may not be hidden behind
/// work, and one every minute is counted as if it were not either.
void printModel(double latencyMs, double msPerPixel, double raysPerSecond, double raysPerSample) {
    constexpr double kShare = .01, kEverySeconds = 60;
    fmt::print("\n{:>6} {:>10} {:>16} {:>22}\n", "ranks", "size", "a sum", "1 % from samples/rank");
    for (const int ranks : {64, 256, 1024, 4096}) {
        for (const Size size : {Size{320, 180}, {1280, 720}, {3840, 2160}}) {
            const double seconds =
                1e-3 * std::ceil(std::log2(ranks)) * (latencyMs + msPerPixel * size.pixels());
            const double left = kShare - seconds / kEverySeconds;
            const double sample = size.pixels() * raysPerSample / raysPerSecond;
            fmt::print(
                "{:>6} {:>10} {:>13.1f} ms {:>22}\n", ranks,
                fmt::format("{}x{}", size.width, size.height), 1e3 * seconds,
                left > 0 ? fmt::format("{:.0f}", std::ceil(seconds / left / sample)) : "never");
        }
    }
}

int measure(Team& team, double raysPerSecond) {
    if (!team.muster(
            {}, [](std::vector<Member>&) {}, always))
        return 1;
    std::vector<double> medians;
    bool right = true;
    for (const Size size : kSizes) {
        std::vector<PixelSum> pixels(static_cast<std::size_t>(size.pixels()));
        for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = pixelOf(team.rank() % 20, i);
        std::vector<double> times;
        for (int i = 0; i < kRounds; ++i) times.push_back(sumMs(team, pixels));
        for (const double time : times) right = right && !std::isnan(time);
        const Spread ms = spreadOf(times);
        medians.push_back(ms.median);
        if (!team.leads()) continue;
        fmt::print("{:>4}x{:<4} {:>9.3f} ms [{:.3f}, {:.3f}]  {:.2f} GB/s\n", size.width,
                   size.height, ms.median, ms.lower, ms.upper,
                   1e-6 * size.pixels() * sizeof(PixelSum) / ms.median);
    }
    const double us = answerUs(team);
    if (!team.leads()) return 0;
    const double levels = std::ceil(std::log2(team.size()));
    const double latency = medians.front() / levels;
    const double perPixel = (medians.back() - medians.front()) / levels / kSizes.back().pixels();
    fmt::print(
        "a level: {:.1f} us + {:.2f} ns a pixel ({:.2f} GB/s); a letter and its answer: "
        "{:.1f} us\n",
        1e3 * latency, 1e6 * perPixel, 1e-6 * sizeof(PixelSum) / perPixel, us);
    printModel(latency, perPixel, raysPerSecond, 2.316);  // vt9
    if (!right) fmt::print("a sum is WRONG\n");
    return right ? 0 : 1;
}

}  // namespace
}  // namespace rayscope

int main(int argc, char** argv) {
    using namespace rayscope;
    const auto team = makeMpiTeam(argc > 2 ? std::atoi(argv[2]) : 0);
    if (team->size() < 2) {
        fmt::print("start it with mpirun -n 2 or more\n");
        return 2;
    }
    const int code = measure(*team, argc > 1 ? std::atof(argv[1]) : 1e8);
    return team->dismiss(
        code, "", [](const std::string&) {}, always);
}
