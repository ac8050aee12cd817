#pragma once

#include <map>
#include <utility>
#include <vector>

#include "renderer/backend/moved_scene.h"
#include "renderer/base/aside.h"
#include "renderer/cuda/build_timer.h"
#include "renderer/cuda/tree_builder.h"
#include "renderer/scene/structures.h"

namespace rayscope {

/// What the bytes of a packed scene depend on.
struct ScenePacking {
    Precision precision{};
    SceneLayout layout{};
    Accel accel{};
    Hierarchy hierarchy{};
    int source = 0;  ///< of the kernels that build the hierarchy or fit its boxes
    TrianglePacking triangles{};
    auto operator<=>(const ScenePacking&) const = default;
};

/// Without a hierarchy that nothing walks.
ScenePacking packingOf(const Variant& variant, const Settings& settings);

/// A scene in each packing, in host and device memory, on demand. Linear hierarchies with two
/// children to a node are built on the device, the others on the host.
class DeviceScene {
public:
    /// architecture: of the device's machine code.
    explicit DeviceScene(const CudaDevice& device) : builder_(device) {}
    ~DeviceScene();
    DeviceScene(const DeviceScene&) = delete;
    DeviceScene& operator=(const DeviceScene&) = delete;

    void set(const SharedScene& scene);
    /// Renderer::moveSpheres()
    void follow(const MovedScene& scene);
    /// Renderer::adjustSphere()
    void adjust(int number, const Sphere& sphere);
    void giveHierarchy(const SharedBvh& built) { structures_.bvh.give(built); }
    /// Waits for the device where spheres have moved on it.
    const Scene& scene() const { return scene_.now(); }
    /// The same but for where spheres are.
    const Scene& outline() const { return scene_.outline(); }
    const SharedScene& sharedOutline() const { return scene_.outline(); }
    const Traits& traits() const { return traits_; }
    /// Grows with every set() and adjust(): whether a kernel is as fast as it was.
    unsigned number() const { return number_; }
    /// Grows with every change; 1 after the first.
    unsigned version() const { return version_; }

    const PackedScene& packed(const ScenePacking& packing);
    /// Whether onDevice() need wait neither for a compiler nor for millions of triangles to be
    /// packed, which a thread of its own does; waits for them up to `waitMs`. Fails with the
    /// compiler's log if the kernels that build hierarchies do not compile.
    Result<bool> ready(const ScenePacking& packing, double waitMs);
    /// Whether packing it takes no longer than a frame, or nothing.
    bool isPacked(const ScenePacking& packing) const;
    /// TreeKernels::problem(), where they build or fit the packing's hierarchy.
    std::string problem(const ScenePacking& packing);
    /// The same bytes in global memory, or the same but for a hierarchy that the device has built.
    /// Throws std::runtime_error.
    const unsigned char* onDevice(const ScenePacking& packing);
    /// After onDevice(): says where kernels read the nodes of a hierarchy as a texture. Throws
    /// std::runtime_error.
    template <class Real>
    void setTexels(const ScenePacking& packing, SceneParams<Real>& params) {
        const Block& b = textured(packing);
        params.texels = b.texels;
        params.firstTexel = b.firstTexel;
    }

    /// Records the zones of builds that are done.
    void recordBuilds();
    /// How long the packing's hierarchy took to build, as far as that is known; -1: it has none, or
    /// the device is not done.
    double buildMs(const ScenePacking& packing);
    /// FrameStats::hierarchyBytes
    std::size_t hierarchyBytes(const ScenePacking& packing) const;

private:
    /// What the host makes of a scene.
    struct OnHost {
        PackedScene bytes;               ///< without a hierarchy that the device builds
        int nodes = 0;                   ///< of a hierarchy that the device builds or fits, ...
        std::vector<int> outside;        ///< ... and the shapes outside it
        std::size_t hierarchyBytes = 0;  ///< without nodes that the device builds
        double buildMs = -1;             ///< of a hierarchy that the host builds
    };
    struct Block : OnHost {
        unsigned char* device = nullptr;
        size_t allocated = 0;            ///< bytes there
        cudaTextureObject_t texels = 0;  ///< 0: there is no texture of its nodes
        unsigned firstTexel = 0;         ///< SceneParams::firstTexel
        size_t stale = 0;                ///< so many of the first bytes are not on the device yet
        bool behind = false;   ///< spheres have moved on the device, and `bytes` know nothing
        bool built = true;     ///< its hierarchy fits the spheres
        bool adopted = false;  ///< TreeBuilder::adopt() has been called
        BuildTimer timer;
    };
    /// What is packed aside: the scene of this number, with the structures that it takes along.
    using Wanted = std::pair<ScenePacking, unsigned>;
    using Packed = std::pair<OnHost, Structures>;
    bool ofTriangles() const { return traits_.features & kTriangles; }
    bool builtOnDevice(const ScenePacking& packing) const;
    bool fittedOnDevice(const ScenePacking& packing) const;
    /// Whether its spheres may move without the host.
    bool movesOnDevice(const ScenePacking& packing) const;
    bool place(const ScenePacking& packing, Block& block);
    void catchUp(const ScenePacking& packing, Block& block);
    unsigned char* spheresOnDevice(const ScenePacking& packing);
    Block& block(const ScenePacking& packing);
    /// Uses no member, as a thread of its own may call it.
    static OnHost onHost(const ScenePacking& packing, bool treeOnDevice, const Scene& scene,
                         Structures& structures);
    bool packedAside(const ScenePacking& packing, double waitMs);
    void take(const Wanted& wanted, Packed packed);
    void keep(Block& block, const ScenePacking& packing, OnHost made) const;
    DeviceTree treeOf(const ScenePacking& packing, const Block& block) const;
    void build(const ScenePacking& packing, Block& block);
    void buildOverTriangles(const ScenePacking& packing, Block& block);
    void makeRoom(const ScenePacking& packing, Block& block, int nodes);
    static void allocate(Block& block, size_t bytes, const char* what);
    static void release(Block& block);
    const Block& textured(const ScenePacking& packing);
    void release();

    MovedScene scene_{SharedScene()};
    Traits traits_;
    Structures structures_;
    unsigned number_ = 0, version_ = 0;
    std::map<ScenePacking, Block> blocks_;
    TreeBuilder builder_;
    Aside<Wanted, Packed> aside_;
};

}  // namespace rayscope
