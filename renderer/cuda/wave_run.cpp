#include "renderer/cuda/wave_run.h"

#include "renderer/cuda/check.h"

namespace rayscope {

ThreadPool& WaveBuffers::pool(int threads) {
    if (!pool_ || threads != threads_) pool_ = std::make_unique<ThreadPool>(threads);
    threads_ = threads;
    return *pool_;
}

void WaveBuffers::release() {
    memory.release();
    for (HostBuffer* b : {&rays, &hits, &from, &paths, &sums, &list, &alive}) b->release();
}

template <class Real>
WaveRun<Real>::WaveRun(WaveBuffers& buffers, const Band& band)
    : buffers(buffers),
      band(band),
      v(band.variant()),
      hostMemory(band.settings.hostMemory),
      launcher(band.kernel, hostWorks(v) ? &buffers.timer : nullptr) {
    p.wave.launch = bandParams<Real>(band);
}

template <class Real>
cudaError_t WaveRun<Real>::render(LaunchRing& ring, LaunchRecord& record) {
    p.wave.launch.counters = ring.begin();
    p.wave.memory = buffers.memory.paths;
    const int pixels = band.rows * band.film.width;
    const int most = buffers.pixelsOfWave(band.pass.samples);
    for (int first = 0; first < pixels; first += most) {
        p.wave.firstPixel = first;
        p.wave.pixels = std::min(most, pixels - first);
        wave();
    }
    if (hostWorks(v)) {
        count(record);
        record.kernelMs = buffers.timer.take();
    }
    return launcher.error();
}

template <class Real>
void WaveRun<Real>::wave() {
    live = paths();
    listed = false;
    p.wave.depth = 0;
    makeRays();
    for (int depth = 0; depth < p.wave.launch.maxDepth && live > 0; ++depth) {
        p.wave.depth = depth;
        trace();
    }
    addToFilm();
}

template <class Real>
void WaveRun<Real>::addToFilm() {
    p.count = p.wave.pixels;
    if (sumsOnHost(v)) sumOnHost();
    launcher.launch(sumsOnHost(v) ? Stage::addSums : Stage::accumulate, p);
    if (hostWorks(v)) synchronise();  // the next wave uses the same buffers
}

template <class Real>
void WaveRun<Real>::sumOnHost() {
    buffers.sums.reserve(hostMemory, buffers.memory.capacity() * sizeof(Pixel));
    const PathMemory samples = samplesOnHost();
    Pixel* const sums = reinterpret_cast<Pixel*>(buffers.sums.data());
    const auto sum = band.kernel.host()->template function<SumStage>(Stage::addSums);
    pool().runRange(p.wave.pixels, [&](int, int begin, int end) {
        sum(samples, begin, end, p.wave.launch.samples, sums);
    });
    const CopyZone copy(buffers.timer, "copy sums to device");
    copyRow(buffers.memory.sums, sums, p.wave.pixels, cudaMemcpyHostToDevice);
    p.sums = buffers.memory.sums;
}

template class WaveRun<float>;
template class WaveRun<double>;

}  // namespace rayscope
