#include <cstring>

#include "renderer/cpu/thread_counters.h"
#include "renderer/cuda/wave_run.h"

namespace rayscope {

namespace {

template <class Real>
class HybridRun : public WaveRun<Real> {
public:
    HybridRun(WaveBuffers& buffers, const Band& band)
        : Run(buffers, band),
          scene_(band.scene.packed({v.precision, SceneLayout::soa, Accel::brute}).data()),
          counters_(pool().size()) {
        reserve();
    }

private:
    using Run = WaveRun<Real>;
    using Run::band, Run::buffers, Run::hostMemory, Run::launcher, Run::listed, Run::live, Run::p,
        Run::v;
    using Run::compact, Run::pool, Run::synchronise;

    void reserve() {
        const int capacity = buffers.memory.capacity();
        PathBytes bytes = pathBytes(v);
        buffers.rays.reserve(hostMemory, static_cast<size_t>(bytes.ray) * capacity);
        buffers.hits.reserve(hostMemory, static_cast<size_t>(bytes.hit) * capacity);
        buffers.from.reserve(hostMemory, sizeof(int) * capacity);
        bytes.ray = bytes.hit = bytes.from = 0;
        // these stay on the host
        buffers.paths.reserve(HostMemory::pageable, blockBytes(bytes, capacity));
        buffers.list.reserve(HostMemory::pageable, sizeof(int) * capacity);
        buffers.alive.reserve(HostMemory::pageable, capacity);
        memory_ = layOut(bytes, capacity, buffers.paths.data());
        memory_.rays = buffers.rays.data();
        memory_.hits = buffers.hits.data();
        memory_.from = reinterpret_cast<int*>(buffers.from.data());
    }

    int* list() { return reinterpret_cast<int*>(buffers.list.data()); }

    /// The wave as the CPU sees it.
    Wave<Real> onHost() const {
        Wave<Real> wave = p.wave;
        wave.memory = memory_;
        wave.launch.scene = scene_;
        return wave;
    }

    void makeRays() override {
        const auto generate = band.kernel.host()->template function<GenerateStage<Real>>(
            Stage::generate);
        const Wave<Real> wave = onHost();
        pool().runRange(live, [&](int, int begin, int end) { generate(wave, begin, end); });
    }

    void trace() override {
        findHits();
        shade();
        if (v.compaction == Compaction::host) pack();
    }

    void findHits() {
        const PathBytes bytes = pathBytes(v);
        const PathMemory& device = p.wave.memory;
        {
            const CopyZone copy(buffers.timer, "copy rays to device");
            copyRays(v, device, memory_, live);
            if (bytes.from > 0) copyRow(device.from, memory_.from, live, cudaMemcpyHostToDevice);
        }
        p.count = live;
        launcher.launch(Stage::extend, p);
        {
            const CopyZone copy(buffers.timer, "copy hits to host");
            copyRow(memory_.hits, device.hits, live * bytes.hit, cudaMemcpyDeviceToHost);
        }
        synchronise();
    }

    void shade() {
        const auto shade =
            band.kernel.host()->template function<ShadeStage<Real>>(Stage::shade);
        const Wave<Real> wave = onHost();
        pool().runRange(live, [&](int worker, int begin, int end) {
            Wave<Real> mine = wave;
            mine.launch.counters = counters_[worker].values;
            shade(mine, begin, end, listed ? list() : nullptr, buffers.alive.data());
        });
    }

    /// Moves live rays to the front, so that only they are copied to the device.
    void pack() {
        const size_t bytes = pathBytes(v).ray;
        compact(buffers.alive.data(), list(), [&](int to, int from) {
            if (to == from) return;
            std::memcpy(memory_.rays + to * bytes, memory_.rays + from * bytes, bytes);
            memory_.from[to] = memory_.from[from];
        });
    }

    PathMemory samplesOnHost() override { return memory_; }

    void count(LaunchRecord& record) const override {
        record.hostCameraRays = 1ull * band.rows * band.film.width * band.pass.samples;
        for (const ThreadCounters& c : counters_) record.hostShadowRays += c.values[2];
    }

    const unsigned char* scene_;
    std::vector<ThreadCounters> counters_;  ///< by thread
    PathMemory memory_{};                   ///< on the host
};

}  // namespace

std::unique_ptr<CudaEngine> makeHybridEngine() {
    return std::make_unique<WaveEngine<HybridRun>>();
}

}  // namespace rayscope
