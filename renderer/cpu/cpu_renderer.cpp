#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <utility>

#include "renderer/backend/renderer.h"
#include "renderer/base/elapsed.h"
#include "renderer/base/thread_pool.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/cpu/builds.h"
#include "renderer/cpu/cpu_engines.h"
#include "renderer/cpu/path_lengths.h"
#include "renderer/cpu/pieces.h"
#include "renderer/cpu/thread_counters.h"

namespace rayscope {

namespace {

/// A ray that meets each of as many takes so long that fetching every pixel costs nothing.
constexpr size_t kManySpheres = 4096;

std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

Rays sum(const std::vector<ThreadCounters>& counters) {
    Rays rays;
    for (const ThreadCounters& c : counters) {
        rays.camera += c.values[0];
        rays.bounce += c.values[1] - c.values[0];
        rays.shadow += c.values[2];
        for (int d = 0; d < kMaxDepth; ++d) rays.depth[d] += c.values[3 + d];
    }
    return rays;
}

class CpuRenderer : public Renderer {
public:
    DeviceInfo device() const override {
        const int threads = pool_ ? pool_->size() : coreCount();
        return {fmt::format("{}, {} thread{}", processor_, threads, threads == 1 ? "" : "s"),
                cpuBuild(Opt::native).flags};
    }

    void setScene(const Scene& scene) override {
        scene_.set(scene);
        speeds_ = {};
    }
    void adjustSphere(int number, const Sphere& sphere) override { scene_.adjust(number, sphere); }
    void giveHierarchy(const Bvh& built) override { scene_.giveHierarchy(built); }

    std::string unsupported(const Settings& settings) const override {
        if (settings.backend != Backend::cpu) return "backend=cuda: this is the cpu backend";
        const Variant& v = settings.variant;
        const bool plain = v.engine == Engine::megakernel && v.path == Path::loop &&
                           v.sceneLayout == SceneLayout::soa && v.random != Random::shared;
        if (!v.countRays && !plain)
            return "on the CPU all rays are counted but with path=loop and scene_layout=soa";
        return rayscope::unsupported(settings, scene_.scene());
    }

    void clear(Film& film) override {
        std::fill_n(film.pixels, static_cast<size_t>(film.width) * film.height, Pixel{});
        film.samples = film.skipped = film.passSamples = film.cursor = 0;
    }

    FrameStats advance(const Settings& settings, const Camera& camera, Film& film,
                       double budgetMs) override {
        usePool(settings.threads);
        settings_ = settings;
        takeSpeed(settings);
        const Clock::time_point start = Clock::now();
        FrameStats stats;
        for (int i = 0; i < settings.launches && !film.done(); ++i) {
            const double left = budgetMs - millisecondsSince(start);
            if (i > 0 && left <= 0) break;
            beginPass(samplesOfPass(film, budgetMs), film);
            stats += settings.variant.precision == Precision::float32
                         ? pass<float>(camera, film, left)
                         : pass<double>(camera, film, left);
        }
        return stats;
    }

    FrameStats finish() override { return {}; }
    void releasePaths() override { engines_.release(); }

    KernelInfo kernel() const override {
        KernelInfo info;
        info.variant = settings_.variant;
        info.name = cpuBuild(settings_.opt).flags;
        info.ready = true;
        return info;
    }

    PathLengths pathLengths(const Settings& settings, const Camera& camera, int width, int height,
                            int samples, const std::stop_token& stop) override {
        usePool(settings.threads);
        return cpuPathLengths(settings, scene_.scene(), camera, width, height, samples, *pool_,
                              stop);
    }

    PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width, int height,
                          int samples, const std::stop_token& stop) override {
        usePool(settings.threads);
        return cpuPixelTimes(settings, scene_.scene(), camera, width, height, samples, *pool_,
                             stop);
    }

private:
    struct Speed {
        Settings settings;
        double msPerPixelSample = 0;  ///< of a core; 0: unknown
    };

    void usePool(int threads) {
        if (pool_ && threads == threads_) return;
        pool_.reset();  // two at once would be more threads than were asked for
        pool_ = std::make_unique<ThreadPool>(threads);
        threads_ = threads;
    }

    /// Brings to the front what is known of such settings.
    void takeSpeed(Settings settings) {
        settings.samples = settings.launches = 0;
        if (speeds_[0].settings == settings) return;
        std::swap(speeds_[0], speeds_[1]);
        if (!(speeds_[0].settings == settings)) speeds_[0] = {settings, 0};
    }
    double msPerPixelSample() const { return speeds_.front().msPerPixelSample; }

    int coresAtWork() const { return std::min(pool_->size(), coreCount()); }

