#include "renderer/cuda/wave_run.h"

namespace rayscope {

namespace {

bool has(const Variant& v, Stage stage) {
    const std::vector<Stage> stages = stagesOf(v);
    return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

template <class Real>
class WavefrontRun : public WaveRun<Real> {
public:
    using WaveRun<Real>::WaveRun;

private:
    using Run = WaveRun<Real>;
    using Run::band, Run::buffers, Run::hostMemory, Run::launcher, Run::live, Run::p, Run::v;
    using Run::compact, Run::paths, Run::pool, Run::synchronise;

    void makeRays() override {
        p.list = p.length = nullptr;
        if (v.compaction == Compaction::device) {
            check(cudaMemsetAsync(buffers.memory.lengths, 0, (kMaxDepth + 1) * sizeof(int)),
                  "clear the lengths of queues");
        }
        if (v.raySource == RaySource::host) makeRaysOnHost();
        if (v.raySource != RaySource::kernel) return;
        p.count = paths();
        launcher.launch(Stage::generate, p);
    }

    void trace() override {
        const WaveMemory& m = buffers.memory;
        const int depth = p.wave.depth;
        if (v.compaction == Compaction::off) p.list = nullptr;  // the last sort's
        p.next = m.lists[depth % 2];
        p.nextLength = m.lengths + depth + 1;
        launchStages();
        if (v.compaction == Compaction::host) compactOnHost();
        if (v.compaction == Compaction::device) {
            p.list = p.next;
            p.length = p.nextLength;
        }
    }

    void launchStages() {
        p.count = v.compaction == Compaction::host ? live : paths();
        const int mostBlocks =
            v.compaction == Compaction::device ? band.kernel.residentBlocks() : 0;
        if (p.wave.depth == 0 && has(v, Stage::primary)) {
            launcher.launch(Stage::primary, p, mostBlocks);
            return;
        }
        // camera rays are in the order of their pixels
        if (v.rayOrder != RayOrder::none && p.wave.depth > 0) sort(Stage::rayKeys, kRayPasses);
        if (v.stages == Stages::fused) {
            launcher.launch(Stage::trace, p, mostBlocks);
            return;
        }
        launcher.launch(Stage::extend, p, mostBlocks);
        if (v.materialOrder != MaterialOrder::none) sort(Stage::materialKeys, kMaterialPasses);
        launcher.launch(Stage::shade, p, mostBlocks);
    }

    /// Sorts the live paths by the keys that a stage gives them.
    void sort(Stage keys, int passes) {
        constexpr int kMostBlocks = 1024;  // enough to fill any device; they stride
        p.sorted = buffers.memory.sorted;
        const size_t tiles = size_t{kSortThreads} * passes * tilesOf(p.count);
        check(cudaMemsetAsync(p.sorted.facts, 0, sizeof(SortFacts) + tiles * sizeof(unsigned)),
              "prepare to sort paths");
        launcher.launch(keys, p, kMostBlocks);
        for (p.pass = 0; p.pass < passes; ++p.pass) launcher.launch(Stage::sort, p);
        p.list = p.sorted.paths[passes % 2];
    }

    /// RaySource::host: makes camera rays and the random states after them.
    void makeRaysOnHost() {
        PathBytes bytes{};
        bytes.ray = pathBytes(v).ray;
        bytes.random = pathBytes(v).random;
        const int capacity = buffers.memory.capacity();
        buffers.rays.reserve(hostMemory, blockBytes(bytes, capacity));
        Wave<Real> host = p.wave;
        host.memory = layOut(bytes, capacity, buffers.rays.data());
        const auto generate = band.kernel.host()->template function<GenerateStage<Real>>(
            Stage::generate);
        pool().runRange(paths(), [&](int, int begin, int end) { generate(host, begin, end); });
        const CopyZone copy(buffers.timer, "copy rays to device");
        copyRays(v, p.wave.memory, host.memory, paths());
        copyRow(p.wave.memory.random, host.memory.random, paths(), cudaMemcpyHostToDevice);
    }

    /// Compaction::host: copies the flags of the paths just traced to the host, and the indices of
    /// those that go on to the device.
    void compactOnHost() {
        const int capacity = buffers.memory.capacity();
        buffers.alive.reserve(hostMemory, capacity);
        buffers.list.reserve(hostMemory, capacity * sizeof(int));
        unsigned char* const alive = buffers.alive.data();
        int* const list = reinterpret_cast<int*>(buffers.list.data());
        {
            const CopyZone copy(buffers.timer, "copy flags to host");
            copyRow(alive, p.wave.memory.alive, live, cudaMemcpyDeviceToHost);
        }
        synchronise();
        compact(alive, list, [](int, int) {});
        int* const onDevice = buffers.memory.lists[0];
        const CopyZone copy(buffers.timer, "copy list to device");
        copyRow(onDevice, list, live, cudaMemcpyHostToDevice);
        p.list = onDevice;
    }

    PathMemory samplesOnHost() override {
        PathBytes bytes{};
        bytes.sample = pathBytes(v).sample;
        const int capacity = buffers.memory.capacity();
        buffers.paths.reserve(hostMemory, blockBytes(bytes, capacity));
        const PathMemory host = layOut(bytes, capacity, buffers.paths.data());
        {
            const CopyZone copy(buffers.timer, "copy samples to host");
            copySamples(v, host, p.wave.memory, paths());
        }
        synchronise();
        return host;
    }

    void count(LaunchRecord& record) const override {
        if (v.raySource == RaySource::host)
            record.hostCameraRays = 1ull * band.rows * band.film.width * band.pass.samples;
    }
};

}  // namespace

std::unique_ptr<CudaEngine> makeWavefrontEngine() {
    return std::make_unique<WaveEngine<WavefrontRun>>();
}

}  // namespace rayscope
