#include "renderer/cuda/engine.h"

namespace rayscope {

Result<void> Engines::prepare(const Variant& variant, const Film& film, int samples) {
    CudaEngine& mine = of(variant);
    for (const std::unique_ptr<CudaEngine>& engine : engines_) {
        if (engine.get() != &mine) engine->releaseUnused();
    }
    return mine.prepare(variant, film, samples);
}

void Engines::release() {
    for (const std::unique_ptr<CudaEngine>& engine : engines_) engine->release();
}

}  // namespace rayscope
