#include "renderer/scene/pack_meshes.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>
#include <utility>

#include "renderer/base/stop.h"
#include "renderer/core/linear_bvh.h"
#include "renderer/core/mesh_tree.h"
#include "renderer/scene/appended.h"
#include "renderer/scene/compressed_tree.h"
#include "renderer/scene/lamp_power.h"
#include "renderer/scene/pack_lamps.h"
#include "renderer/scene/pack_pictures.h"
#include "renderer/scene/places.h"
#include "renderer/scene/records.h"
#include "renderer/scene/to_kernel.h"
#include "renderer/scene/wide_tree.h"

namespace rayscope {

namespace {

/// Of the mesh's coordinates in textures `axis` goes with it.
template <class Real>
CornerRecord<Real> cornerRecord(const glm::vec3& v, const Mesh& mesh, std::size_t corner,
                                int axis) {
    return {toKernel<Real>(glm::dvec3(v)),
            mesh.uvs.empty() ? Real(0) : static_cast<Real>(mesh.uvs[corner][axis])};
}

template <class Real>
std::vector<MaterialRecord<Real>> materialsOf(const Scene& scene) {
    std::size_t count = 0;
    for (const SceneMesh& mesh : scene.meshes) count += mesh.mesh->materials.size();
    std::vector<MaterialRecord<Real>> records = zeroRecords<MaterialRecord<Real>>(count);
    auto record = records.begin();
    for (const SceneMesh& mesh : scene.meshes) {
        for (const Material& m : mesh.mesh->materials) {
            const MaterialRecord<Real> r = materialRecord<Real>(mesh.material.value_or(m), 1);
            copyRecord(*record++, r, r.kind);
        }
    }
    return records;
}

template <class Real>
std::vector<CornerRecord<Real>> cornersOf(const Scene& scene) {
    std::vector<CornerRecord<Real>> records;
    for (const SceneMesh& placed : scene.meshes) {
        const Mesh& mesh = *placed.mesh;
        stopPoint();
        for (std::size_t i = 0; i < mesh.corners.size(); ++i)
            records.push_back(cornerRecord<Real>(mesh.corners[i], mesh, i, 0));
    }
    return records;
}

bool needsNormals(const Scene& scene) {
    return std::any_of(scene.meshes.begin(), scene.meshes.end(), [](const SceneMesh& m) {
        return !m.mesh->normals.empty() || !m.mesh->uvs.empty();
    });
}

/// By the numbers of corners; none where no mesh has normals or textures.
template <class Real>
std::vector<CornerRecord<Real>> normalsOf(const Scene& scene) {
    std::vector<CornerRecord<Real>> records;
    if (!needsNormals(scene)) return records;
    for (const SceneMesh& placed : scene.meshes) {
        const Mesh& mesh = *placed.mesh;
        for (std::size_t i = 0; i < mesh.corners.size(); ++i) {
            const glm::vec3 normal = mesh.normals.empty() ? glm::vec3(0) : mesh.normals[i];
            records.push_back(cornerRecord<Real>(normal, mesh, i, 1));
        }
    }
    return records;
}

std::vector<FaceRecord> facesOf(const Scene& scene) {
    std::vector<FaceRecord> records;
    int firstCorner = 0, firstMaterial = 0;
    for (const SceneMesh& placed : scene.meshes) {
        const Mesh& mesh = *placed.mesh;
        stopPoint();
        for (const Triangle& face : mesh.faces) {
            const int material = firstMaterial + face.material;
            FaceRecord r{{}, isSmooth(mesh, face) ? ~material : material};
            for (int k = 0; k < 3; ++k) r.corner[k] = firstCorner + face.corners[k];
            records.push_back(r);
        }
        firstCorner += static_cast<int>(mesh.corners.size());
        firstMaterial += static_cast<int>(mesh.materials.size());
    }
    return records;
}

/// Triangles that shine, by their numbers in the scene, and how much power those up to them have;
/// both sides of them shine.
template <class Real>
std::vector<LampRecord<Real>> lampsOf(const Scene& scene, const std::vector<PlacedPiece>& pieces) {
    auto numberOf = [&, piece = pieces.begin()](int face) mutable {
        if (pieces.empty()) return face;
        while (face >= piece->firstFace + piece->faces) ++piece;
        return piece->first + face - piece->firstFace;
    };
    std::vector<std::pair<int, double>> lamps;
    double sum = 0;
    int first = 0, dark = -1;
    for (const SceneMesh& placed : scene.meshes) {
        const Mesh& mesh = *placed.mesh;
        LampPower power(placed);
        for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
            const Triangle& triangle = mesh.faces[i];
            if (!power.isLamp(triangle)) continue;
            const int number = numberOf(first + static_cast<int>(i));
            const double before = sum;
            sum += power.of(triangle);
            if (sum > before)
                lamps.emplace_back(number, sum);
            else
                dark = number;
        }
        first += static_cast<int>(mesh.faces.size());
    }
    if (lamps.empty() && dark >= 0) lamps.emplace_back(dark, 1);  // kernels always draw one
    return lampRecords<Real>(lamps, 2 * M_PI);
}

/// What lists of shapes are made of.
template <class Real>
struct Shapes {
    const Scene& scene;
    std::vector<FaceRecord> faces;
    std::vector<CornerRecord<Real>> corners;

