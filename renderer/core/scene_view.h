#pragma once

#include "renderer/core/baked_scene.h"
#include "renderer/core/vector.h"

// The only code that knows how a scene is laid out in memory. One packed block holds the geometry,
// the materials and, if asked for, a bounding volume hierarchy (its header, a list of sphere
// indices, and the nodes) or a grid. The host writes it (scene/pack.cpp) with the same constants.

namespace rayscope {

/// A sphere as its centre and the power of the world's origin with respect to it, c.c - r^2, so
/// that the quadratic needs no difference of positions (shapes.h).
template <class Real>
struct alignas(4 * sizeof(Real)) CenterSphere {
    Vec3<Real> center;
    Real power;
};

/// A sphere as a point on it, the outward normal there and the curvature 1/r (Feature::kWalls).
template <class Real>
struct alignas(4 * sizeof(Real)) CurvedSphere {
    Vec3<Real> anchor;
    Real curvature;
    Vec3<Real> normal;
    Real unused;
};

template <class Real>
struct alignas(4 * sizeof(Real)) MaterialRecord {
    Vec3<Real> albedo;
    Real roughness;
    Vec3<Real> emission;
    Real index;
    Real inverseRadius;  ///< of the sphere, so that its normal needs no root
    MaterialKind kind;
};

struct alignas(64) BvhHeader {
    int outside;  ///< how many spheres, at the front of the list, are in no leaf
    int nodes;
    float reach;     ///< largest coordinate of the tree's boxes
    float smallest;  ///< smallest radius in the tree
    int listed;      ///< length of the list; Accel::bvh4
};

/// The boxes of two children, always in single precision: they only have to be large enough.
/// Visiting a node takes four loads of 16 bytes.
struct alignas(16) BvhNode {
    float x[4], y[4], z[4];  ///< low and high of the first child, then of the second
    int child[2];            ///< a node's index, or a leafReference()
    int unused[2];
};

/// Bvh4Node's boxes: corner + byte * step, both of which are exact in single precision.
struct alignas(64) Bvh4Node {
    Vec3<float> corner;
    unsigned exponents;         ///< of the steps along x, y and z, a byte each as in a float
    unsigned x[2], y[2], z[2];  ///< low and high planes, a byte for each child
    int child[4];               ///< as in BvhNode; kNoChild at the end
    int unused[2];
};
inline constexpr int kNoChild = ~0;

/// A uniform grid: cells by x, then y, then z.
struct alignas(64) GridHeader {
    int outside;            ///< how many spheres, at the front of the list, are in no cell
    int listed;             ///< of the list, where a sphere is once for each cell that it reaches
    int count[3];           ///< of cells along the axes; zeros: there are none
    float reach, smallest;  ///< as in BvhHeader
    float largest;          ///< radius of a sphere in a cell
    /// Rays from coordinates up to this hit spheres only in cells that list them, whatever the
    /// rounding.
    float home;
    Vec3<float> low;      ///< of the first cell
    Vec3<float> perUnit;  ///< cells to a unit of length
};
/// A cell's part of the list, in one load.
struct alignas(8) GridCell {
    int first, end;
};

/// Testing the box of a single sphere would cost as much as testing the sphere.
inline constexpr int kMinLeafSpheres = 2;
inline constexpr int kMaxLeafSpheres = 4;
/// Most nodes on the way from the root to a leaf, and so the size of the stack of a walk.
inline constexpr int kBvhLevels = 32;
/// The same of a tree of four children each, which takes two levels of the other for one.
inline constexpr int kBvh4Stack = 3 * kBvhLevels / 2;
/// Lists whose spheres are stored twice are padded to a multiple of this, so that what follows is
/// aligned to 64 bytes.
inline constexpr int kListPadding = 4;
#ifdef __CUDACC__
extern "C" {
__constant__ uint4 rayscopeScene[kConstantBytes / 16];
}
#endif

constexpr RAYSCOPE_FN bool has(Variant v, unsigned feature) {
    return (v.traits.features & feature) != 0;
}

/// Components of an SoA block, in this order, each an array of paddedCount values.
enum GeometryField { kX, kY, kZ, kScale, kNormalX, kNormalY, kNormalZ };
enum MaterialField {
    kAlbedoR,
    kAlbedoG,
    kAlbedoB,
    kRoughness,
    kEmissionR,
    kEmissionG,
    kEmissionB,
    kIndex,
    kInverseRadius,
    kKind
};

constexpr RAYSCOPE_FN int geometryFields(bool walls) {
    return walls ? 7 : 4;
}

/// Bytes of a sphere, and of a sphere with its material.
template <class Real>
constexpr RAYSCOPE_FN int geometryBytes(SceneLayout layout, bool walls) {
    if (layout == SceneLayout::soa) return geometryFields(walls) * sizeof(Real);
    return walls ? sizeof(CurvedSphere<Real>) : sizeof(CenterSphere<Real>);
}
template <class Real>
constexpr RAYSCOPE_FN int sphereBytes(SceneLayout layout, bool walls) {
    return geometryBytes<Real>(layout, walls) +
           (layout == SceneLayout::soa ? (kKind + 1) * sizeof(Real) : sizeof(MaterialRecord<Real>));
}

/// A reference to a leaf of the list's spheres from `first` on. Negative, unlike a node's index.
constexpr RAYSCOPE_FN int leafReference(int first, int count) {
    return ~(first * (2 * kMaxLeafSpheres) + count);
}
constexpr RAYSCOPE_FN int leafFirst(int reference) {
    return ~reference / (2 * kMaxLeafSpheres);
}
constexpr RAYSCOPE_FN int leafCount(int reference) {
    return ~reference % (2 * kMaxLeafSpheres);
}

constexpr RAYSCOPE_FN int paddedList(int listed) {
    return (listed + kListPadding - 1) / kListPadding * kListPadding;
}

/// How spheres are stored.
template <class Real, bool Curved>
struct GeometryOf {
    using Type = CenterSphere<Real>;
};
template <class Real>
struct GeometryOf<Real, true> {
    using Type = CurvedSphere<Real>;
};

/// Behind the header of a grid or a tree of four children each: the spheres of its list in their
/// order, whatever the scene's layout, so that those of a cell or leaf are loaded together and at
/// once; the cells or nodes; the list. Spheres in no cell or leaf are read where the scene has
/// them.
template <class Geometry, class Element>
struct SphereList {
    const Geometry* spheres;
    const Element* elements;
    const int* ids;
};

template <class Real, Variant V>
struct SceneView {
    const unsigned char* bytes;
    const SceneParams<Real>& params;

