#include "renderer/cpu/host_scene.h"

#include <utility>

#include "renderer/base/timeline.h"
#include "renderer/scene/pack_meshes.h"
#include "renderer/scene/places.h"

namespace rayscope {

void HostScene::set(const SharedScene& scene) {
    scene_ = scene;
    traits_ = traitsOf(scene);
    structures_.change();
    packed_.clear();
    ++version_;
}

void HostScene::follow(const MovedScene& scene) {
    scene_ = scene;
    structures_.follow();
    packed_.clear();
}

void HostScene::adjust(int number, const Sphere& sphere) {
    SharedScene edited = std::exchange(scene_, SharedScene()).now();  // not shared with itself
    edited.change([&](Scene& scene) { scene.spheres[number] = sphere; });
    scene_ = edited;
    const Traits before = std::exchange(traits_, traitsOf(edited));
    if (structures_.move(number) || !(traits_ == before) || peer_) packed_.clear();
    if (packed_.empty()) return;
    realBytes_ == sizeof(float) ? packSphere<float>(packed_, edited, layout_, traits_, number)
                                : packSphere<double>(packed_, edited, layout_, traits_, number);
}

template <class Real>
const unsigned char* HostScene::packed(SceneLayout layout, Accel accel, Hierarchy hierarchy,
                                       TriangleTest test) {
    if (packed_.empty() || layout_ != layout || accel_ != accel || hierarchy_ != hierarchy ||
        test_ != test || realBytes_ != sizeof(Real)) {
        const Zone zone("build");
        const bool peer = accel == Accel::embree;
        packed_ = packScene<Real>(scene(), layout, peer ? Accel::brute : accel, &structures_,
                                  hierarchy, {.test = test});
        peer_ = peer ? embreeScene(flattened(scene())) : nullptr;
        if (peer_) setPeer(packed_, scene(), layout, peer_->search());
        layout_ = layout;
        accel_ = accel;
        hierarchy_ = hierarchy;
        test_ = test;
        realBytes_ = sizeof(Real);
    }
    return packed_.data();
}

double HostScene::buildMs() const {
    if (peer_) return peer_->buildMs();
    return walksBvh(accel_) ? structures_.bvh.buildMs(hierarchy_) : -1;
}

std::size_t HostScene::hierarchyBytes() const {
    return walksBvh(accel_) ? structures_.meshTreeBytes : 0;
}

template const unsigned char* HostScene::packed<float>(SceneLayout, Accel, Hierarchy, TriangleTest);
template const unsigned char* HostScene::packed<double>(SceneLayout, Accel, Hierarchy,
                                                        TriangleTest);

}  // namespace rayscope
