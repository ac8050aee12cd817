#pragma once

#include <memory>

#include "renderer/base/result.h"
#include "renderer/cuda/band.h"
#include "renderer/cuda/launch_ring.h"

namespace rayscope {

/// How a picture is cut into bands, in rows.
struct BandShape {
    int granule;     ///< bands are multiples of it
    int rowsToFill;  ///< as many as fill the device once
    int mostRows;    ///< in a band
};

/// Renders bands with the kernels of a variant. Keeps its memory from one launch to the next.
class CudaEngine {
public:
    virtual ~CudaEngine() = default;

    /// Allocates memory for the paths, of a pass of so many samples, that the engine keeps between
    /// kernels.
    virtual Result<void> prepare(const Variant&, const Film&, int /*samples*/) { return {}; }
    /// After prepare().
    virtual BandShape shapeOf(const LoadedKernel& kernel, const Film& film, int samples) const = 0;
    /// Begins the ring's next launch and launches the kernels of the band. If hostWorks(), returns
    /// when the band is done, and sets the record's times and counts.
    virtual cudaError_t launch(const Band& band, LaunchRing& ring, LaunchRecord& record) = 0;

    /// Frees what prepare() and launch() have allocated.
    virtual void release() {}
    /// The same, if it has not been used for a while.
    virtual void releaseUnused() {}
};

/// Engine::megakernel and Engine::regeneration: one kernel, which follows paths to their ends.
std::unique_ptr<CudaEngine> makePixelEngine();
/// Engine::wavefront: waves of paths go from stage to stage, one kernel per stage.
std::unique_ptr<CudaEngine> makeWavefrontEngine();
/// Engine::hybrid: the CPU makes and scatters rays. At every depth they are copied to the device,
/// which finds their hits, and the hits are copied back.
std::unique_ptr<CudaEngine> makeHybridEngine();

/// The engines of a renderer.
class Engines {
public:
    CudaEngine& of(const Variant& variant) {
        return *engines_[static_cast<size_t>(variant.engine)];
    }
    /// Prepares the variant's engine, and frees memory that the others have not used for a while.
    Result<void> prepare(const Variant& variant, const Film& film, int samples);
    void release();

private:
    /// Indexed by Engine.
    std::unique_ptr<CudaEngine> engines_[4] = {makePixelEngine(), makePixelEngine(),
                                               makeWavefrontEngine(), makeHybridEngine()};
};

}  // namespace rayscope
