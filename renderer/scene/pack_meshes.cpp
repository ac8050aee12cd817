#include "renderer/scene/pack_meshes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "renderer/core/mesh.h"
#include "renderer/scene/appended.h"
#include "renderer/scene/pack_pictures.h"
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
    std::vector<MaterialRecord<Real>> records;
    for (const SceneMesh& mesh : scene.meshes) {
        for (const Material& m : mesh.mesh->materials)
            records.push_back(materialRecord<Real>(mesh.material.value_or(m), 1));
    }
    return records;
}

template <class Real>
std::vector<CornerRecord<Real>> cornersOf(const Scene& scene) {
    std::vector<CornerRecord<Real>> records;
    for (const SceneMesh& placed : scene.meshes) {
        const Mesh& mesh = *placed.mesh;
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

/// Triangles that shine, and how much power those before them have; both sides of them shine.
template <class Real>
std::vector<LampRecord<Real>> lampsOf(const Scene& scene) {
    std::vector<std::pair<int, double>> lamps;
    double sum = 0;
    int first = 0;
    for (const SceneMesh& placed : scene.meshes) {
        const Mesh& mesh = *placed.mesh;
        for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
            const Triangle& triangle = mesh.faces[i];
            const Material& own = mesh.materials[triangle.material];
            const glm::dvec3 light = placed.material.value_or(own).emission;
            const double power = doubleArea(mesh, triangle) * (light.x + light.y + light.z);
            if (!(power > 0)) continue;
            sum += power;
            lamps.emplace_back(first + static_cast<int>(i), sum);
        }
        first += static_cast<int>(mesh.faces.size());
    }
    std::vector<LampRecord<Real>> records;
    double before = 0;
    for (const auto& [face, upTo] : lamps) {
        const double share = (upTo - before) / sum;
        records.push_back(
            {static_cast<Real>(upTo / sum), static_cast<Real>(1 / (2 * M_PI * share)), face});
        before = upTo;
    }
    return records;
}

/// The shapes of a list, by their numbers among spheres and triangles.
template <class Real>
std::vector<ListedShape<Real>> listedShapes(const std::vector<int>& list, int spheres,
                                            const std::vector<FaceRecord>& faces,
                                            const std::vector<CornerRecord<Real>>& corners) {
    std::vector<ListedShape<Real>> shapes(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k] < spheres) {
            shapes[k].id = list[k];
            continue;
        }
        const int i = list[k] - spheres;
        const auto corner = [&](int c) { return corners[faces[i].corner[c]].v; };
        shapes[k] = {corner(0), kTriangleShape + i, corner(1), 0, corner(2), 0};
    }
    return shapes;
}

/// The radius by which slackAt() (core/bvh.h) widens boxes: triangles need no more than large
/// spheres do.
float smallestRadius(const Scene& scene, float reach) {
    double smallest = reach;
    for (const Sphere& s : scene.spheres) smallest = std::min(smallest, s.radius);
    return static_cast<float>(smallest);
}

template <class Real, int N>
void appendWide(MeshHeader& header, Appended& to, const Bvh& bvh,
                const std::vector<ListedShape<Real>>& shapes) {
    const WideTree<Real, N> tree = widened<Real, N>(bvh, shapes);
    header.lanes = N;
    header.root = tree.root;
    header.nodes = to.append(tree.nodes);
    header.listed = to.append(tree.blocks);
}

/// Upper bound on the bytes of what rays walk.
std::size_t hierarchyBytes(std::size_t shapes, const Variant& variant) {
    const bool wide = variant.precision == Precision::float64;
    const int lanes = lanesOf(variant.accel);
    if (lanes > 0) {  // a leaf of the binary tree has two shapes, and a node two children
        const std::size_t most = shapes / 2 + kBlock;
        return most * (lanes == 4 ? sizeof(WideNode<4>) : sizeof(WideNode<8>)) +
               most * (wide ? sizeof(TriangleBlock<double>) : sizeof(TriangleBlock<float>)) + 64;
    }
    const std::size_t nodes =
        variant.accel == Accel::brute ? 0 : mostBvhNodes(static_cast<int>(shapes));
    return nodes * sizeof(BvhNode) +
           shapes * (wide ? sizeof(ListedShape<double>) : sizeof(ListedShape<float>));
}

}  // namespace