    /// Samples a pixel of the next pass: those asked for. Of a watched film it is as many as let
    /// every thread finish one piece within the budget, and one while the speed is unknown.
    int samplesOfPass(const Film& film, double budgetMs) const {
        if (!film.watched || !passesMayBeCut(settings_.variant)) return settings_.samples;
        const double ms = kPiecePixels * msPerPixelSample() * pool_->size() / coresAtWork();
        return ms > 0 ? howManyFit(settings_.samples, ms, budgetMs) : 1;
    }

    /// Threads that work on the pass: all of them. Where there are more threads than cores, a
    /// watched film gets only as many as finish a piece each within the budget. Until the first
    /// pass is done it gets one a core: the speed is that of the view before.
    int threadsFor(const Film& film, double budgetMs) const {
        if (!film.watched) return pool_->size();
        if (film.samples == 0 || msPerPixelSample() == 0) return coresAtWork();
        const double ms = kPiecePixels * msPerPixelSample() * film.passSamples / coresAtWork();
        return std::max(coresAtWork(), howManyFit(pool_->size(), ms, budgetMs));
    }

    /// Pixels that a thread takes at a time: a piece, or as many as fit the budget where a piece
    /// does not; one while the speed is unknown (0). Of a watched film of many spheres without a
    /// hierarchy always one: after a piece of sky in 0.1 s the next can take seconds.
    int pixelsAtATime(const Film& film, double msPerPixel, double budgetMs) const {
        if (!passesMayBeCut(settings_.variant)) return kPiecePixels;
        const bool brute = settings_.variant.accel == Accel::brute;
        if (film.watched && brute && scene_.scene().spheres.size() > kManySpheres) return 1;
        return msPerPixel > 0 ? howManyFit(kPiecePixels, msPerPixel, budgetMs) : 1;
    }

    /// Renders pieces until the pass ends or the next would not fit the budget; one at least, so
    /// that the slowest variant gets on. film.cursor is a pixel's number in Pieces.
    template <class Real>
    FrameStats pass(const Camera& camera, Film& film, double budgetMs) {
        LaunchParams<Real> launch = launchParams<Real>(settings_, scene_.scene(), camera, film);
        const RenderRectangle<Real> render =
            engines_.prepare(settings_, scene_, pool_->size(), launch);
        const Zone zone("launch");
        const Pieces pieces(settings_.variant.order, film.width, film.height);
        const Clock::time_point start = Clock::now();
        const int begin = film.cursor, threads = threadsFor(film, budgetMs);
        std::atomic<int> next{begin};
        std::vector<ThreadCounters> counters(pool_->size());
        pool_->run([&](int thread) {
            if (thread >= threads) return;
            LaunchParams<Real> mine = launch;
            mine.counters = counters[thread].values;
            const auto renderRectangle = [&](int x0, int y0, int x1, int y1) {
                mine.x0 = x0;
                mine.y0 = y0;
                mine.x1 = x1;
                mine.y1 = y1;
                render(mine, thread);
            };
            int most = pixelsAtATime(film, msPerPixelSample() * film.passSamples, budgetMs);
            double nextMs = 0;
            for (bool first = thread == 0; first || millisecondsSince(start) + nextMs < budgetMs;
                 first = false) {
                const Clock::time_point began = Clock::now();
                const Pieces::Range pixels = pieces.take(next, most);
                if (pixels.count == 0) return;
                pieces.eachRectangle(pixels, renderRectangle);
                const double msPerPixel = millisecondsSince(began) / pixels.count;
                most = pixelsAtATime(film, msPerPixel, budgetMs);
                nextMs = most * msPerPixel;
            }
        });
        FrameStats stats;
        stats.kernelMs = stats.timedMs = millisecondsSince(start);
        stats.rays = sum(counters);
        stats.timedRays = stats.rays.total();
        stats.launches = 1;
        film.cursor = next;
        learnSpeed(stats.kernelMs, film, film.cursor - begin, pieces.end());
        if (film.cursor == pieces.end()) endPass(film);
        return stats;
    }

    /// From `done` of so many pixels of pieces, some of which lie outside of the film.
    void learnSpeed(double ms, const Film& film, int done, int all) {
        if (done == 0) return;
        const double coreMs = ms * std::min(coresAtWork(), done);
        const double inFilm = 1. * film.width * film.height / all;
        speeds_.front().msPerPixelSample = coreMs / (done * inFilm) / film.passSamples;
    }

    std::string processor_ = processorName();
    HostScene scene_;
    Settings settings_;
    std::unique_ptr<ThreadPool> pool_;
    int threads_ = 0;
    std::array<Speed, 2> speeds_;  ///< that in use first; two pictures may take turns
    CpuEngines engines_;
};

}  // namespace

std::unique_ptr<Renderer> makeCpuRenderer() {
    return std::make_unique<CpuRenderer>();
}

}  // namespace rayscope
