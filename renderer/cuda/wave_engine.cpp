#include "renderer/cuda/wave_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/elapsed.h"
#include "renderer/cpu/host_stages.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/plane_copy.h"
#include "renderer/cuda/stage_launcher.h"

namespace rayscope {

namespace {

bool has(const Variant& v, Stage stage) {
    const std::vector<Stage> stages = stagesOf(v);
    return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

}  // namespace

std::string WaveEngine::prepare(const Variant& v, const Film& film) {
    const long long paths = 1ll * film.width * film.height * film.passSamples;
    if (memory_.prepare(v, paths) && memory_.capacity() >= film.passSamples) return {};
    return fmt::format(
        "engine=wavefront: the device has no memory left for paths; close what else uses it or "
        "choose engine=megakernel");
}

void WaveEngine::release() {
    memory_.release();
    for (HostBuffer* b : {&rays_, &samples_, &sums_, &list_, &alive_}) b->release();
}

ThreadPool& WaveEngine::pool() {
    if (!pool_) pool_ = std::make_unique<ThreadPool>(0);
    return *pool_;
}

/// One band on its way through the stages.
template <class Real>
struct WaveEngine::Run {
    WaveEngine& engine;
    const Variant& v;
    HostMemory hostMemory;
    int waveBlocks;
    StageLauncher launcher;
    StageParams<Real> p;
    int live;  ///< paths of the wave that go on, where the host knows

    int paths() const { return p.wave.pixels * p.wave.launch.samples; }

    void wave() {
        const WaveMemory& m = engine.memory_;
        p.wave.memory = m.paths;
        p.wave.depth = 0;
        p.list = p.length = nullptr;
        live = paths();
        if (v.compaction == Compaction::device) {
            check(cudaMemsetAsync(m.lengths, 0, (kMaxDepth + 1) * sizeof(int)),
                  "clear the lengths of queues");
        }
        makeRays();
        for (int depth = 0; depth < p.wave.launch.maxDepth && live > 0; ++depth) {
            p.wave.depth = depth;
            p.next = m.lists[depth % 2];
            p.nextLength = m.lengths + depth + 1;
            traceRays();
            if (v.compaction == Compaction::host) compactOnHost();
            if (v.compaction == Compaction::device) {
                p.list = p.next;
                p.length = p.nextLength;
            }
        }
        addToFilm();
    }

    void makeRays() {
        if (v.raySource == RaySource::host) makeRaysOnHost();
        if (v.raySource != RaySource::kernel) return;
        p.count = paths();
        launcher.launch(Stage::generate, p);
    }

    /// Finds the hits of all rays and goes on from there.
    void traceRays() {
        p.count = v.compaction == Compaction::host ? live : paths();
        const int mostBlocks = v.compaction == Compaction::device ? waveBlocks : 0;
        if (p.wave.depth == 0 && has(v, Stage::primary)) {
            launcher.launch(Stage::primary, p, mostBlocks);
        } else if (v.stages == Stages::fused) {
            launcher.launch(Stage::trace, p, mostBlocks);
        } else {
            launcher.launch(Stage::extend, p, mostBlocks);
            launcher.launch(Stage::shade, p, mostBlocks);
        }
    }

    /// RaySource::host: camera rays and the random states behind them.
    void makeRaysOnHost() {
        PathBytes bytes{};
        bytes.ray = pathBytes(v).ray;
        bytes.random = pathBytes(v).random;
        const int capacity = engine.memory_.capacity();
        engine.rays_.reserve(hostMemory, blockBytes(bytes, capacity));
        Wave<Real> host = p.wave;
        host.memory = layOut(bytes, capacity, engine.rays_.data());
        const int layout = static_cast<int>(
            v.stateLayout == StateLayout::aos ? HostLayout::waveAos : HostLayout::waveSoa);
        const auto generate =
            hostStages(Real())
                .generate[layout][static_cast<int>(v.record)][static_cast<int>(v.sampling)];
        engine.pool().runRange(paths(),
                               [&](int, int begin, int end) { generate(host, begin, end); });
        const CopyZone copy(engine.timer_, "copy rays to device");
        copyRays(v, p.wave.memory, host.memory, paths());
        copyRow(p.wave.memory.random, host.memory.random, paths(), cudaMemcpyHostToDevice);
    }