template <class Real>
MaterialRecord<Real> materialRecord(const Material& m, double inverseRadius) {
    return {toKernel<Real>(m.albedo),         static_cast<Real>(m.roughness),
            toKernel<Real>(m.emission),       static_cast<Real>(m.index),
            static_cast<Real>(inverseRadius), m.kind};
}

template <class Real>
void appendMeshes(PackedScene& packed, const Scene& scene, const Bvh* bvh, int lanes) {
    MeshHeader header{};
    std::vector<int> list(bvh != nullptr ? 0 : shapeCount(scene));
    std::iota(list.begin(), list.end(), 0);
    header.tree.outside = static_cast<int>(list.size());
    if (bvh != nullptr) {
        header.tree = bvh->header;
        header.tree.smallest = smallestRadius(scene, header.tree.reach);
    }
    header.tree.listed = static_cast<int>(shapeCount(scene));
    Appended to(packed);
    to.append(std::vector<MeshHeader>(1));
    if (bvh != nullptr && lanes == 0) to.append(bvh->nodes);
    const std::vector<CornerRecord<Real>> corners = cornersOf<Real>(scene);
    const std::vector<FaceRecord> faces = facesOf(scene);
    header.materials = to.append(materialsOf<Real>(scene));
    header.corners = to.append(corners);
    header.normals = to.append(normalsOf<Real>(scene));
    header.faces = to.append(faces);
    const auto shapes = listedShapes<Real>(bvh != nullptr ? bvh->list : list,
                                           static_cast<int>(scene.spheres.size()), faces, corners);
    if (lanes == 4)
        appendWide<Real, 4>(header, to, *bvh, shapes);
    else if (lanes == 8)
        appendWide<Real, 8>(header, to, *bvh, shapes);
    else
        header.listed = to.append(shapes);
    const std::vector<LampRecord<Real>> lamps = lampsOf<Real>(scene);
    header.lamps = to.append(lamps);
    header.lampCount = static_cast<int>(lamps.size());
    appendPictures<Real>(to, header, scene);
    to.setHeader(header);
}

void setPeer(PackedScene& packed, const Scene& scene, SceneLayout layout, const PeerSearch& peer) {
    const bool walls = traitsOf(scene).features & kWalls;
    const std::size_t spheres = paddedCount(scene) * sphereBytes<float>(layout, walls);
    reinterpret_cast<MeshHeader*>(packed.data() + spheres)->peer = &peer;
}

std::size_t meshBytes(const Scene& scene, const Variant& variant) {
    const bool wide = variant.precision == Precision::float64;
    const std::size_t shapes = shapeCount(scene);
    std::size_t corners = 0, materials = 0;
    for (const SceneMesh& mesh : scene.meshes) {
        corners += mesh.mesh->corners.size();
        materials += mesh.mesh->materials.size();
    }
    if (needsNormals(scene)) corners *= 2;
    return sizeof(MeshHeader) + hierarchyBytes(shapes, variant) +
           materials * (wide ? sizeof(MaterialRecord<double>) : sizeof(MaterialRecord<float>)) +
           corners * (wide ? sizeof(CornerRecord<double>) : sizeof(CornerRecord<float>)) +
           static_cast<std::size_t>(triangleCount(scene)) *
               (sizeof(FaceRecord) + (hasLampOfTriangles(scene) ? sizeof(LampRecord<double>) : 0)) +
           64 + pictureBytes(scene);
}

template MaterialRecord<float> materialRecord(const Material&, double);
template MaterialRecord<double> materialRecord(const Material&, double);
template void appendMeshes<float>(PackedScene&, const Scene&, const Bvh*, int);
template void appendMeshes<double>(PackedScene&, const Scene&, const Bvh*, int);

}  // namespace rayscope
