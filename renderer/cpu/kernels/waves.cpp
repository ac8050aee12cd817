#include "renderer/core/digits.h"
#include "renderer/core/sort_keys.h"
#include "renderer/core/stage.h"
#include "renderer/core/stages.h"
#include "renderer/cpu/kernels/kernel.h"
#include "renderer/cpu/kernels/wave_memory.h"

// Engine::wavefront on one thread: stage after stage over its own paths.

namespace rayscope {

/// Sorts the first `count` of memory.list[0] by memory.keys[0], digit by digit from the lowest on.
template <int Passes>
void sortByKeys(const CpuWaveMemory& memory, int count) {
    for (int pass = 0; pass < Passes; ++pass) {
        const int from = pass % 2, to = 1 - from, shift = kDigitBits * pass;
        int place[1 << kDigitBits] = {};
        for (int i = 0; i < count; ++i) ++place[memory.keys[from][i] >> shift & 255];
        for (int digit = 0, sum = 0; digit < 1 << kDigitBits; ++digit) {
            const int own = place[digit];
            place[digit] = sum;
            sum += own;
        }
        for (int i = 0; i < count; ++i) {
            const unsigned key = memory.keys[from][i];
            const int at = place[key >> shift & 255]++;
            memory.keys[to][at] = key;
            memory.list[to][at] = memory.list[from][i];
        }
    }
    if constexpr (Passes % 2 == 1) {
        for (int i = 0; i < count; ++i) memory.list[0][i] = memory.list[1][i];
    }
}

/// A thread's paths.
template <Variant V>
class WaveTracer {
public:
    WaveTracer(const LaunchParams<Real<V>>& launch, const CpuWaveMemory& memory,
               CountsOf<V>& counts)
        : memory_(memory), wave_{launch, memory.paths, 0, 0, 0}, counts_(counts) {}

    /// Renders the launch's rectangle in waves of as many paths as fit into the memory.
    void render() {
        const LaunchParams<Real<V>>& launch = wave_.launch;
        const int pixels = (launch.x1 - launch.x0) * (launch.y1 - launch.y0);
        const int most = memory_.paths.capacity / launch.samples;
        for (int first = 0; first < pixels; first += most) {
            wave_.firstPixel = first;
            wave_.pixels = minimum(most, pixels - first);
            traceWave();
            for (int pixel = 0; pixel < wave_.pixels; ++pixel) accumulate<V>(wave_, pixel);
        }
    }

private:
    static constexpr bool kLists = V.compaction == Compaction::host;
    static constexpr bool kSorts = V.materialOrder == MaterialOrder::sorted;

    /// Traces all paths of a wave to their ends.
    void traceWave() {
        count_ = wave_.pixels * wave_.launch.samples;
        listed_ = false;
        if constexpr (V.raySource == RaySource::kernel) {
            for (int path = 0; path < count_; ++path) generate<V>(wave_, path, counts_);
        }
        wave_.depth = 0;
        traceDepth<true>();
        for (wave_.depth = 1; wave_.depth < wave_.launch.maxDepth && count_ > 0; ++wave_.depth) {
            if constexpr (V.rayOrder != RayOrder::none) sort<Stage::rayKeys>();
            traceDepth<false>();
        }
    }

    /// Fused, each path goes through both stages before the next, while its ray and hit are in the
    /// first-level cache.
    template <bool First>
    void traceDepth() {
        constexpr bool kFused =
            V.stages == Stages::fused || (First && V.stages == Stages::fusedPrimary);
        if constexpr (kFused) {
            constexpr bool kCamera = First && V.raySource == RaySource::fused;
            eachPath([&](int path) { return tracePath<V, kCamera>(wave_, path, true, counts_); });
        } else {
            for (int slot = 0; slot < count_; ++slot) extend<V>(wave_, pathIn(slot), true, counts_);
            if constexpr (kSorts) sort<Stage::materialKeys>();
            eachPath([&](int path) { return shadePath<V>(wave_, path, path, counts_); });
        }
    }

    int pathIn(int slot) const { return listed_ ? memory_.list[0][slot] : slot; }

    /// Calls goOn(path) for all paths, and lists those for which that is true.
    template <class GoOn>
    void eachPath(GoOn goOn) {
        int next = 0;
        for (int slot = 0; slot < count_; ++slot) {
            const int path = pathIn(slot);
            const bool alive = goOn(path);
            if constexpr (kLists) {
                if (alive) memory_.list[0][next++] = path;
            }
        }
        if constexpr (kLists) {
            count_ = next;
            listed_ = true;
        }
    }

    template <Stage S>
    void sort() {
        const SceneView<Real<V>, V> scene{wave_.launch.scene, wave_.launch.params};
        const PathStore<Real<V>, V> paths{wave_.memory};
        for (int slot = 0; slot < count_; ++slot) {
            const int path = pathIn(slot);
            unsigned key = kLastKey;
            if (goesOn<V>(wave_, path)) {
                if constexpr (S == Stage::rayKeys)
                    key = rayKey<V.rayOrder>(paths.ray(path, true), reachOf(scene));
                else
                    key = materialKey(scene, paths.hit(path));
            }
            memory_.keys[0][slot] = key;
            memory_.list[0][slot] = path;
        }
        constexpr int kPasses = S == Stage::rayKeys ? passesOf(kRayKeyBits) : 1;
        sortByKeys<kPasses>(memory_, count_);
        listed_ = true;
    }

    const CpuWaveMemory& memory_;
    Wave<Real<V>> wave_;
    CountsOf<V>& counts_;
    int count_ = 0;
    bool listed_ = false;
};

/// As render() of paths.cpp; `memory`: a CpuWaveMemory.
template <Variant V>
void render(const LaunchParams<Real<V>>& launch, const void* memory) {
    CountsOf<V> counts;
    WaveTracer<V>(launch, *static_cast<const CpuWaveMemory*>(memory), counts).render();
    addCounts<V>(counts, launch);
}

}  // namespace rayscope
