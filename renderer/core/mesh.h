#pragma once

#include "renderer/core/bvh.h"
#include "renderer/core/half.h"
#include "renderer/core/picture.h"
#include "renderer/core/places.h"
#include "renderer/core/sampling.h"
#include "renderer/core/shapes.h"

// Triangles (Feature::kTriangles): where the packed scene has them, and their normals.
// scene/pack_meshes.cpp writes what MeshView reads.

namespace rayscope {

/// Whether a ray that meets a triangle at a distance goes through a hole there. Null: there are no
/// holes.
struct PeerHoles {
    bool (*isHole)(const void* scene, ShapeId shape, const Ray<float>& ray, float distance);
    const void* scene;
};

/// Another library's search, which the host may use in place of ours (Accel::embree). As
/// closestHit() and occluded() in a scene without unbounded shapes; `scene` is theirs.
struct PeerSearch {
    Hit<float> (*closest)(const void* scene, const Ray<float>& ray, float tMin, float tMax,
                          PeerHoles holes);
    bool (*occluded)(const void* scene, const Ray<float>& ray, float tMin, float distance,
                     ShapeId except, PeerHoles holes);
    const void* scene;
};

/// Behind the spheres of a scene that has triangles: this, and the arrays below, whose places are
/// counted from here in units of 16 bytes. The hierarchy's list has spheres and triangles; without
/// a hierarchy all are outside the tree.
struct alignas(64) MeshHeader {
    BvhHeader tree;
    unsigned materials, corners, normals, faces, listed, lamps;
    int lampCount;
    unsigned textures;       ///< MaterialTextures of the materials; Feature::kTextures
    const PeerSearch* peer;  ///< null: our own
    unsigned linear;         ///< of bytes in sRGB; kTextures
    unsigned sky;            ///< Feature::kPictureSky
    /// 4 or 8: in place of the hierarchy and the list the host has WideNode<lanes> as the nodes,
    /// and blocks as the list (mesh_wide.h). 0: it has not.
    int lanes;
    unsigned nodes;  ///< of the hierarchy
    int root;
    TriangleTest test;  ///< what the list is for
    unsigned numbers;   ///< of the list's shapes, where they are apart from it (mesh_tree.h)
    unsigned places;    ///< and one behind the last (places.h); Feature::kPlaces
    /// Which place has triangle i << guideShift of the scene, for all i; kPlaces.
    unsigned guide;
    int guideShift;
    int holes;         ///< 1: some texture has holes; for the host's kernels
    unsigned colours;  ///< ColourRecord of the corners; 0: there are none; kTextures
    HalfFrame halves;  ///< VertexPrecision::half
};

/// LightSphere::id of what stands for all lamps that are triangles, or for those of the sky.
enum : ShapeId { kMeshLamps = -2, kSkyLamps = -3 };

/// A shape of the list. Of a sphere only its number is set. Three loads of 16 bytes in single
/// precision.
template <class Real>
struct alignas(16) ListedShape {
    Vec3<Real> a;  ///< corners of a triangle, which neighbours share to the bit
    ShapeId id;
    Vec3<Real> b;
    int unusedB;
    Vec3<Real> c;
    int unusedC;
};

/// The same by the numbers of the corners; VertexLayout::indexed.
struct alignas(16) IndexedShape {
    int corner[3];
    ShapeId id;
};

/// What a list has of a triangle: ListedShape, IndexedShape, an array for each component, HalfShape
/// or TransformedTriangle (triangle.h).
enum class ListForm { unrolled, indexed, soa, half, transformed };

/// A corner, or the normal there; and in the texture, how far to the right, or how far down
/// (Feature::kTextures).
template <class Real>
struct alignas(4 * sizeof(Real)) CornerRecord {
    Vec3<Real> v;
    Real texture;
};

/// The colour of a corner, a factor of the albedo.
struct alignas(16) ColourRecord {
    Vec3<float> colour;
    float unused;
};

/// A triangle by the numbers of its corners. The complement of a material's number: the normals of
/// its corners are interpolated.
struct alignas(16) FaceRecord {
    int corner[3];
    int material;
};

constexpr RAYSCOPE_FN ListForm listForm(TriangleTest test, VertexLayout layout,
                                        VertexPrecision precision) {
    if (test == TriangleTest::woop) return ListForm::transformed;
    const bool half = layout == VertexLayout::unrolled && precision == VertexPrecision::half;
    return half ? ListForm::half : static_cast<ListForm>(layout);
}

template <class Real>
struct MeshView {
    const MeshHeader* header;