    int spheres() const { return static_cast<int>(scene.spheres.size()); }
    /// Of entry `i` of a list, which counts spheres and triangles in one, and has complements of
    /// the numbers of places.
    ShapeId numberOf(int i) const { return i < spheres() ? i : kTriangleShape + i - spheres(); }
    const FaceRecord& face(int i) const { return faces[i - spheres()]; }
    Vec3<Real> corner(int i, int k) const { return corners[face(i).corner[k]].v; }

    FloatBox boxOf(int i) const {
        if (i < spheres()) {
            const Sphere& s = scene.spheres[i];
            const auto low = [&](int a) { return static_cast<float>(s.center[a] - s.radius); };
            const auto high = [&](int a) { return static_cast<float>(s.center[a] + s.radius); };
            return {{nextBelow(low(0)), nextBelow(low(1)), nextBelow(low(2))},
                    {-nextBelow(-high(0)), -nextBelow(-high(1)), -nextBelow(-high(2))}};
        }
        const Vec3<Real> a = corner(i, 0), b = corner(i, 1), c = corner(i, 2);
        const auto low = [](Real p, Real q, Real r) {
            return static_cast<float>(std::min({p, q, r}));  // single precision holds the corners
        };
        const auto high = [](Real p, Real q, Real r) {
            return static_cast<float>(std::max({p, q, r}));
        };
        return {{low(a.x, b.x, c.x), low(a.y, b.y, c.y), low(a.z, b.z, c.z)},
                {high(a.x, b.x, c.x), high(a.y, b.y, c.y), high(a.z, b.z, c.z)}};
    }
};

template <class Real>
std::vector<ListedShape<Real>> listedShapes(const Shapes<Real>& shapes,
                                            const std::vector<int>& list) {
    std::vector<ListedShape<Real>> listed(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
        const int i = list[k];
        if (i < shapes.spheres())
            listed[k].id = i;
        else
            listed[k] = {shapes.corner(i, 0), shapes.numberOf(i),
                         shapes.corner(i, 1), 0,
                         shapes.corner(i, 2), 0};
    }
    return listed;
}

template <class Real>
std::vector<HalfShape> halfShapes(const Shapes<Real>& shapes, const std::vector<int>& list,
                                  const HalfFrame& frame) {
    std::vector<HalfShape> listed(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
        const int i = list[k];
        const auto corner = [&](int c) {
            const Vec3<Real> v = shapes.corner(i, c);
            return Vec3<float>{static_cast<float>(v.x), static_cast<float>(v.y),
                               static_cast<float>(v.z)};
        };
        if (i < shapes.spheres())
            listed[k].id = i;
        else
            listed[k] = halfShape(corner(0), corner(1), corner(2), shapes.numberOf(i), frame);
    }
    return listed;
}

template <class Real>
std::vector<IndexedShape> indexedShapes(const Shapes<Real>& shapes, const std::vector<int>& list) {
    std::vector<IndexedShape> listed;
    listed.reserve(list.size());
    for (const int i : list) {
        IndexedShape shape{{}, shapes.numberOf(i)};
        if (i >= shapes.spheres()) std::copy_n(shapes.face(i).corner, 3, shape.corner);
        listed.push_back(shape);
    }
    return listed;
}

/// The components of the corners of triangles one after the other, those of spheres being zero.
template <class Real>
std::vector<Real> componentsOf(const Shapes<Real>& shapes, const std::vector<int>& list) {
    std::vector<Real> components(9 * list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k] < shapes.spheres()) continue;
        for (int c = 0; c < 3; ++c) {
            const Vec3<Real> v = shapes.corner(list[k], c);
            Real* const at = components.data() + 3 * c * list.size() + k;
            at[0] = v.x, at[list.size()] = v.y, at[2 * list.size()] = v.z;
        }
    }
    return components;
}

