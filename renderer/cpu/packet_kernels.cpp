// Built once for each instruction set with enough lanes: RAYSCOPE_BUILD names the build.

#include <utility>

#include "renderer/cpu/packets.h"

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

constexpr Variant fullVariant(PacketVariant v) {
    Variant full;
    full.engine = Engine::packets;
    full.sceneLayout = SceneLayout::soa;
    full.sceneMemory = SceneMemory::global;
    full.accel = v.grid ? Accel::grid : Accel::bvh;
    full.math = Math::precise;
    full.dispatch = Dispatch::single;
    full.numbers = v.lcg ? Numbers::lcg : Numbers::pcg;
    full.lightSampling = true;
    full.traits.features = kCpuFeatures[v.features];
    return full;
}

template <int I>
void renderInPackets(const LaunchParams<float>& launch, const PacketMemory& memory) {
    PacketTracer<fullVariant(packetVariant(I))>(launch, memory).render();
}

template <int... I>
constexpr PacketKernels tableOf(std::integer_sequence<int, I...>) {
    return {{&renderInPackets<I>...}};
}

const PacketKernels& packetKernels() {
    static constexpr PacketKernels kTable =
        tableOf(std::make_integer_sequence<int, kPacketVariants>());
    return kTable;
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