    template <class T>
    RAYSCOPE_FN const T* at(unsigned place) const {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(header);
        return reinterpret_cast<const T*>(bytes + size_t{16} * place);
    }
    RAYSCOPE_FN const ListedShape<Real>* listed() const {
        return at<ListedShape<Real>>(header->listed);
    }
    RAYSCOPE_FN const LampRecord<Real>* lamps() const {
        return at<LampRecord<Real>>(header->lamps);
    }
    RAYSCOPE_FN FaceRecord face(int i) const { return at<FaceRecord>(header->faces)[i]; }
    RAYSCOPE_FN Vec3<Real> corner(int i) const {
        return at<CornerRecord<Real>>(header->corners)[i].v;
    }
    RAYSCOPE_FN Vec3<Real> normal(int i) const {
        return at<CornerRecord<Real>>(header->normals)[i].v;
    }
    RAYSCOPE_FN const MaterialRecord<Real>& material(const FaceRecord& face) const {
        const int i = face.material < 0 ? ~face.material : face.material;
        return at<MaterialRecord<Real>>(header->materials)[i];
    }
    RAYSCOPE_FN const MaterialTextures& textures(const FaceRecord& face) const {
        const int i = face.material < 0 ? ~face.material : face.material;
        return at<MaterialTextures>(header->textures)[i];
    }
    RAYSCOPE_FN const SkyRecord<Real>& sky() const { return *at<SkyRecord<Real>>(header->sky); }
};

template <class Real, Variant V>
RAYSCOPE_FN MeshView<Real> meshOf(const SceneView<Real, V>& scene) {
    return {reinterpret_cast<const MeshHeader*>(scene.bvh())};
}

/// A triangle of the scene as its face is stored, and rays and points in the space where that is.
template <class Real, bool Places>
struct StoredTriangle {
    int face;

    RAYSCOPE_FN StoredTriangle(const MeshView<Real>&, ShapeId shape)
        : face(shape - kTriangleShape) {}
    RAYSCOPE_FN const Vec3<Real>& point(const Vec3<Real>& p) const { return p; }
    RAYSCOPE_FN const Vec3<Real>& direction(const Vec3<Real>& d) const { return d; }
    /// Of the scene again.
    template <Variant V>
    RAYSCOPE_FN const Vec3<Real>& normal(const Vec3<Real>& n) const {
        return n;
    }
};
template <class Real>
struct StoredTriangle<Real, true> {
    const PlaceRecord<Real>& place;
    int face;

    RAYSCOPE_FN StoredTriangle(const MeshView<Real>& mesh, ShapeId shape)
        : place(placeOf(mesh, shape - kTriangleShape)),
          face(shape - kTriangleShape - place.shift) {}
    RAYSCOPE_FN Vec3<Real> point(const Vec3<Real>& p) const { return pointIn(place, p); }
    RAYSCOPE_FN Vec3<Real> direction(const Vec3<Real>& d) const { return directionIn(place, d); }
    template <Variant V>
    RAYSCOPE_FN Vec3<Real> normal(const Vec3<Real>& n) const {
        return normalizeOrZero<V>(normalFrom(place, n));
    }

private:
    RAYSCOPE_FN static const PlaceRecord<Real>& placeOf(const MeshView<Real>& mesh, int number) {
        const auto* const places = mesh.template at<PlaceRecord<Real>>(mesh.header->places);
        const int* const guide =
            mesh.template at<int>(mesh.header->guide) + (number >> mesh.header->guideShift);
        int first = guide[0], last = guide[1];
        while (first < last) {
            const int middle = (first + last + 1) / 2;
            if (places[middle].first <= number)
                first = middle;
            else
                last = middle - 1;
        }
        return places[first];
    }
};

template <class Real, Variant V>
RAYSCOPE_FN StoredTriangle<Real, has(V, kPlaces)> storedTriangle(const SceneView<Real, V>& scene,
                                                                 ShapeId shape) {
    return {meshOf(scene), shape};
}

/// A triangle of the scene that has been hit, and where, in the space in which it is stored.
template <class Real, Variant V>
struct TriangleHit {
    MeshView<Real> mesh;
    StoredTriangle<Real, has(V, kPlaces)> stored;
    FaceRecord face;
    Vec3<Real> point;