template <class Real>
std::vector<TransformedTriangle<Real>> transformed(const Shapes<Real>& shapes,
                                                   const std::vector<int>& list) {
    std::vector<TransformedTriangle<Real>> listed(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k] < shapes.spheres()) continue;
        const auto corner = [&](int c) {
            const Vec3<Real> v = shapes.corner(list[k], c);
            return Vec3<double>{v.x, v.y, v.z};
        };
        listed[k] = transformedTriangle<Real>(corner(0), corner(1), corner(2));
    }
    return listed;
}

template <class Real>
std::vector<ShapeId> numbersOf(const Shapes<Real>& shapes, const std::vector<int>& list) {
    std::vector<ShapeId> numbers;
    numbers.reserve(list.size());
    for (const int i : list) numbers.push_back(shapes.numberOf(i));
    return numbers;
}

/// The list in the form that core/mesh_tree.h reads.
template <class Real>
void appendList(MeshHeader& header, Appended& to, const Shapes<Real>& shapes,
                const std::vector<int>& list, const TrianglePacking& packing) {
    stopPoint();
    header.test = packing.test;
    switch (formOf(packing)) {
        case ListForm::unrolled:
            header.listed = to.append(listedShapes(shapes, list));
            break;
        case ListForm::indexed:
            header.listed = to.append(indexedShapes(shapes, list));
            break;
        case ListForm::half:
            header.listed = to.append(halfShapes(shapes, list, header.halves));
            break;
        case ListForm::soa:
            header.listed = to.append(componentsOf(shapes, list));
            header.numbers = to.append(numbersOf(shapes, list));
            break;
        case ListForm::transformed:
            header.listed = to.append(transformed(shapes, list));
            header.numbers = to.append(numbersOf(shapes, list));
            break;
    }
}

/// Leaves room for the list that a GPU writes, and says where its nodes begin. Returns the bytes of
/// the list.
template <class Real>
std::size_t leaveRoom(MeshHeader& header, Appended& to, const TrianglePacking& packing) {
    const auto count = static_cast<std::size_t>(header.tree.listed);
    header.test = packing.test;
    switch (formOf(packing)) {
        case ListForm::unrolled:
            header.listed = to.leave<ListedShape<Real>>(count);
            break;
        case ListForm::indexed:
            header.listed = to.leave<IndexedShape>(count);
            break;
        case ListForm::half:
            header.listed = to.leave<HalfShape>(count);
            break;
        case ListForm::soa:
            header.listed = to.leave<Real>(9 * count);
            header.numbers = to.leave<ShapeId>(count);
            break;
        case ListForm::transformed:
            header.listed = to.leave<TransformedTriangle<Real>>(count);
            header.numbers = to.leave<ShapeId>(count);
            break;
    }
    header.nodes = to.leave<BvhNode>(0, sizeof(BvhNode));
    return std::size_t{16} * (header.nodes - header.listed);
}

/// The radius by which slackAt() (core/bvh.h) widens boxes: triangles need no more than large
/// spheres do.
float smallestRadius(const Scene& scene, float reach) {
    double smallest = reach;
    for (const Sphere& s : scene.spheres) smallest = std::min(smallest, s.radius);
    return static_cast<float>(smallest);
}

/// Returns the roots of the trees below places.
template <class Real, int N>
std::vector<int> appendWide(MeshHeader& header, Appended& to, const Bvh& bvh,
                            const std::vector<ListedShape<Real>>& shapes) {
    WideTree<Real, N> tree = widened<Real, N>(bvh, shapes);
    header.lanes = N;
    header.root = tree.root;
    header.nodes = to.append(tree.nodes);
    header.listed = to.append(tree.blocks);
    return std::move(tree.pieces);
}

/// What a scene with places has in its list where there is no tree.
std::vector<int> listOfPlaces(const Scene& scene, const std::vector<PlacedPiece>& pieces) {
    std::vector<int> list(scene.spheres.size());
    std::iota(list.begin(), list.end(), 0);
    int places = 0;
    for (const PlacedPiece& piece : pieces) {
        for (std::size_t i = 0; i < piece.places.size(); ++i) list.push_back(~places++);
    }
    return list;
}

template <class Real>
PlaceRecord<Real> placeRecord(const Placement& place) {
    const glm::dmat4x3 in = inverseOf(place);
    const auto row = [&](int k) {
        return AffineRecord<Real>{toKernel<Real>(glm::dvec3(in[0][k], in[1][k], in[2][k])),
                                  static_cast<Real>(in[3][k])};
    };
    return {row(0), row(1), row(2), 0, 0, 0, 0};
}

