#include "renderer/cuda/hybrid_engine.h"

#include <cstring>

#include "renderer/base/elapsed.h"
#include "renderer/cpu/host_stages.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/plane_copy.h"
#include "renderer/cuda/stage_launcher.h"

namespace rayscope {

namespace {

/// Counters of one thread, on cache lines of their own.
struct alignas(128) Counters {
    unsigned long long values[kCounters] = {};
};

}  // namespace

std::string HybridEngine::prepare(const Variant& v, const Film& film) {
    const long long paths = 1ll * film.width * film.height * film.passSamples;
    if (memory_.prepare(v, paths) && memory_.capacity() >= film.passSamples) return {};
    return "engine=hybrid: the device has no memory left for rays; close what else uses it or "
           "choose "
           "engine=megakernel";
}

void HybridEngine::release() {
    memory_.release();
    for (HostBuffer* b : {&rays_, &hits_, &from_, &sums_, &state_}) b->release();
    freeMemory(list_);
    freeMemory(alive_);
}

ThreadPool& HybridEngine::pool(int threads) {
    if (!pool_ || threads != threads_) pool_ = std::make_unique<ThreadPool>(threads);
    threads_ = threads;
    return *pool_;
}

/// One band on its way through the depths.
template <class Real>
struct HybridEngine::Run {
    HybridEngine& engine;
    const Variant& v;
    ThreadPool& pool;
    StageLauncher launcher;
    StageParams<Real> p;  ///< the device's
    Wave<Real> host;
    std::vector<Counters> counters;
    int live;  ///< slots with a ray

    int paths() const { return host.pixels * host.launch.samples; }

    void reserve(HostMemory kind) {
        const int capacity = engine.memory_.capacity();
        PathBytes bytes = pathBytes(v);
        engine.rays_.reserve(kind, static_cast<size_t>(bytes.ray) * capacity);
        engine.hits_.reserve(kind, static_cast<size_t>(bytes.hit) * capacity);
        engine.from_.reserve(kind, sizeof(int) * capacity);
        engine.sums_.reserve(kind, sizeof(Pixel) * capacity);
        bytes.ray = bytes.hit = bytes.from = 0;
        bytes.sampled = 1;  // the host's stages decide by the number of lights
        engine.state_.reserve(HostMemory::pageable, blockBytes(bytes, capacity));
        host.memory = layOut(bytes, capacity, engine.state_.data());
        host.memory.rays = engine.rays_.data();
        host.memory.hits = engine.hits_.data();
        host.memory.from = reinterpret_cast<int*>(engine.from_.data());
        engine.list_.resize(capacity);
        engine.alive_.resize(capacity);
    }

    void wave() {
        live = paths();
        const auto generate =
            hostStages(Real()).generate[static_cast<int>(HostLayout::hybrid)]
                                       [static_cast<int>(v.record)][static_cast<int>(v.sampling)];
        host.depth = 0;
        pool.runRange(live, [&](int, int begin, int end) { generate(host, begin, end); });
        bool packed = false;
        for (int depth = 0; depth < host.launch.maxDepth && live > 0; ++depth) {
            host.depth = p.wave.depth = depth;
            findHits();
            shade(packed ? engine.list_.data() : nullptr);
            if (v.compaction == Compaction::host) {
                pack(!packed);
                packed = true;
            }
        }
        addToFilm();
    }

    void findHits() {
        const PathBytes bytes = pathBytes(v);
        const PathMemory& device = p.wave.memory;
        {
            const CopyZone copy(engine.timer_, "copy rays to device");
            copyRays(v, device, host.memory, live);
            if (bytes.from > 0)
                copyRow(device.from, host.memory.from, live, cudaMemcpyHostToDevice);
        }
        p.count = live;
        launcher.launch(Stage::extend, p);
        {
            const CopyZone copy(engine.timer_, "copy hits to host");
            copyRow(host.memory.hits, device.hits, live * bytes.hit, cudaMemcpyDeviceToHost);
        }
        check(cudaStreamSynchronize(nullptr), "run a kernel");
    }

    void shade(const int* list) {
        const bool walls = (v.traits.features & kWalls) != 0;
        const auto shade =
            hostStages(Real())
                .shade[walls][static_cast<int>(v.record)][static_cast<int>(v.sampling)];
        pool.runRange(live, [&](int worker, int begin, int end) {
            Wave<Real> mine = host;
            mine.launch.counters = counters[worker].values;
            shade(mine, begin, end, list, engine.alive_.data());
        });
    }

    /// Moves the rays that go on together, so that only they are sent. `first`: no list is there.
    void pack(bool first) {
        const int bytes = pathBytes(v).ray;
        unsigned char* const rays = host.memory.rays;
        int* const from = host.memory.from;
        int next = 0;
        for (int slot = 0; slot < live; ++slot) {
            if (!engine.alive_[slot]) continue;
            if (next != slot) {
                std::memcpy(rays + static_cast<size_t>(next) * bytes,
                            rays + static_cast<size_t>(slot) * bytes, bytes);
                from[next] = from[slot];
            }
            engine.list_[next++] = first ? slot : engine.list_[slot];
        }
        live = next;
    }

    void addToFilm() {
        Pixel* const sums = reinterpret_cast<Pixel*>(engine.sums_.data());
        const auto sum = hostStages(Real()).sum[static_cast<int>(SampleLayout::aos)];
        pool.runRange(host.pixels, [&](int, int begin, int end) {
            sum(host.memory, begin, end, host.launch.samples, sums);
        });
        {
            const CopyZone copy(engine.timer_, "copy sums to device");
            copyRow(engine.memory_.sums, sums, host.pixels, cudaMemcpyHostToDevice);
        }
        p.sums = engine.memory_.sums;
        p.count = host.pixels;
        launcher.launch(Stage::addSums, p);
        check(cudaStreamSynchronize(nullptr), "run a kernel");
    }
};

template <class Real>
cudaError_t HybridEngine::launchAs(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                                   LaunchRing& ring, LaunchRecord& record) {
    const Variant& v = kernel.variant();
    const Clock::time_point start = Clock::now();
    ThreadPool& threads = pool(band.settings.threads);
    Run<Real> run{*this,
                  v,
                  threads,
                  StageLauncher(kernel, &timer_),
                  {},
                  {},
                  std::vector<Counters>(threads.size()),
                  0};
    run.p.wave.launch = bandParams<Real>(kernel, scene, band);
    run.host.launch = run.p.wave.launch;
    run.host.launch.scene = scene.packed(v.precision, SceneLayout::soa, Accel::brute).data();
    run.p.wave.launch.counters = ring.begin();
    run.p.wave.memory = memory_.paths;
    run.reserve(band.settings.hostMemory);
    const int pixels = band.rows * band.film.width;
    const int most = pixelsOfWave(band.film.passSamples);
    for (int first = 0; first < pixels; first += most) {
        run.host.firstPixel = run.p.wave.firstPixel = first;
        run.host.pixels = run.p.wave.pixels = std::min(most, pixels - first);
        run.wave();
    }
    record.hostCameraRays = 1ull * pixels * band.film.passSamples;
    for (const Counters& c : run.counters) record.hostShadowRays += c.values[2];
    record.kernelMs = timer_.take();
    record.wallMs = millisecondsSince(start);
    return run.launcher.error();
}

cudaError_t HybridEngine::launch(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                                 LaunchRing& ring, LaunchRecord& record) {
    return kernel.variant().precision == Precision::float64
               ? launchAs<double>(kernel, scene, band, ring, record)
               : launchAs<float>(kernel, scene, band, ring, record);
}

}  // namespace rayscope