    RAYSCOPE_FN int count() const {
        if constexpr (V.traits.sphereCount > 0)
            return V.traits.sphereCount;
        else
            return params.sphereCount;
    }
    RAYSCOPE_FN int padded() const {
        if constexpr (V.traits.sphereCount > 0) {
            return (V.traits.sphereCount + kPadding - 1) / kPadding * kPadding;
        } else {
            return params.paddedCount;
        }
    }
    template <class T>
    RAYSCOPE_FN const T* at() const {
#ifdef __CUDACC__
        if constexpr (V.sceneMemory == SceneMemory::constant) {
            return reinterpret_cast<const T*>(rayscopeScene);
        }
#endif
        return reinterpret_cast<const T*>(bytes);
    }
    RAYSCOPE_FN const Real* geometry(int field) const {
        return at<Real>() + field * padded();
    }

    static constexpr bool kCurved = (V.traits.features & kWalls) != 0;
    using Geometry = typename GeometryOf<Real, kCurved>::Type;

    RAYSCOPE_FN CenterSphere<Real> sphere(int i) const {
        if constexpr (V.sceneLayout == SceneLayout::aos) {
            return at<CenterSphere<Real>>()[i];
        } else {
            return {{geometry(kX)[i], geometry(kY)[i], geometry(kZ)[i]}, geometry(kScale)[i]};
        }
    }
    RAYSCOPE_FN CurvedSphere<Real> wall(int i) const {
        if constexpr (V.sceneLayout == SceneLayout::aos) {
            return at<CurvedSphere<Real>>()[i];
        } else {
            return {{geometry(kX)[i], geometry(kY)[i], geometry(kZ)[i]},
                    geometry(kScale)[i],
                    {geometry(kNormalX)[i], geometry(kNormalY)[i], geometry(kNormalZ)[i]},
                    0};
        }
    }
    RAYSCOPE_FN Geometry geometryOf(int i) const {
        if constexpr (kCurved)
            return wall(i);
        else
            return sphere(i);
    }
    /// The material in memory; SceneLayout::aos.
    RAYSCOPE_FN const MaterialRecord<Real>& materialRecord(int i) const {
        constexpr int kStride = geometryBytes<Real>(V.sceneLayout, kCurved);
        return reinterpret_cast<const MaterialRecord<Real>*>(at<unsigned char>() +
                                                             padded() * kStride)[i];
    }
    RAYSCOPE_FN MaterialRecord<Real> material(int i) const {
        if constexpr (V.sceneLayout == SceneLayout::aos) {
            return materialRecord(i);
        } else {
            const Real* m = geometry(geometryFields(kCurved)) + i;
            const int n = padded();
            return {{m[kAlbedoR * n], m[kAlbedoG * n], m[kAlbedoB * n]},
                    m[kRoughness * n],
                    {m[kEmissionR * n], m[kEmissionG * n], m[kEmissionB * n]},
                    m[kIndex * n],
                    m[kInverseRadius * n],
                    static_cast<MaterialKind>(static_cast<int>(m[kKind * n]))};
        }
    }

    static constexpr int kSphereBytes = sphereBytes<Real>(V.sceneLayout, kCurved);

    /// Of a scene whose size is known.
    static constexpr int kBlockBytes =
        (V.traits.sphereCount + kPadding - 1) / kPadding * kPadding * kSphereBytes;

    RAYSCOPE_FN const BvhHeader* bvh() const {
        return reinterpret_cast<const BvhHeader*>(at<unsigned char>() + padded() * kSphereBytes);
    }
    /// Entry k of the hierarchy's list of spheres.
    RAYSCOPE_FN int listed(int k) const {
        return reinterpret_cast<const int*>(bvh() + 1)[k];
    }
    RAYSCOPE_FN const BvhNode* nodes() const {
        const auto* list = reinterpret_cast<const int*>(bvh() + 1);
        return reinterpret_cast<const BvhNode*>(list + padded());
    }
    RAYSCOPE_FN const GridHeader* grid() const {
        return reinterpret_cast<const GridHeader*>(at<unsigned char>() + padded() * kSphereBytes);
    }
    template <class Element>
    RAYSCOPE_FN SphereList<Geometry, Element> sphereList(int listed, int elements) const {
        const auto* spheres = reinterpret_cast<const Geometry*>(bvh() + 1);
        const auto* first = reinterpret_cast<const Element*>(spheres + paddedList(listed));
        return {spheres, first, reinterpret_cast<const int*>(first + elements)};
    }
};

}  // namespace rayscope
