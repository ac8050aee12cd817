#pragma once

#include "renderer/core/shapes.h"
#include "renderer/cpu/kernels/pack.h"
#include "renderer/cpu/kernels/packet_memory.h"

namespace rayscope {

struct PacketMaterial {
    Vec3<Floats> albedo;
    Floats roughness;
    Vec3<Floats> emission;
    Floats index;
    Words kind;
};

/// The sphere that each lane has hit, as PacketRecord has it.
struct PacketSphere {
    Vec3<Floats> point;
    Floats scale;
    Vec3<Floats> normal;
    PacketMaterial material;
};

/// The scene of a packet, packed as SceneLayout::soa: a sphere for all lanes, or one in each.
template <Variant V>
struct PacketView : SceneView<Floats, V> {
    const PacketScene& scene;

    using SceneView<Floats, V>::kCurved;

    RAYSCOPE_FN int spheres() const {
        return V.traits.sphereCount > 0 ? V.traits.sphereCount : scene.count;
    }
    /// Of them with padding: between components of the scene.
    RAYSCOPE_FN int stride() const {
        constexpr int kKnown = (V.traits.sphereCount + kPadding - 1) / kPadding * kPadding;
        return kKnown > 0 ? kKnown : scene.padded;
    }
    RAYSCOPE_FN const float* geometry(int field) const {
        return reinterpret_cast<const float*>(this->bytes) + field * stride();
    }
    RAYSCOPE_FN const float* material(int field) const {
        return geometry(geometryFields(kCurved) + field);
    }
    RAYSCOPE_FN auto sphere(int i) const {
        const auto at = [&](int field) RAYSCOPE_INLINED { return Floats(geometry(field)[i]); };
        const Vec3<Floats> point{at(kX), at(kY), at(kZ)};
        if constexpr (kCurved)
            return CurvedSphere<Floats>{
                point, at(kScale), {at(kNormalX), at(kNormalY), at(kNormalZ)}, 0};
        else
            return CenterSphere<Floats>{point, at(kScale)};
    }
    /// Calls use() with a sphere for each lane. In each branch: behind them, what was loaded would
    /// need more registers than there are.
    template <class Use>
    RAYSCOPE_FN void withSpheres(Words ids, Use use) const {
        if constexpr (kMostLookedUp > 0) {
            if (0 < stride() && stride() <= kMostLookedUp) return use(lookedUp(ids));
        }
        use(loaded(ids));
    }

private:
    RAYSCOPE_FN PacketSphere lookedUp(Words ids) const {
        const auto at = [&](const float* field)
                            RAYSCOPE_INLINED { return lookUp(field, stride(), ids); };
        const auto vector = [&](const float* x) RAYSCOPE_INLINED {
            return Vec3<Floats>{at(x), at(x + stride()), at(x + 2 * stride())};
        };
        PacketSphere s;
        s.point = vector(geometry(kX));
        s.scale = at(kCurved ? geometry(kScale) : material(kInverseRadius));
        if constexpr (kCurved) s.normal = vector(geometry(kNormalX));
        s.material = {vector(material(kAlbedoR)),
                      at(material(kRoughness)),
                      {0, 0, 0},
                      at(material(kIndex)),
                      truncated(at(material(kKind)))};
        if (scene.emits) s.material.emission = vector(material(kEmissionR));
        return s;
    }
    RAYSCOPE_FN PacketSphere loaded(Words ids) const {
        constexpr int kRecord = sizeof(PacketRecord) / sizeof(float);
        alignas(64) unsigned place[kWidth];
        store(place, ids * Words(kRecord));
        const auto vector = [&](const Four<Floats>& f) RAYSCOPE_INLINED {
            return Vec3<Floats>{f.a, f.b, f.c};
        };
        const auto sphere = loadFours(scene.records->sphere, place);
        const auto albedo = loadFours(scene.records->albedo, place);
        const auto surface = loadFours(scene.records->surface, place);
        PacketSphere s;
        s.point = vector(sphere);
        s.scale = sphere.d;
        if constexpr (kCurved) s.normal = vector(loadFours(scene.records->normal, place));
        s.material = {vector(albedo), albedo.d, {0, 0, 0}, surface.a, truncated(surface.b)};
        if (scene.emits) s.material.emission = vector(loadFours(scene.records->emission, place));
        return s;
    }
};

}  // namespace rayscope
