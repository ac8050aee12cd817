#include <algorithm>

#include "renderer/core/footprint.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/engine.h"
#include "renderer/cuda/path_buffers.h"

namespace rayscope {

namespace {

/// One thread per pixel, or per sample of a pixel; or a warp per piece of the film, or as many
/// warps as the device holds, which take pieces from a queue.
class PixelEngine : public CudaEngine {
public:
    Result<void> prepare(const Variant& v, const Film& film, int) override {
        if (v.film == FilmSums::fixed) return prepareSums(film);
        releaseUnused();
        return {};
    }

    BandShape shapeOf(const LoadedKernel& kernel, const Film& film, int samples) const override {
        const Variant& v = kernel.variant();
        if (pools(v)) {
            const int height = pieceOf(v).height;
            const int across = piecesOf(v, film.width, height, samples);
            const int warps = kernel.residentBlocks() * warpsOf(v);
            return {height, (warps + across - 1) / across * height, film.height};
        }
        const int height = footprint(v).height;
        const int across = blocksAcross(v, film.width, samples);
        return {height, (kernel.residentBlocks() + across - 1) / across * height, film.height};
    }

    cudaError_t launch(const Band& band, LaunchRing& ring, LaunchRecord&) override {
        return band.variant().precision == Precision::float64 ? launchAs<double>(band, ring)
                                                              : launchAs<float>(band, ring);
    }

    void release() override { sums_.release(); }
    void releaseUnused() override {
        if (sumsUse_.isLongAgo()) release();
    }

private:
    /// Between launches all sums are zero.
    Result<void> prepareSums(const Film& film) {
        const size_t bytes = 3 * sizeof(Fixed) * film.width * film.height;
        sumsUse_.isNow();
        if (bytes <= sums_.size()) return {};
        if (!sums_.reserve(bytes))
            return Failure{
                "film=fixed: the device has no memory left for sums; close what else uses it or "
                "choose film=atomic"};
        check(cudaMemsetAsync(sums_.data(), 0, bytes), "clear the sums of pixels");
        return {};
    }

    static int warpsOf(const Variant& v) { return v.blockX * v.blockY / kWarp; }

    static dim3 gridOf(const Band& band) {
        const Variant& v = band.variant();
        if (pools(v)) {
            const int pieces = piecesOf(v, band.film.width, band.rows, band.pass.samples);
            const int blocks = (pieces + warpsOf(v) - 1) / warpsOf(v);
            const bool queue = v.samplesFrom == SamplesFrom::queue;
            return dim3(queue ? std::min(blocks, band.kernel.residentBlocks()) : blocks);
        }
        const int height = footprint(v).height;
        return dim3(blocksAcross(v, band.film.width, band.pass.samples),
                    (band.rows + height - 1) / height);
    }

    template <class Real>
    cudaError_t launchAs(const Band& band, LaunchRing& ring) const {
        LaunchParams<Real> p = bandParams<Real>(band);
        p.counters = ring.begin();
        p.sums = reinterpret_cast<Fixed*>(sums_.data());
        void* arguments[] = {&p};
        const cudaError_t error = band.kernel.launch(Stage::whole, gridOf(band), arguments);
        const Variant& v = band.variant();
        if (error != cudaSuccess || v.film == FilmSums::atomic) return error;
        const int threads = v.blockX * v.blockY, pixels = band.rows * band.film.width;
        return band.kernel.launch(Stage::addSums, dim3((pixels + threads - 1) / threads),
                                  arguments);
    }

    DeviceBuffer sums_;
    LastUse sumsUse_;
};

}  // namespace

std::unique_ptr<CudaEngine> makePixelEngine() {
    return std::make_unique<PixelEngine>();
}

}  // namespace rayscope
