// Hierarchies that the device builds: the host's trees node for node, the hits of brute force, and
// how long they take.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

#include <thread>

#include "renderer/core/intersect.h"
#include "renderer/cuda/device.h"
#include "renderer/cuda/device_scene.h"
#include "renderer/scene/to_kernel.h"
#include "tests/linear_scenes.h"
#include "tests/mesh_rays.h"

namespace rayscope {
namespace {

/// Bodies that the device moves to where they are in this scene, which no host copies.
class BodiesOf : public PlacedBodies {
public:
    explicit BodiesOf(Scene scene) : scene_(std::move(scene)) {}
    bool canBeDrawn() const override { return true; }
    std::vector<glm::dvec3> positions() const override {
        ADD_FAILURE() << "they pass through the host";
        return {};
    }
    bool place(unsigned char* to, Precision precision, SceneLayout layout, int) const override {
        if (precision != Precision::float32) return false;
        const PackedScene moved = packScene<float>(scene_, layout);
        return cudaMemcpy(to, moved.data(), moved.size(), cudaMemcpyHostToDevice) == cudaSuccess;
    }

private:
    Scene scene_;
};

/// Bodies that stay where they are.
class StillBodies : public PlacedBodies {
public:
    bool canBeDrawn() const override { return true; }
    std::vector<glm::dvec3> positions() const override { return {}; }
    bool place(unsigned char*, Precision, SceneLayout, int) const override { return true; }
};

/// A scene on the device, and its tree copied back.
class HierarchyGpu : public testing::Test {
protected:
    void SetUp() override {
        const auto device = openDevice(0);
        if (!device) GTEST_SKIP() << device.reason();
        device_ = device->info.name;
        gpu_ = *device;
        scene_ = std::make_unique<DeviceScene>(*gpu_);
    }

    /// The packed scene, with the tree behind its spheres.
    PackedScene copied(const ScenePacking& packing) {
        const unsigned char* const from = scene_->onDevice(packing);
        const size_t before = spheresBytes(packing);
        PackedScene bytes(before + sizeof(BvhHeader));
        copy(bytes, from);
        const auto* header = reinterpret_cast<const BvhHeader*>(bytes.data() + before);
        bytes.resize(bytes.size() + padded() * sizeof(int) + header->nodes * sizeof(BvhNode));
        copy(bytes, from);
        return bytes;
    }

    /// The packed scene of triangles, with list and nodes behind it.
    PackedScene copiedMesh(const ScenePacking& packing) {
        const unsigned char* const from = scene_->onDevice(packing);
        const size_t before = spheresBytes(packing);
        PackedScene bytes(before + sizeof(MeshHeader));
        copy(bytes, from);
        const auto* header = reinterpret_cast<const MeshHeader*>(bytes.data() + before);
        const size_t nodes = size_t{16} * header->nodes;
        bytes.resize(before + nodes + header->tree.nodes * sizeof(BvhNode));
        copy(bytes, from);
        return bytes;
    }

    Bvh treeIn(const PackedScene& bytes, const ScenePacking& packing) const {
        const auto* header =
            reinterpret_cast<const BvhHeader*>(bytes.data() + spheresBytes(packing));
        const auto* list = reinterpret_cast<const int*>(header + 1);
        const auto* nodes = reinterpret_cast<const BvhNode*>(list + padded());
        Bvh bvh;
        bvh.header = *header;
        bvh.list.assign(list, list + scene_->outline().spheres.size());
        bvh.nodes.assign(nodes, nodes + header->nodes);
        return bvh;
    }

    /// As the device makes them from the bytes of its spheres.
    std::vector<NodeBox> boxesIn(const PackedScene& bytes, const ScenePacking& p) const {
        const bool soa = p.layout == SceneLayout::soa;
        if (p.precision == Precision::float64)
            return soa ? boxes<Precision::float64, SceneLayout::soa>(bytes)
                       : boxes<Precision::float64, SceneLayout::aos>(bytes);
        return soa ? boxes<Precision::float32, SceneLayout::soa>(bytes)
                   : boxes<Precision::float32, SceneLayout::aos>(bytes);
    }

    /// The best of several builds.
    double bestBuildMs(const ScenePacking& packing) {
        double best = 1e9;
        const MovedScene still(SharedScene(scene_->scene()), std::make_shared<StillBodies>());
        scene_->onDevice(packing);
        for (int i = 0; i < 20; ++i) {
            scene_->follow(still);
            scene_->onDevice(packing);
            EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            best = std::min(best, scene_->buildMs(packing));
        }
        return best;
    }

