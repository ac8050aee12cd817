#include "renderer/cuda/device_scene.h"

#include <algorithm>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/sources.h"
#include "renderer/cuda/check.h"
#include "renderer/scene/linear_bvh.h"

namespace rayscope {

namespace {

PackedScene packedAs(const ScenePacking& p, Accel accel, bool treeOnDevice, const Scene& scene,
                     Structures& structures) {
    TrianglePacking triangles = p.triangles;
    triangles.treeOnDevice = treeOnDevice;
    return p.precision == Precision::float64
               ? packScene<double>(scene, p.layout, accel, &structures, p.hierarchy, triangles)
               : packScene<float>(scene, p.layout, accel, &structures, p.hierarchy, triangles);
}

/// Whether the device fits the boxes of a tree that the host has built.
bool fitted(const ScenePacking& p, const Scene& scene) {
    return p.accel == Accel::bvh && p.hierarchy == Hierarchy::refit && !isOfTriangles(scene);
}

}  // namespace

ScenePacking packingOf(const Variant& variant, const Settings& settings) {
    const Hierarchy hierarchy = walksBvh(variant.accel) ? settings.hierarchy : Hierarchy::sah;
    return {variant.precision,
            variant.sceneLayout,
            variant.accel,
            hierarchy,
            isForHost(hierarchy) ? kBuiltIn : settings.source,
            trianglePacking(variant)};
}

DeviceScene::~DeviceScene() {
    release();
}

void DeviceScene::allocate(Block& b, size_t bytes, const char* what) {
    check(cudaMalloc(reinterpret_cast<void**>(&b.device), bytes), what);
    b.allocated = bytes;
}

void DeviceScene::release(Block& b) {
    if (b.texels != 0) warn(cudaDestroyTextureObject(std::exchange(b.texels, 0)), "free a texture");
    if (b.device != nullptr) warn(cudaFree(std::exchange(b.device, nullptr)), "free a scene");
}

void DeviceScene::release() {
    for (auto& [packing, b] : blocks_) release(b);
    blocks_.clear();
}

void DeviceScene::set(const SharedScene& scene) {
    release();
    structures_.change();
    scene_ = scene;
    traits_ = traitsOf(scene);
    ++number_;
    ++version_;
}

void DeviceScene::follow(const MovedScene& scene) {
    scene_ = scene;
    structures_.follow();
    for (auto b = blocks_.begin(); b != blocks_.end();) {
        auto& [packing, block] = *b;
        if (block.bytes.empty() || !movesOnDevice(packing)) {
            release(block);
            b = blocks_.erase(b);
            continue;
        }
        block.behind = true;
        if (block.device != nullptr && !place(packing, block)) catchUp(packing, block);
        block.built = packing.accel == Accel::brute;
        ++b;
    }
    ++version_;
}

/// Moves the spheres in device memory to where bodies are there.
bool DeviceScene::place(const ScenePacking& packing, Block& b) {
    if (scene_.bodies() == nullptr || b.stale > 0 || (traits_.features & kWalls)) return false;
    return scene_.bodies()->place(b.device, packing.precision, packing.layout,
                                  paddedCount(outline()));
}

/// Packs the spheres as they are now.
void DeviceScene::catchUp(const ScenePacking& packing, Block& b) {
    if (!std::exchange(b.behind, false)) return;
    const PackedScene spheres =
        packedAs(packing, Accel::brute, builtOnDevice(packing), scene(), structures_);
    std::copy(spheres.begin(), spheres.end(), b.bytes.begin());
    b.stale = std::max(b.stale, spheres.size());
}

void DeviceScene::adjust(int number, const Sphere& sphere) {
    for (auto& [packing, b] : blocks_) catchUp(packing, b);
    SharedScene edited = std::exchange(scene_, SharedScene()).now();  // not shared with itself
    edited.change([&](Scene& scene) { scene.spheres[number] = sphere; });
    scene_ = edited;
    const Traits before = std::exchange(traits_, traitsOf(edited));
    if (structures_.move(number) || !(traits_ == before)) release();
    for (auto& [packing, b] : blocks_) {
        if (b.bytes.empty()) continue;
        packing.precision == Precision::float64
            ? packSphere<double>(b.bytes, edited, packing.layout, traits_, number)
            : packSphere<float>(b.bytes, edited, packing.layout, traits_, number);
        b.stale = b.bytes.size();
        if (builtOnDevice(packing)) b.built = false;
    }
    ++number_;
    ++version_;
}

bool DeviceScene::builtOnDevice(const ScenePacking& p) const {
    return p.accel == Accel::bvh && isForDevice(p.hierarchy) && shapeCount(outline()) > 0;
}

bool DeviceScene::fittedOnDevice(const ScenePacking& p) const {
    return fitted(p, outline());
}

bool DeviceScene::movesOnDevice(const ScenePacking& p) const {
    return p.accel == Accel::brute || builtOnDevice(p) || fittedOnDevice(p);
}

DeviceScene::OnHost DeviceScene::onHost(const ScenePacking& p, bool treeOnDevice,
                                        const Scene& scene, Structures& structures) {
    OnHost made;
    made.bytes =
        packedAs(p, treeOnDevice ? Accel::brute : p.accel, treeOnDevice, scene, structures);
    if (walksBvh(p.accel)) {
        made.hierarchyBytes = structures.meshTreeBytes;
        made.buildMs = structures.treesOf(p.triangles.precision).buildMs(p.hierarchy);
    }
    if (treeOnDevice) {
        made.outside = outsideTree(scene);
        const int inTree = static_cast<int>(scene.spheres.size() - made.outside.size());
        made.nodes = isOfTriangles(scene) ? 0 : linearNodes(inTree);  // makeRoom()
    } else if (fitted(p, scene)) {
        const Bvh& bvh = structures.bvh.of(scene, p.hierarchy);
        made.outside.assign(bvh.list.begin(), bvh.list.begin() + bvh.header.outside);
        made.nodes = bvh.header.nodes;
    }
    return made;
}

void DeviceScene::keep(Block& b, const ScenePacking& p, OnHost made) const {
    static_cast<OnHost&>(b) = std::move(made);
    b.stale = b.bytes.size();
    b.built = !builtOnDevice(p);
}

DeviceScene::Block& DeviceScene::block(const ScenePacking& p) {
    Block& b = blocks_[p];
    if (b.bytes.empty() && aside_.makes({p, number_}))
        aside_.finish([this](const Wanted& w, Packed packed) { take(w, std::move(packed)); });
    if (b.bytes.empty()) keep(b, p, onHost(p, builtOnDevice(p), scene(), structures_));
    return b;
}

/// Of no use if the scene has changed meanwhile.
void DeviceScene::take(const Wanted& wanted, Packed packed) {
    if (wanted.second != number_) return;
    structures_ = std::move(packed.second);
    keep(blocks_[wanted.first], wanted.first, std::move(packed.first));
}

bool DeviceScene::isPacked(const ScenePacking& p) const {
    if (!takesLongToPack(outline())) return true;
    const auto known = blocks_.find(p);
    return known != blocks_.end() && !known->second.bytes.empty();
}

/// Whether block() need not wait.
bool DeviceScene::packedAside(const ScenePacking& p, double waitMs) {
    if (isPacked(p)) return true;
    const auto begin = [&] {
        return [p, treeOnDevice = builtOnDevice(p), scene = sharedOutline(),
                structures = std::exchange(structures_, {})]() mutable {
            const Zone zone("pack");
            OnHost made = onHost(p, treeOnDevice, scene, structures);
            return Packed(std::move(made), std::move(structures));
        };
    };
    return aside_.ready({p, number_}, waitMs, begin,
                        [this](const Wanted& w, Packed packed) { take(w, std::move(packed)); });
}

const PackedScene& DeviceScene::packed(const ScenePacking& packing) {
    Block& b = block(packing);
    catchUp(packing, b);
    return b.bytes;
}

Result<bool> DeviceScene::ready(const ScenePacking& packing, double waitMs) {
    const Clock::time_point start = Clock::now();
    if (!packedAside(packing, waitMs)) return false;
    if (!builtOnDevice(packing) && !fittedOnDevice(packing)) return true;
    return builder_.ready(packing.source, std::max(waitMs - millisecondsSince(start), 0.));
}

std::string DeviceScene::problem(const ScenePacking& packing) {
    if (!builtOnDevice(packing) && !fittedOnDevice(packing)) return {};
    return builder_.problem(packing.source);
}

DeviceTree DeviceScene::treeOf(const ScenePacking& p, const Block& b) const {
    const bool walls = traits_.features & kWalls;
    DeviceTree t;
    t.source = p.source;
    t.variant = {p.precision, p.layout, walls, mortonBits(p.hierarchy), p.triangles};
    t.variant.clusters = ofTriangles() && p.hierarchy == Hierarchy::ploc;
    t.scene = b.device;
    t.spheres = static_cast<int>(outline().spheres.size());
    t.padded = paddedCount(outline());
    t.spheresBytes = size_t{1} * t.padded *
                     (p.precision == Precision::float64 ? sphereBytes<double>(p.layout, walls)
                                                        : sphereBytes<float>(p.layout, walls));
    t.nodes = b.nodes;
    t.outside = b.outside;
    if (ofTriangles()) {
        t.triangles = triangleCount(outline());
        t.mesh = reinterpret_cast<const MeshHeader*>(b.bytes.data() + t.spheresBytes);
    }
    return t;
}

/// Moves a scene to memory that has room for the list and so many nodes behind it.
void DeviceScene::makeRoom(const ScenePacking& packing, Block& b, int nodes) {
    DeviceTree tree = treeOf(packing, b);
    tree.nodes = nodes;
    Block larger;
    allocate(larger, sceneBytes(tree), "allocate the hierarchy");
    const cudaError_t copied =
        cudaMemcpy(larger.device, b.device, b.bytes.size(), cudaMemcpyDeviceToDevice);
    release(b);
    b.device = larger.device;
    b.allocated = larger.allocated;
    b.nodes = nodes;
    check(copied, "make room for the hierarchy");
}

void DeviceScene::buildOverTriangles(const ScenePacking& packing, Block& b) {
    b.timer.begin();
    DeviceTree tree = treeOf(packing, b);
    std::optional<int> nodes = builder_.count(tree, b.timer);
    if (!nodes) {  // as clusters may be merged one after the other
        tree.variant.clusters = false;
        nodes = builder_.count(tree, b.timer);
    }
    if (*nodes > b.nodes) makeRoom(packing, b, *nodes);
    tree.scene = b.device;
    tree.nodes = *nodes;
    builder_.write(tree, b.timer);
    b.timer.end();
    builder_.release();
    b.built = true;
}

void DeviceScene::build(const ScenePacking& packing, Block& b) {
    if (ofTriangles()) return buildOverTriangles(packing, b);
    const DeviceTree tree = treeOf(packing, b);
    const bool fits = fittedOnDevice(packing);
    b.timer.begin();
    if (fits && !b.adopted) builder_.adopt(tree, b.timer);
    b.adopted = true;
    fits ? builder_.refit(tree, b.timer) : builder_.build(tree, b.timer);
    b.timer.end();
    b.built = true;
}

unsigned char* DeviceScene::spheresOnDevice(const ScenePacking& packing) {
    Block& b = block(packing);
    if (b.bytes.empty()) return nullptr;
    if (b.device == nullptr) {
        const bool tree = (builtOnDevice(packing) && !ofTriangles()) || fittedOnDevice(packing);
        const size_t size = tree ? sceneBytes(treeOf(packing, b)) : b.bytes.size();
        allocate(b, size, "allocate the scene");
        catchUp(packing, b);
    }
    if (b.stale > 0) {
        check(cudaMemcpyAsync(b.device, b.bytes.data(), b.stale, cudaMemcpyHostToDevice),
              "copy the scene to the device");
        b.stale = 0;
    }
    return b.device;
}

const unsigned char* DeviceScene::onDevice(const ScenePacking& packing) {
    const bool any = spheresOnDevice(packing) != nullptr;
    Block& b = block(packing);
    if (any && !b.built) build(packing, b);
    return b.device;
}

/// Of a mesh's pictures, which may lie before the nodes, a texture would hold no more than 4 GiB:
/// it begins near the nodes.
const DeviceScene::Block& DeviceScene::textured(const ScenePacking& packing) {
    constexpr size_t kAlignment = 512, kMost = size_t{16} << 28;  // of any device
    Block& b = block(packing);
    if (b.texels != 0) return b;
    const DeviceTree tree = treeOf(packing, b);
    const size_t nodes =
        tree.mesh != nullptr ? tree.spheresBytes + size_t{16} * tree.mesh->nodes : 0;
    const size_t first = nodes - nodes % kAlignment;
    if (first >= b.allocated) return b;  // there are no nodes
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = b.device + first;
    resource.res.linear.desc = cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindUnsigned);
    resource.res.linear.sizeInBytes = std::min(b.allocated - first, kMost);
    const cudaTextureDesc texture{};
    check(cudaCreateTextureObject(&b.texels, &resource, &texture, nullptr),
          "make a texture of the nodes");
    b.firstTexel = static_cast<unsigned>(first / sizeof(uint4));
    return b;
}

void DeviceScene::recordBuilds() {
    for (auto& [packing, block] : blocks_) block.timer.ms();
}

std::size_t DeviceScene::hierarchyBytes(const ScenePacking& packing) const {
    const auto known = blocks_.find(packing);
    if (known == blocks_.end()) return 0;
    const Block& b = known->second;
    return b.hierarchyBytes + (ofTriangles() ? b.nodes * sizeof(BvhNode) : 0);
}

double DeviceScene::buildMs(const ScenePacking& packing) {
    if (!walksBvh(packing.accel)) return -1;
    const auto known = blocks_.find(packing);
    if (known == blocks_.end()) return -1;
    const double onDevice = known->second.timer.ms();
    return builtOnDevice(packing) || onDevice >= 0 ? onDevice : known->second.buildMs;
}

}  // namespace rayscope