/// Which place has each of the triangles 0, 1 << shift, 2 << shift, ...
template <class Real>
std::vector<int> guideTo(const std::vector<PlaceRecord<Real>>& places, int shift) {
    std::vector<int> guide;
    const int last = static_cast<int>(places.size()) - 2, all = places.back().first;
    int place = 0;
    for (long long number = 0; number < all; number += 1LL << shift) {
        while (place < last && places[static_cast<std::size_t>(place) + 1].first <= number) ++place;
        guide.push_back(place);
    }
    guide.push_back(last);
    return guide;
}

/// `firstListed`: of triangles in the list, where there is no tree. `wide`: roots of the pieces in
/// a wide tree; empty where there is none.
template <class Real>
void appendPlaces(MeshHeader& header, Appended& to, const std::vector<PlacedPiece>& pieces,
                  const Bvh* bvh, int firstListed, const std::vector<int>& wide) {
    std::size_t places = 0;
    for (const PlacedPiece& piece : pieces) places += piece.places.size();
    std::vector<PlaceRecord<Real>> records = zeroRecords<PlaceRecord<Real>>(places + 1);
    auto next = records.begin();
    int all = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const PlacedPiece& piece = pieces[i];
        for (const Placement& place : piece.places) {
            PlaceRecord<Real> record = placeRecord<Real>(place);
            record.first = all;
            record.shift = all - piece.firstFace;
            record.root = !wide.empty()    ? wide[i]
                          : bvh != nullptr ? bvh->pieces[i].root
                                           : firstListed + piece.firstFace;
            record.reach = bvh != nullptr ? bvh->pieces[i].reach : 0;
            copyRecord(*next++, record, record.reach);
            all += piece.faces;
        }
    }
    next->first = all;
    while ((all >> header.guideShift) > 2 * static_cast<long long>(places)) ++header.guideShift;
    header.places = to.append(records);
    header.guide = to.append(guideTo(records, header.guideShift));
}

/// Upper bound on the bytes of what rays walk. `places`: how many of the listed shapes are places.
std::size_t hierarchyBytes(std::size_t listed, std::size_t places, const Variant& variant) {
    const bool wide = variant.precision == Precision::float64;
    const int lanes = lanesOf(variant.accel);
    if (lanes > 0) {
        // a leaf of the binary tree has two shapes, or with places one; a node has two children
        const std::size_t most = (places > 0 ? listed : listed / 2) + kBlock;
        return most * (lanes == 4 ? sizeof(WideNode<4>) : sizeof(WideNode<8>)) +
               most * (wide ? sizeof(TriangleBlock<double>) : sizeof(TriangleBlock<float>)) + 64;
    }
    const std::size_t nodes =
        variant.accel == Accel::brute ? 0 : mostBvhNodes(static_cast<int>(listed));
    const bool apart = variant.triangle == TriangleTest::woop;  // soa takes less than unrolled
    return nodes * sizeof(BvhNode) +
           listed * (wide ? sizeof(ListedShape<double>) : sizeof(ListedShape<float>)) +
           (apart ? listed * sizeof(ShapeId) + 64 : 0);
}

/// Upper bound on the bytes of appendPlaces(), and of their nodes and those of their pieces.
std::size_t placesBytes(std::size_t places, bool wide) {
    if (places == 0) return 0;
    return (places + 1) * ((wide ? sizeof(PlaceRecord<double>) : sizeof(PlaceRecord<float>)) +
                           2 * sizeof(BvhNode) + 4 * sizeof(int)) +
           64;
}

}  // namespace

template <class Real>
MaterialRecord<Real> materialRecord(const Material& m, double inverseRadius) {
    return {toKernel<Real>(m.albedo),         static_cast<Real>(m.roughness),
            toKernel<Real>(m.emission),       static_cast<Real>(m.index),
            static_cast<Real>(inverseRadius), m.kind};
}

