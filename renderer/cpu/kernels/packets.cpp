#include "renderer/cpu/kernels/packets.h"

namespace rayscope {

/// As render() of paths.cpp; `memory`: a PacketMemory.
template <Variant V>
void render(const LaunchParams<float>& launch, const void* memory) {
    PacketTracer<V>(launch, *static_cast<const PacketMemory*>(memory)).render();
}

}  // namespace rayscope
