// Built once for each instruction set with enough lanes: RAYSCOPE_BUILD names the build.

#include "renderer/cpu/packets.h"

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// Decided at run time: light sampling by the number of lights, the search by a flag of the scene.
constexpr Variant packetVariant(int features) {
    Variant full;
    full.engine = Engine::packets;
    full.sceneLayout = SceneLayout::soa;
    full.sceneMemory = SceneMemory::global;
    full.accel = Accel::bvh;
    full.math = Math::precise;
    full.dispatch = Dispatch::single;
    full.lightSampling = true;
    full.traits.features = kCpuFeatures[features];
    return full;
}

template <int Features>
void renderInPackets(const LaunchParams<float>& launch, const PacketMemory& memory) {
    PacketTracer<packetVariant(Features)>(launch, memory).render();
}

const PacketKernels& packetKernels() {
    static constexpr PacketKernels kTable{
        {&renderInPackets<0>, &renderInPackets<1>, &renderInPackets<2>}};
    return kTable;
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
