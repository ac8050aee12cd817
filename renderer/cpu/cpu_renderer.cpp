#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "renderer/backend/path_memory.h"
#include "renderer/backend/renderer.h"
#include "renderer/base/elapsed.h"
#include "renderer/base/free_memory.h"
#include "renderer/base/thread_pool.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/cpu/builds.h"
#include "renderer/cpu/path_lengths.h"
#include "renderer/scene/bvh.h"

namespace rayscope {

namespace {

/// A piece of work: large enough that fetching it costs nothing.
struct Piece {
    int width, height;
};
constexpr int kPiecePixels = 256;
constexpr Piece kRow{kPiecePixels, 1};
constexpr Piece kColumn{1, kPiecePixels};
constexpr Piece kTile{16, kPiecePixels / 16};

constexpr Piece pieceOf(Order order) {
    return order == Order::rows ? kRow : order == Order::columns ? kColumn : kTile;
}

/// A ray that meets each of as many takes so long that fetching every pixel costs nothing.
constexpr size_t kManySpheres = 4096;

/// Paths of a wave: those of the largest pass fit for a few pixels at least, and all that a wave
/// keeps stays in the second-level cache.
constexpr int kPathsOfWave = 4096;

/// The paths of one thread.
class WaveBlock {
public:
    void reserve(const PathBytes& bytes) {
        bytes_.resize(blockBytes(bytes, kPathsOfWave));
        list_.resize(kPathsOfWave);
    }
    CpuWaveMemory memory(const PathBytes& bytes, bool list, bool fused) {
        return {layOut(bytes, kPathsOfWave, bytes_.data()), list ? list_.data() : nullptr, fused};
    }

private:
    std::vector<unsigned char> bytes_;
    std::vector<int> list_;
};

/// Counters of one thread, on cache lines of their own.
struct alignas(128) Counters {
    unsigned long long values[kCounters] = {};
};

std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

Rays sum(const std::vector<Counters>& counters) {
    Rays rays;
    for (const Counters& c : counters) {
        rays.camera += c.values[0];
        rays.bounce += c.values[1] - c.values[0];
        rays.shadow += c.values[2];
        for (int d = 0; d < kMaxDepth; ++d) rays.depth[d] += c.values[3 + d];
    }
    return rays;
}

/// The smallest of kCpuFeatures that covers the scene. Walls change the layout, so they must match.
int featureSet(unsigned features) {
    if (features & kWalls) return 2;
    return (features & ~kCpuFeatures[0]) == 0 ? 0 : 1;
}

class CpuRenderer : public Renderer {
public:
    DeviceInfo device() const override {
        const int threads = pool_ ? pool_->size() : coreCount();
        return {fmt::format("{}, {} thread{}", processor_, threads, threads == 1 ? "" : "s"),
                cpuBuild(Opt::native).flags};
    }

    void setScene(const Scene& scene) override {
        scene_ = scene;
        traits_ = traitsOf(scene);
        bvh_.change();
        packed_.clear();
        speeds_ = {};
    }

    void adjustSphere(int number, const Sphere& sphere) override {
        scene_.spheres[number] = sphere;
        const Traits before = std::exchange(traits_, traitsOf(scene_));
        if (bvh_.move(number) || !(traits_ == before))
            packed_.clear();
        else if (!packed_.empty())
            packedSize_ == sizeof(float)
                ? packSphere<float>(packed_, scene_, packedLayout_, traits_, number)
                : packSphere<double>(packed_, scene_, packedLayout_, traits_, number);
    }

    void giveHierarchy(const Bvh& built) override { bvh_.give(built); }

    std::string unsupported(const Settings& settings) const override {
        if (settings.backend != Backend::cpu) return "backend=cuda: this is the cpu backend";
        const Variant& v = settings.variant;
        const bool plain = v.engine == Engine::megakernel && v.path == Path::loop &&
                           v.sceneLayout == SceneLayout::soa && v.random != Random::shared;
        if (!v.countRays && !plain)
            return "on the CPU all rays are counted but with path=loop and scene_layout=soa";
        return rayscope::unsupported(settings, scene_);
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
    void releasePaths() override { freeMemory(waveMemory_); }

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
        return cpuPathLengths(settings, scene_, camera, width, height, samples, *pool_, stop);
    }

    PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width, int height,
                          int samples, const std::stop_token& stop) override {
        usePool(settings.threads);
        return cpuPixelTimes(settings, scene_, camera, width, height, samples, *pool_, stop);
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

    int coresAtWork() const { return std::min(pool_->size(), coreCount()); }

    /// Of a film that is watched no more than fit the budget where every thread does one piece, and
    /// one where it is not known what they take.
    int samplesOfPass(const Film& film, double budgetMs) const {
        const int wanted = settings_.samples;
        if (!film.watched || !passesMayBeCut(settings_.variant)) return wanted;
        const double ms =
            kPiecePixels * speeds_.front().msPerPixelSample * pool_->size() / coresAtWork();
        return ms > 0 ? howManyFit(wanted, ms, budgetMs) : 1;
    }

    /// Threads that work on the pass: all, but of a watched film no more than can do a piece each
    /// within the budget, where there are more of them than cores. What the pieces of another
    /// camera took says little before the first pass.
    int workersOf(const Film& film, double budgetMs) const {
        if (!film.watched) return pool_->size();
        const double msOfCore = kPiecePixels * speeds_.front().msPerPixelSample;
        if (film.samples == 0 || msOfCore == 0) return coresAtWork();
        const double ms = msOfCore * film.passSamples / coresAtWork();
        return std::max(coresAtWork(), howManyFit(pool_->size(), ms, budgetMs));
    }

    /// How much of a pass threads take at a time: whole pieces, but some pixels or one where a
    /// piece would not fit the budget, or its speed is not known (0). 50 000 spheres without a
    /// hierarchy can take seconds for a piece, where the sky before it took 0.1 s.
    int pixelsAtATime(const Film& film, double msPerPixel, double budgetMs) const {
        if (!passesMayBeCut(settings_.variant)) return kPiecePixels;
        const bool brute = settings_.variant.accel == Accel::brute;
        if (film.watched && brute && scene_.spheres.size() > kManySpheres) return 1;
        return msPerPixel > 0 ? howManyFit(kPiecePixels, msPerPixel, budgetMs) : 1;
    }

    /// Brings to the front what is known of such settings.
    void takeSpeed(Settings settings) {
        settings.samples = settings.launches = 0;
        if (speeds_[0].settings == settings) return;
        std::swap(speeds_[0], speeds_[1]);
        if (!(speeds_[0].settings == settings)) speeds_[0] = {settings, 0};
    }

    template <class Real>
    FrameStats pass(const Camera& camera, Film& film, double budgetMs) {
        LaunchParams<Real> launch = launchParams<Real>(settings_, scene_, camera, film);
        if (settings_.variant.engine == Engine::wavefront) return waves(launch, film, budgetMs);
        if (wavesUse_.isLongAgo()) releasePaths();
        const CpuVariant variant{settings_.variant.path, settings_.variant.sceneLayout,
                                 featureSet(traits_.features),
                                 settings_.variant.random == Random::shared};
        launch.scene = packed<Real>(variant.layout, settings_.variant.accel);
        const CpuKernel<Real> kernel = chooseKernel<Real>(variant);
        return runPieces(launch, film, budgetMs,
                         [kernel](const LaunchParams<Real>& piece, int) { kernel(piece); });
    }

    template <class Real>
    CpuKernel<Real> chooseKernel(const CpuVariant& v) const {
        const CpuKernels<Real>& table = kernels<Real>();
        if (settings_.variant.engine == Engine::regeneration)
            return table.turns[index(CpuTurnVariant{v.layout, v.features})];
        return settings_.variant.countRays ? table.kernels[index(v)] : table.uncounted[v.features];
    }

    /// Engine::wavefront: a pass in which every thread has memory for a wave of its own.
    template <class Real>
    FrameStats waves(LaunchParams<Real> launch, Film& film, double budgetMs) {
        const Variant& v = settings_.variant;
        const CpuWaveVariant variant{v.stateLayout, v.sceneLayout, featureSet(traits_.features)};
        launch.scene = packed<Real>(variant.scene, v.accel);
        wavesUse_.isNow();
        waveMemory_.resize(std::max<size_t>(waveMemory_.size(), pool_->size()));
        const PathBytes bytes = pathBytes(cpuWave(variant, v.precision));
        for (WaveBlock& block : waveMemory_) block.reserve(bytes);
        const CpuWaveKernel<Real> kernel = kernels<Real>().waves[index(variant)];
        const bool list = v.compaction == Compaction::host;
        const bool fused = v.stages == Stages::fused;
        return runPieces(launch, film, budgetMs, [&](const LaunchParams<Real>& piece, int worker) {
            kernel(piece, waveMemory_[worker].memory(bytes, list, fused));
        });
    }

    template <class Real>
    const CpuKernels<Real>& kernels() const {
        const CpuBuild build = cpuBuild(settings_.opt);
        if constexpr (sizeof(Real) == 4)
            return build.float32;
        else
            return build.float64;
    }

    /// Hands out portions of the film until the pass ends or another one would not fit the budget;
    /// one is done at least, so that the slowest variant gets on. Where there are more threads than
    /// cores, some come too late. The film's cursor counts pixels, piece by piece.
    template <class Real, class Render>
    FrameStats runPieces(const LaunchParams<Real>& launch, Film& film, double budgetMs,
                         Render render) {
        const Zone zone("launch");
        const Piece piece = pieceOf(settings_.variant.order);
        const int columns = (film.width + piece.width - 1) / piece.width;
        const int end = columns * ((film.height + piece.height - 1) / piece.height) * kPiecePixels;
        const double known = speeds_.front().msPerPixelSample * film.passSamples;
        const Clock::time_point start = Clock::now();
        const int begin = film.cursor, workers = workersOf(film, budgetMs);
        std::atomic<int> next{begin};
        std::vector<Counters> counters(pool_->size());
        pool_->run([&](int worker) {
            if (worker >= workers) return;
            LaunchParams<Real> mine = launch;
            mine.counters = counters[worker].values;
            const auto renderRect = [&](int x, int y, int width, int height) {
                mine.x0 = x;
                mine.y0 = y;
                mine.x1 = std::min(x + width, film.width);
                mine.y1 = std::min(y + height, film.height);
                if (mine.x0 < mine.x1 && mine.y0 < mine.y1) render(mine, worker);
            };
            int portion = pixelsAtATime(film, known, budgetMs);
            double nextMs = 0;
            for (bool first = worker == 0; first || millisecondsSince(start) + nextMs < budgetMs;
                 first = false) {
                const Clock::time_point began = Clock::now();
                const auto [at, count] = take(next, portion, end);
                if (count == 0) return;
                const int i = at / kPiecePixels;
                const int left = i % columns * piece.width, top = i / columns * piece.height;
                if (count == kPiecePixels) {
                    renderRect(left, top, piece.width, piece.height);
                } else {
                    for (int p = at % kPiecePixels; p < at % kPiecePixels + count; ++p)
                        renderRect(left + p % piece.width, top + p / piece.width, 1, 1);
                }
                const double msPerPixel = millisecondsSince(began) / count;
                portion = pixelsAtATime(film, msPerPixel, budgetMs);
                nextMs = portion * msPerPixel;
            }
        });
        FrameStats stats;
        stats.kernelMs = stats.timedMs = millisecondsSince(start);
        stats.rays = sum(counters);
        stats.timedRays = stats.rays.total();
        stats.launches = 1;
        film.cursor = next;
        if (const int done = film.cursor - begin; done > 0) {
            const double coreMs = stats.kernelMs * std::min(coresAtWork(), done);
            const double inFilm = 1. * film.width * film.height / end;  // of a piece's pixels
            speeds_.front().msPerPixelSample = coreMs / (done * inFilm) / film.passSamples;
        }
        if (film.cursor == end) endPass(film);
        return stats;
    }

    struct Range {
        int begin, count;
    };

    /// The next pixels, at most so many and of one piece; none at the end.
    static Range take(std::atomic<int>& next, int most, int end) {
        int at = next;
        while (at < end) {
            const int count = std::min(most, kPiecePixels - at % kPiecePixels);
            if (next.compare_exchange_weak(at, at + count)) return {at, count};
        }
        return {end, 0};
    }

    template <class Real>
    const unsigned char* packed(SceneLayout layout, Accel accel) {
        if (packed_.empty() || packedLayout_ != layout || packedAccel_ != accel ||
            packedSize_ != sizeof(Real)) {
            packed_ = packScene<Real>(scene_, layout, accel, &bvh_);
            packedLayout_ = layout;
            packedAccel_ = accel;
            packedSize_ = sizeof(Real);
        }
        return packed_.data();
    }

    std::string processor_ = processorName();
    Scene scene_;
    Traits traits_;
    Settings settings_;
    std::unique_ptr<ThreadPool> pool_;
    int threads_ = 0;
    std::array<Speed, 2> speeds_;  ///< that in use first; two pictures may take turns
    std::vector<WaveBlock> waveMemory_;
    LastUse wavesUse_;
    EditedBvh bvh_;
    PackedScene packed_;
    SceneLayout packedLayout_{};
    Accel packedAccel_{};
    size_t packedSize_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> makeCpuRenderer() {
    return std::make_unique<CpuRenderer>();
}

}  // namespace rayscope