    /// Compaction::host: the flags of the paths just traced come back, the indices of those that go
    /// on are sent.
    void compactOnHost() {
        const int traced = live;
        engine.alive_.reserve(hostMemory, engine.memory_.capacity());
        engine.list_.reserve(hostMemory, engine.memory_.capacity() * sizeof(int));
        const unsigned char* const alive = engine.alive_.data();
        int* const list = reinterpret_cast<int*>(engine.list_.data());
        {
            const CopyZone copy(engine.timer_, "copy flags to host");
            copyRow(engine.alive_.data(), p.wave.memory.alive, traced, cudaMemcpyDeviceToHost);
        }
        check(cudaStreamSynchronize(nullptr), "run a kernel");
        const bool first = p.list == nullptr;
        live = 0;
        for (int slot = 0; slot < traced; ++slot) {
            if (alive[slot]) list[live++] = first ? slot : list[slot];
        }
        int* const onDevice = engine.memory_.lists[0];
        const CopyZone copy(engine.timer_, "copy list to device");
        copyRow(onDevice, list, live, cudaMemcpyHostToDevice);
        p.list = onDevice;
    }

    void addToFilm() {
        p.count = p.wave.pixels;
        if (v.accumulate != Accumulate::device) sumOnHost();
        launcher.launch(v.accumulate == Accumulate::device ? Stage::accumulate : Stage::addSums, p);
        // the buffers of this wave serve the next
        if (hostWorks(v)) check(cudaStreamSynchronize(nullptr), "run a kernel");
    }

    void sumOnHost() {
        PathBytes bytes{};
        bytes.sample = pathBytes(v).sample;
        const int capacity = engine.memory_.capacity();
        engine.samples_.reserve(hostMemory, blockBytes(bytes, capacity));
        engine.sums_.reserve(hostMemory, capacity * sizeof(Pixel));
        const PathMemory host = layOut(bytes, capacity, engine.samples_.data());
        Pixel* const sums = reinterpret_cast<Pixel*>(engine.sums_.data());
        {
            const CopyZone copy(engine.timer_, "copy samples to host");
            copySamples(v, host, p.wave.memory, paths());
        }
        check(cudaStreamSynchronize(nullptr), "run a kernel");
        const auto sum = hostStages(Real()).sum[static_cast<int>(v.sampleLayout)];
        engine.pool().runRange(p.wave.pixels, [&](int, int begin, int end) {
            sum(host, begin, end, p.wave.launch.samples, sums);
        });
        const CopyZone copy(engine.timer_, "copy sums to device");
        copyRow(engine.memory_.sums, sums, p.wave.pixels, cudaMemcpyHostToDevice);
        p.sums = engine.memory_.sums;
    }
};

template <class Real>
cudaError_t WaveEngine::launchAs(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                                 LaunchRing& ring, LaunchRecord& record) {
    const Variant& v = kernel.variant();
    const bool host = hostWorks(v);
    const Clock::time_point start = Clock::now();
    Run<Real> run{*this,
                  v,
                  band.settings.hostMemory,
                  kernel.waveBlocks(),
                  StageLauncher(kernel, host ? &timer_ : nullptr),
                  {},
                  0};
    run.p.wave.launch = bandParams<Real>(kernel, scene, band);
    run.p.wave.launch.counters = ring.begin();
    const int pixels = band.rows * band.film.width;
    const int most = pixelsOfWave(band.film.passSamples);
    for (int first = 0; first < pixels; first += most) {
        run.p.wave.firstPixel = first;
        run.p.wave.pixels = std::min(most, pixels - first);
        run.wave();
    }
    if (host) {
        if (v.raySource == RaySource::host) {
            record.hostCameraRays = 1ull * pixels * band.film.passSamples;
        }
        record.kernelMs = timer_.take();
        record.wallMs = millisecondsSince(start);
    }
    return run.launcher.error();
}

cudaError_t WaveEngine::launch(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                               LaunchRing& ring, LaunchRecord& record) {
    return kernel.variant().precision == Precision::float64
               ? launchAs<double>(kernel, scene, band, ring, record)
               : launchAs<float>(kernel, scene, band, ring, record);
}

}  // namespace rayscope