    std::string device_;
    std::optional<CudaDevice> gpu_;
    std::unique_ptr<DeviceScene> scene_;

    size_t spheresBytes(const ScenePacking& p) const {
        const bool walls = scene_->traits().features & kWalls;
        return padded() * (p.precision == Precision::float64 ? sphereBytes<double>(p.layout, walls)
                                                             : sphereBytes<float>(p.layout, walls));
    }

private:
    size_t padded() const {
        return (scene_->outline().spheres.size() + kPadding - 1) / kPadding * kPadding;
    }
    static void copy(PackedScene& to, const unsigned char* from) {
        ASSERT_EQ(cudaMemcpy(to.data(), from, to.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    }

    template <Precision P, SceneLayout L>
    std::vector<NodeBox> boxes(const PackedScene& bytes) const {
        return scene_->traits().features & kWalls ? boxes<P, L, true>(bytes)
                                                  : boxes<P, L, false>(bytes);
    }
    template <Precision P, SceneLayout L, bool Walls>
    std::vector<NodeBox> boxes(const PackedScene& bytes) const {
        using Real = std::conditional_t<P == Precision::float64, double, float>;
        constexpr Variant V{.precision = P,
                            .sceneLayout = L,
                            .sceneMemory = SceneMemory::global,
                            .traits = {Walls ? kAllFeatures : kAllFeatures & ~kWalls}};
        const SceneParams<Real> params = sceneParams<Real>(scene_->outline(), false);
        const SceneView<Real, V> view{bytes.data(), params};
        std::vector<NodeBox> result;
        for (int i = 0; i < params.sphereCount; ++i) result.push_back(nodeBoxOf(view, i));
        return result;
    }
};

constexpr Hierarchy kLinear[] = {Hierarchy::lbvh, Hierarchy::lbvh60};
constexpr Hierarchy kOverTriangles[] = {Hierarchy::lbvh, Hierarchy::lbvh60, Hierarchy::ploc};

TEST_F(HierarchyGpu, BuildsTheHostsTreeNodeForNode) {
    std::vector<Scene> scenes = scenesForTrees();
    scenes.push_back(chainOf(20, 100'000));
    scenes.push_back(clusterOf(200'000));
    scenes.push_back(*findScene("field-100000"));
    int compared = 0;
    for (const Scene& scene : scenes) {
        if (scene.spheres.empty()) continue;  // has no bytes
        SCOPED_TRACE(scene.name + " of " + std::to_string(scene.spheres.size()));
        scene_->set(scene);
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            for (const SceneLayout layout : {SceneLayout::aos, SceneLayout::soa}) {
                for (const Hierarchy hierarchy : kLinear) {
                    const ScenePacking packing{precision, layout, Accel::bvh, hierarchy};
                    const PackedScene bytes = copied(packing);
                    const std::vector<NodeBox> boxes = boxesIn(bytes, packing);
                    const Bvh bvh = treeIn(bytes, packing);
                    expectSoundTree(bvh, boxes);
                    expectSameTree(bvh, buildLinearBvh(boxes, outsideTree(boxesOf(scene)),
                                                       mortonBits(hierarchy)));
                    if (HasFailure()) return;
                    ++compared;
                }
            }
        }
    }
    EXPECT_GT(compared, 100);
}

constexpr Variant walking(Accel accel) {
    Variant v;
    v.accel = accel;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    return v;
}

/// Rays whose hit with the device's tree is not that of trying all spheres.
long differingHits(const Scene& scene, const PackedScene& bytes, int rays, unsigned seed) {
    const SceneParams<float> params = sceneParams<float>(scene, false);
    const SceneView<float, walking(Accel::brute)> all{bytes.data(), params};
    const SceneView<float, walking(Accel::bvh)> tree{bytes.data(), params};
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto point = [&] { return glm::dvec3(unit(random), unit(random), unit(random)); };
    long differences = 0;
    for (int i = 0; i < rays; ++i) {
        const glm::dvec3 origin = point() * 12., to = point() * 4. + glm::dvec3(0, 1, 0);
        const glm::dvec3 way = to - origin;
        const double length = std::sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
        const Ray<float> ray{toKernel<float>(origin), toKernel<float>(way * (1 / length)), -1};
        const Hit<float> a = closestHit(all, ray);
        const Hit<float> b = closestHit(tree, ray);
        differences += a.shape != b.shape || a.distance != b.distance;
    }
    return differences;
}

TEST_F(HierarchyGpu, TenMillionRaysHitWhatTheyHitAmongAllSpheres) {
    constexpr ScenePacking kPacking{Precision::float32, SceneLayout::aos, Accel::bvh,
                                    Hierarchy::lbvh};
    for (const auto& [name, rays] :
         {std::pair{"weekend", 6'000'000}, {"field-1000", 3'900'000}, {"field-20000", 100'000}}) {
        const Scene scene = load(name);
        scene_->set(scene);
        const PackedScene bytes = copied(kPacking);
        std::atomic<long> differences = 0;
        const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        std::vector<std::thread> threads;
        for (int t = 0; t < cores; ++t) {
            threads.emplace_back([&, t, share = rays / cores + 1] {
                differences += differingHits(scene, bytes, share, t);
            });
        }
        for (std::thread& t : threads) t.join();
        EXPECT_EQ(differences, 0) << name;
    }
}

TEST_F(HierarchyGpu, FitsBoxesToSpheresThatKernelsHaveMoved) {
    const SharedScene first = load("field-5000");
    Scene scene = first;
    for (size_t i = 1; i < scene.spheres.size(); ++i)
        scene.spheres[i].center += glm::dvec3(i % 7, i % 5, i % 3) * .02;
    for (const Hierarchy hierarchy : {Hierarchy::refit, Hierarchy::lbvh, Hierarchy::lbvh60}) {
        const ScenePacking packing{Precision::float32, SceneLayout::aos, Accel::bvh, hierarchy};
        scene_->set(first);
        const Bvh before = treeIn(copied(packing), packing);
        if (hierarchy == Hierarchy::refit) expectSameTree(before, buildBvh(boxesOf(first)));
        scene_->follow({first, std::make_shared<BodiesOf>(scene)});
        const PackedScene bytes = copied(packing);
        const std::vector<NodeBox> boxes = boxesIn(bytes, packing);
        const Bvh after = treeIn(bytes, packing);
        expectSoundTree(after, boxes);
        Bvh expected = before;
        if (hierarchy == Hierarchy::refit)
            refit(expected, boxes);
        else
            expected = buildLinearBvh(boxes, outsideTree(boxesOf(scene)), mortonBits(hierarchy));
        expectSameTree(after, expected);
    }
}

/// To the bit. What rays hit with the tree that the device has built over triangles, and with each
/// of its lists.
TEST_F(HierarchyGpu, RaysHitTheTrianglesThatTheyHitAmongAll) {
    for (const Scene& scene : {soup(3000, 1), load("city-2000"), load("terrain-2000")}) {
        scene_->set(scene);
        const Mesh& mesh = *scene.meshes[0].mesh;
        for (const Hierarchy hierarchy : kOverTriangles) {
            const auto packed = [&](VertexLayout layout) {
                return copiedMesh({Precision::float32,
                                   SceneLayout::aos,
                                   Accel::bvh,
                                   hierarchy,
                                   0,
                                   {TriangleTest::watertight, layout}});
            };
            const Traced<float> brute(scene, Accel::brute);
            const Traced<float> unrolled(scene, packed(VertexLayout::unrolled));
            using Indexed = Traced<float, Accel::bvh, VertexLayout::indexed>;
            const Indexed indexed(scene, packed(VertexLayout::indexed));
            using Soa = Traced<float, Accel::bvh, VertexLayout::soa>;
            const Soa soa(scene, packed(VertexLayout::soa));
            expectSameHits(brute, unrolled, mesh, 20'000, 1);
            expectSameHits(brute, indexed, mesh, 5'000, 2);
            expectSameHits(brute, soa, mesh, 5'000, 3);
            if (HasFailure()) return;
        }
    }
}

/// Ten million triangles have the tree that the host builds from Morton codes.
TEST_F(HierarchyGpu, BuildsTheHostsTreeOverTriangles) {
    for (const char* name : {"city-20000", "terrain-1000000", "terrain-10000000"}) {
        const Scene scene = load(name);
        SCOPED_TRACE(name);
        scene_->set(scene);
        const ScenePacking packing{
            Precision::float32,         SceneLayout::aos, Accel::bvh, Hierarchy::lbvh60, 0,
            {{}, VertexLayout::indexed}};
        const PackedScene bytes = copiedMesh(packing);
        const auto* start = bytes.data() + spheresBytes(packing);
        const auto* header = reinterpret_cast<const MeshHeader*>(start);
        Bvh bvh;
        bvh.header = header->tree;
        const auto* list =
            reinterpret_cast<const IndexedShape*>(start + size_t{16} * header->listed);
        for (int k = 0; k < bvh.header.listed; ++k) bvh.list.push_back(list[k].id - kTriangleShape);
        const auto* nodes = reinterpret_cast<const BvhNode*>(start + size_t{16} * header->nodes);
        bvh.nodes.assign(nodes, nodes + bvh.header.nodes);
        expectSameLeaves(bvh, withoutGaps(buildLinearBvh(boxesOf(scene), MortonBits::bits60)));
    }
}

/// Printed, not judged.
TEST_F(HierarchyGpu, SaysHowLongBuildsOverTrianglesTake) {
    for (const char* name : {"city-1000000", "terrain-1000000", "terrain-10000000"}) {
        scene_->set(load(name));
        for (const Hierarchy hierarchy : kOverTriangles) {
            const ScenePacking packing{Precision::float32, SceneLayout::aos, Accel::bvh, hierarchy};
            const double ms = bestBuildMs(packing);
            EXPECT_GT(ms, 0);
            std::cout << device_ << ": " << name << " by "
                      << (hierarchy == Hierarchy::ploc   ? "clusters"
                          : hierarchy == Hierarchy::lbvh ? "30 bits"
                                                         : "60 bits")
                      << ": " << ms << " ms, "
                      << 1. * scene_->hierarchyBytes(packing) / shapeCount(scene_->outline())
                      << " bytes a triangle\n";
        }
    }
}

/// Printed, not judged.
TEST_F(HierarchyGpu, SaysHowLongBuildsTake) {
    for (const int count : {1024, 16384, 131072, 1048576}) {
        for (const Scene& scene : {clusterOf(count), cloudOf(count, 1)}) {
            scene_->set(scene);
            for (const Hierarchy hierarchy : {Hierarchy::lbvh, Hierarchy::lbvh60}) {
                const ScenePacking packing{Precision::float32, SceneLayout::aos, Accel::bvh,
                                           hierarchy};
                const double ms = bestBuildMs(packing);
                EXPECT_GT(ms, 0);
                std::cout << device_ << ": " << scene.name << " of " << count << " by "
                          << (hierarchy == Hierarchy::lbvh ? 30 : 60) << " bits: " << ms << " ms\n";
            }
        }
    }
}

/// A scene that moves, by way of the host.
TEST_F(Gpu, EveryHierarchyFollowsSpheres) {
    use("field-5000");
    Scene moved = scene_;
    for (size_t i = 1; i < moved.spheres.size(); ++i)
        moved.spheres[i].center += glm::dvec3(i % 7, i % 5, i % 3) * .02;
    for (const char* hierarchy : {"sah", "lbvh", "lbvh60", "refit"}) {
        for (const char* accel : {"accel=bvh", "accel=bvh4"}) {
            Settings settings = settings_;
            settings.samples = 4;
            for (const std::string& a : {std::string(accel), std::string("scene_memory=global"),
                                         std::string("hierarchy=") + hierarchy})
                ASSERT_EQ(assign(settings, a).reason(), "");
            SCOPED_TRACE(describe(settings));
            renderer_->setScene(moved);
            const Rendering expected = render(settings, 4);
            renderer_->setScene(scene_);
            render(settings, 4);
            renderer_->moveSpheres(SharedScene(moved));
            const Rendering picture = render(settings, 4);
            expectSameRays(picture.rays, expected.rays, 1e-5);
            EXPECT_LT(differenceAt(.99, picture, expected), 1e-4);
        }
    }
}

/// Through the renderer, with each engine that walks trees on the device.
TEST_F(Gpu, EveryHierarchyGivesTheSamePicture) {
    for (const char* name : {"weekend", "cornell", "field-20000"}) {
        use(name);
        for (const char* engine :
             {"engine=megakernel", "engine=regeneration", "engine=wavefront"}) {
            Settings settings = settings_;
            for (const char* a : {"accel=bvh", "scene_memory=global", engine})
                ASSERT_EQ(assign(settings, a).reason(), "");
            settings.samples = 4;
            const Rendering reference = render(settings, 4);
            for (const char* hierarchy :
                 {"hierarchy=lbvh", "hierarchy=lbvh60", "hierarchy=refit"}) {
                for (const char* accel : {"accel=bvh", "accel=bvh4"}) {
                    Settings other = settings;
                    ASSERT_EQ(assign(other, hierarchy).reason(), "");
                    ASSERT_EQ(assign(other, accel).reason(), "");
                    SCOPED_TRACE(scene_.name + ": " + describe(other));
                    const Rendering picture = render(other, 4);
                    expectComplete(picture, 4);
                    expectSameRays(picture.rays, reference.rays, 1e-5);
                    EXPECT_LT(differenceAt(.99, picture, reference), 1e-4);
                    EXPECT_GE(picture.stats.buildMs, 0);
                    if (HasFailure()) return;
                }
            }
        }
    }
}

}  // namespace
}  // namespace rayscope

#endif
