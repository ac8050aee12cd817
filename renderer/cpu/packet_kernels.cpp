// Built once for each instruction set with enough lanes: RAYSCOPE_BUILD names the build.

#include "renderer/cpu/packets.h"

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// Decided at run time: light sampling by the number of lights, any search but the grid's by a flag
/// of the scene. Together they would take 2 % of the speed from each other.
constexpr Variant packetVariant(int features, Accel accel) {
    Variant full;
    full.engine = Engine::packets;
    full.sceneLayout = SceneLayout::soa;
    full.sceneMemory = SceneMemory::global;
    full.accel = accel;
    full.math = Math::precise;
    full.dispatch = Dispatch::single;
    full.lightSampling = true;
    full.traits.features = kCpuFeatures[features];
    return full;
}

template <int Features, Accel A>
void renderInPackets(const LaunchParams<float>& launch, const PacketMemory& memory) {
    PacketTracer<packetVariant(Features, A)>(launch, memory).render();
}

const PacketKernels& packetKernels() {
    static constexpr PacketKernels kTable{
        {&renderInPackets<0, Accel::bvh>, &renderInPackets<1, Accel::bvh>,
         &renderInPackets<2, Accel::bvh>},
        {&renderInPackets<0, Accel::grid>, &renderInPackets<1, Accel::grid>,
         &renderInPackets<2, Accel::grid>}};
    return kTable;
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