    RAYSCOPE_FN TriangleHit(const SceneView<Real, V>& scene, ShapeId shape,
                            const Vec3<Real>& position)
        : mesh(meshOf(scene)),
          stored(mesh, shape),
          face(mesh.face(stored.face)),
          point(stored.point(position)) {}
};

/// The normal on the side of another vector.
template <class Real>
RAYSCOPE_FN Vec3<Real> onSideOf(const Vec3<Real>& normal, const Vec3<Real>& other) {
    return dot(normal, other) < 0 ? -normal : normal;
}

/// The normal at a point of a triangle that a ray in direction d has hit: of its plane, outside
/// being where its corners are counter-clockwise, or interpolated. Where a ray comes from the other
/// side of the plane than of the interpolated normal, it meets the plane's.
template <Variant V, class Real>
RAYSCOPE_FN Vec3<Real> normalAt(const MeshView<Real>& mesh, const FaceRecord& face,
                                const Vec3<Real>& position, const Vec3<Real>& d) {
    const Vec3<Real> a = mesh.corner(face.corner[0]);
    const Vec3<Real> ab = mesh.corner(face.corner[1]) - a, ac = mesh.corner(face.corner[2]) - a;
    const Vec3<Real> across = cross(ab, ac);
    const Real size = largest<Real>({fabs(across.x), fabs(across.y), fabs(across.z)});
    const Vec3<Real> plane = normalizeOrZero<V>(across * divide<V>(Real(1), size));
    if (face.material >= 0) return plane;
    const Vec3<Real> ap = position - a;
    const Real inverse = divide<V>(Real(1), dot(across, plane));
    const Real v = dot(cross(ap, ac), plane) * inverse;
    const Real w = dot(cross(ab, ap), plane) * inverse;
    const Vec3<Real> sum =
        mulAdd(mesh.normal(face.corner[0]), 1 - v - w,
               mulAdd(mesh.normal(face.corner[1]), v, mesh.normal(face.corner[2]) * w));
    const Vec3<Real> smooth = normalizeOrZero<V>(sum);
    const Vec3<Real> outside = onSideOf(plane, smooth);
    return dot(d, smooth) * dot(d, outside) > 0 ? smooth : outside;
}

/// How much the second and the third corner of a triangle weigh at a point of it.
template <class Real>
struct CornerWeights {
    Real v, w;
};
/// By areas seen along an axis: the one from which the triangle is largest.
template <Variant V, class Real>
RAYSCOPE_FN CornerWeights<Real> weightsAt(const MeshView<Real>& mesh, const FaceRecord& face,
                                          const Vec3<Real>& position) {
    const Vec3<Real> a = mesh.corner(face.corner[0]), ap = position - a;
    const Vec3<Real> ab = mesh.corner(face.corner[1]) - a, ac = mesh.corner(face.corner[2]) - a;
    const Vec3<Real> all = cross(ab, ac), second = cross(ap, ac), third = cross(ab, ap);
    const Real x = fabs(all.x), y = fabs(all.y), z = fabs(all.z);
    if (x >= y && x >= z) return {divide<V>(second.x, all.x), divide<V>(third.x, all.x)};
    if (y >= z) return {divide<V>(second.y, all.y), divide<V>(third.y, all.y)};
    return {divide<V>(second.z, all.z), divide<V>(third.z, all.z)};
}

/// A point of a triangle in the textures of its material.
template <class Real>
RAYSCOPE_FN TexturePlace<Real> texturePlace(const MeshView<Real>& mesh, const FaceRecord& face,
                                            const CornerWeights<Real>& at) {
    const auto placeIn = [&](unsigned records) RAYSCOPE_INLINED {
        const auto* const r = mesh.template at<CornerRecord<Real>>(records);
        const Real first = r[face.corner[0]].texture * (1 - at.v - at.w);
        return mulAdd(r[face.corner[1]].texture, at.v,
                      mulAdd(r[face.corner[2]].texture, at.w, first));
    };
    return {placeIn(mesh.header->corners), placeIn(mesh.header->normals)};
}

/// Called only with kTextures.
template <Variant V, class Real>
RAYSCOPE_FN bool hasTextures(const MeshView<Real>& mesh) {
    return !has(V, kAnyScene) || mesh.header->textures != 0;
}

/// Called only with kHoles.
template <Variant V, class Real>
RAYSCOPE_FN bool hasHoles(const MeshView<Real>& mesh) {
    return !has(V, kAnyScene) || mesh.header->holes != 0;
}

/// What a texture in sRGB shows.
template <class Real>
RAYSCOPE_FN Vec3<Real> colourAt(const MeshView<Real>& mesh, const TextureRecord& texture,
                                TexturePlace<Real> place) {
    const Real* const linear = mesh.template at<Real>(mesh.header->linear);
    return seenAt(texture, mesh.template at<unsigned>(texture.texels), place,
                  [&](unsigned byte) RAYSCOPE_INLINED { return linear[byte]; });
}

/// Whether the material of a triangle has a hole there. Called only with kHoles.
template <class Real>
RAYSCOPE_FN bool isHole(const MeshView<Real>& mesh, const FaceRecord& face,
                        const CornerWeights<Real>& at) {
    const TextureRecord texture = mesh.textures(face).albedo;
    if (texture.wrap < 256) return false;
    return hasHoleAt(texture, mesh.template at<unsigned>(texture.texels),
                     texturePlace(mesh, face, at));
}

/// Whether a ray that meets a shape at this distance goes through a hole there.
template <class Real, Variant V>
RAYSCOPE_FN bool goesThroughHole(const SceneView<Real, V>& scene, ShapeId shape,
                                 const Ray<Real>& ray, Real distance) {
    if constexpr (!has(V, kHoles)) return false;
    if (kindOf(shape) != ShapeKind::triangle) return false;
    if (!hasHoles<V>(meshOf(scene))) return false;
    const TriangleHit<Real, V> hit(scene, shape, mulAdd(ray.direction, distance, ray.origin));
    return isHole(hit.mesh, hit.face, weightsAt<V>(hit.mesh, hit.face, hit.point));
}

/// How bright a material is where it has a picture of that: a factor of its emission.
template <Variant V, class Real>
RAYSCOPE_FN Vec3<Real> brightnessAt(const MeshView<Real>& mesh, const FaceRecord& face,
                                    const CornerWeights<Real>& at) {
    if (!hasTextures<V>(mesh)) return {1, 1, 1};
    const TextureRecord texture = mesh.textures(face).emission;
    if (texture.width == 0) return {1, 1, 1};
    return colourAt(mesh, texture, texturePlace(mesh, face, at));
}

/// Makes a metal rougher or smoother, or matt, as a texture says.
template <class Real>
RAYSCOPE_FN void finish(MaterialRecord<Real>& material, const MeshView<Real>& mesh,
                        const TextureRecord& texture, TexturePlace<Real> place) {
    const Vec3<Real> seen =
        seenAt(texture, mesh.template at<unsigned>(texture.texels), place,
               [](unsigned byte) RAYSCOPE_INLINED { return static_cast<Real>(byte) / 255; });
    material.roughness = material.roughness * seen.y * seen.y;
    if (!(seen.z > Real(.5))) material.kind = MaterialKind::lambert;
}

/// The colours of a triangle's corners, interpolated between them.
template <class Real>
RAYSCOPE_FN Vec3<Real> cornerColourAt(const MeshView<Real>& mesh, const FaceRecord& face,
                                      const CornerWeights<Real>& at) {
    const auto* const records = mesh.template at<ColourRecord>(mesh.header->colours);
    const auto colour = [&](int k) RAYSCOPE_INLINED {
        const Vec3<float> c = records[face.corner[k]].colour;
        return Vec3<Real>{c.x, c.y, c.z};
    };
    return mulAdd(colour(1), at.v, mulAdd(colour(2), at.w, colour(0) * (1 - at.v - at.w)));
}

/// Applies the textures of a material, and the colours of corners, at a point of a triangle.
template <Variant V, class Real>
RAYSCOPE_FN void applyTextures(MaterialRecord<Real>& material, const MeshView<Real>& mesh,
                               const FaceRecord& face, const Vec3<Real>& position) {
    if (!hasTextures<V>(mesh)) return;
    const MaterialTextures& textures = mesh.textures(face);
    constexpr bool kAll = has(V, kSurfaceTextures);
    const TextureRecord albedo = textures.albedo;
    const bool pictured =
        albedo.width > 0 || (kAll && (textures.metal.width > 0 || textures.emission.width > 0));
    const bool coloured = mesh.header->colours != 0;
    if (!pictured && !coloured) return;
    const CornerWeights<Real> at = weightsAt<V>(mesh, face, position);
    if (coloured) material.albedo = material.albedo * cornerColourAt(mesh, face, at);
    if (!pictured) return;
    const TexturePlace<Real> place = texturePlace(mesh, face, at);
    if (!kAll || albedo.width > 0)
        material.albedo = material.albedo * colourAt(mesh, albedo, place);
    if constexpr (kAll) {
        if (textures.metal.width > 0) finish(material, mesh, textures.metal, place);
        if (textures.emission.width > 0)
            material.emission = material.emission * colourAt(mesh, textures.emission, place);
    }
}

/// Whether a ray that leaves a shape goes to the other side of its plane than another came from;
/// only an interpolated normal lets it.
template <class Real, Variant V>
RAYSCOPE_FN bool goesThrough(const SceneView<Real, V>& scene, ShapeId shape, const Vec3<Real>& came,
                             const Vec3<Real>& goes) {
    if (kindOf(shape) != ShapeKind::triangle) return false;
    const MeshView<Real> mesh = meshOf(scene);
    const auto stored = storedTriangle(scene, shape);
    const FaceRecord face = mesh.face(stored.face);
    if (face.material >= 0) return false;
    const Vec3<Real> a = mesh.corner(face.corner[0]);
    const Vec3<Real> across =
        cross(mesh.corner(face.corner[1]) - a, mesh.corner(face.corner[2]) - a);
    return (dot(stored.direction(came), across) > 0) == (dot(stored.direction(goes), across) > 0);
}

}  // namespace rayscope
