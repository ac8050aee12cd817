#pragma once

#include "renderer/core/shapes.h"
#include "renderer/cpu/pack.h"
#include "renderer/cpu/packet_table.h"

namespace rayscope {

inline namespace RAYSCOPE_BUILD {

/// The scene of a packet, packed as SceneLayout::soa: a sphere for all lanes, or one in each.
template <Variant V>
struct PacketView : SceneView<Floats, V> {
    const PacketScene& scene;

    using SceneView<Floats, V>::kCurved;

    RAYSCOPE_FN const float* geometry(int field) const {
        return reinterpret_cast<const float*>(this->bytes) + field * scene.padded;
    }
    RAYSCOPE_FN const float* material(int field) const {
        return geometry(geometryFields(kCurved) + field);
    }
    RAYSCOPE_FN Floats at(const float* field, int i) const { return field[i]; }
    RAYSCOPE_FN Floats at(const float* field, Words i) const {
        return lookUp(field, scene.padded, i);
    }
    template <class Index>
    RAYSCOPE_FN Vec3<Floats> vectorAt(const float* field, Index i) const {
        const int n = scene.padded;
        return {at(field, i), at(field + n, i), at(field + 2 * n, i)};
    }
    template <class Index>
    RAYSCOPE_FN auto sphere(Index i) const {
        const Vec3<Floats> point = vectorAt(geometry(kX), i);
        const Floats scale = at(geometry(kScale), i);
        if constexpr (kCurved)
            return CurvedSphere<Floats>{point, scale, vectorAt(geometry(kNormalX), i), 0};
        else
            return CenterSphere<Floats>{point, scale};
    }
};

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