template <class Real>
std::size_t appendMeshes(PackedScene& packed, const Scene& given, const Bvh* bvh, int lanes,
                         const TrianglePacking& packing, const HalfFrame& halves) {
    const bool placed = hasPlaces(given);
    const Scene scene = placed ? withLampsFlattened(given) : given;
    std::vector<PlacedPiece> pieces;
    if (placed) pieces = placedPieces(scene);
    MeshHeader header{};
    header.halves = halves;
    const bool none = bvh != nullptr || packing.treeOnDevice;
    std::vector<int> list(none || placed ? 0 : shapeCount(scene));
    std::iota(list.begin(), list.end(), 0);
    if (placed && !none) list = listOfPlaces(scene, pieces);
    header.tree.outside = static_cast<int>(list.size());
    if (bvh != nullptr) {
        header.tree = bvh->header;
        header.tree.smallest = smallestRadius(scene, header.tree.reach);
        list = bvh->list;
    }
    const Shapes<Real> shapes{scene, facesOf(scene), cornersOf<Real>(scene)};
    if (placed && !none) {
        list.resize(list.size() + shapes.faces.size());
        std::iota(list.begin() + header.tree.outside, list.end(), shapes.spheres());
    }
    header.tree.listed = static_cast<int>(packing.treeOnDevice ? shapeCount(scene) : list.size());
    Appended to(packed);
    to.append(std::vector<MeshHeader>(1));
    std::size_t before = packed.size();
    if (bvh != nullptr && lanes == 8 && packing.compressed) {
        CompressedTree tree = compressed(*bvh, [&](int i) { return shapes.boxOf(i); });
        header.tree.nodes = static_cast<int>(tree.nodes.size());
        header.nodes = to.append(tree.nodes);
        list = std::move(tree.list);
        lanes = 0;
    } else if (bvh != nullptr && lanes == 0) {
        header.nodes = to.append(bvh->nodes);
    }
    const std::size_t nodeBytes = packed.size() - before;
    header.materials = to.append(materialsOf<Real>(scene));
    header.corners = to.append(shapes.corners);
    header.normals = to.append(normalsOf<Real>(scene));
    header.faces = to.append(shapes.faces);
    before = packed.size();
    std::vector<int> wide;
    if (lanes == 4)
        wide = appendWide<Real, 4>(header, to, *bvh, listedShapes(shapes, list));
    else if (lanes == 8)
        wide = appendWide<Real, 8>(header, to, *bvh, listedShapes(shapes, list));
    else if (!packing.treeOnDevice)
        appendList(header, to, shapes, list, packing);
    std::size_t treeBytes = nodeBytes + packed.size() - before;
    if (placed) {
        before = packed.size();
        appendPlaces<Real>(header, to, pieces, bvh, header.tree.outside, wide);
        treeBytes += packed.size() - before;
    }
    const std::vector<LampRecord<Real>> lamps = lampsOf<Real>(scene, pieces);
    header.lamps = to.append(lamps);
    header.lampCount = static_cast<int>(lamps.size());
    appendPictures<Real>(to, header, scene);
    if (packing.treeOnDevice) treeBytes = leaveRoom<Real>(header, to, packing);
    to.setHeader(header);
    return treeBytes;
}

void setPeer(PackedScene& packed, const Scene& scene, SceneLayout layout, const PeerSearch& peer) {
    const bool walls = traitsOf(scene).features & kWalls;
    const std::size_t spheres = paddedCount(scene) * sphereBytes<float>(layout, walls);
    reinterpret_cast<MeshHeader*>(packed.data() + spheres)->peer = &peer;
}

std::size_t meshBytes(const Scene& scene, const Variant& variant, Hierarchy hierarchy) {
    const bool wide = variant.precision == Precision::float64;
    std::size_t corners = 0, materials = 0, triangles = 0, places = 0;
    for (const SceneMesh& mesh : scene.meshes) {
        const std::size_t copied = copiedTriangles(mesh);
        corners += mesh.mesh->corners.size() + 3 * copied;
        triangles += mesh.mesh->faces.size() + copied;
        materials += mesh.mesh->materials.size();
        places += hasPlaces(scene) ? placeCount(mesh) : 0;
    }
    const std::size_t shapes = scene.spheres.size() + triangles + places;
    const std::size_t listed = hierarchy == Hierarchy::sbvh ? withParts(shapes) : shapes;
    if (needsNormals(scene)) corners *= 2;
    return sizeof(MeshHeader) + hierarchyBytes(listed, places, variant) +
           materials * (wide ? sizeof(MaterialRecord<double>) : sizeof(MaterialRecord<float>)) +
           corners * (wide ? sizeof(CornerRecord<double>) : sizeof(CornerRecord<float>)) +
           placesBytes(places, wide) +
           triangles *
               (sizeof(FaceRecord) + (hasLampOfTriangles(scene) ? sizeof(LampRecord<double>) : 0)) +
           64 + pictureBytes(scene);
}

template MaterialRecord<float> materialRecord(const Material&, double);
template MaterialRecord<double> materialRecord(const Material&, double);
template std::size_t appendMeshes<float>(PackedScene&, const Scene&, const Bvh*, int,
                                         const TrianglePacking&, const HalfFrame&);
template std::size_t appendMeshes<double>(PackedScene&, const Scene&, const Bvh*, int,
                                          const TrianglePacking&, const HalfFrame&);

}  // namespace rayscope
