#include "renderer/core/footprint.h"
#include "renderer/cuda/engine.h"

namespace rayscope {

namespace {

/// One thread per pixel, or per sample of a pixel.
class PixelEngine : public CudaEngine {
public:
    BandShape shapeOf(const LoadedKernel& kernel, const Film& film, int samples) const override {
        const Variant& v = kernel.variant();
        const int height = footprint(v).height;
        const int across = blocksAcross(v, film.width, samples);
        return {height, (kernel.residentBlocks() + across - 1) / across * height, film.height};
    }

    cudaError_t launch(const Band& band, LaunchRing& ring, LaunchRecord&) override {
        return band.variant().precision == Precision::float64 ? launchAs<double>(band, ring)
                                                              : launchAs<float>(band, ring);
    }

private:
    template <class Real>
    static cudaError_t launchAs(const Band& band, LaunchRing& ring) {
        LaunchParams<Real> p = bandParams<Real>(band);
        const Variant& v = band.variant();
        const int height = footprint(v).height;
        const dim3 grid(blocksAcross(v, band.film.width, band.pass.samples),
                        (band.rows + height - 1) / height);
        p.counters = ring.begin();
        void* arguments[] = {&p};
        return cudaLaunchKernel(band.kernel.function(Stage::whole), grid, dim3(v.blockX, v.blockY),
                                arguments, 0, nullptr);
    }
};

}  // namespace

std::unique_ptr<CudaEngine> makePixelEngine() {
    return std::make_unique<PixelEngine>();
}

}  // namespace rayscope
