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
    packed_ = {};
    ++version_;
    ++edits_;
}

void HostScene::follow(const MovedScene& scene) {
    scene_ = scene;
    structures_.follow();
    packed_ = {};
    ++edits_;
}

void HostScene::adjust(int number, const Sphere& sphere) {
    SharedScene edited = std::exchange(scene_, SharedScene()).now();  // not shared with itself
    edited.change([&](Scene& scene) { scene.spheres[number] = sphere; });
    scene_ = edited;
    const Traits before = std::exchange(traits_, traitsOf(edited));
    ++edits_;
    if (structures_.move(number) || !(traits_ == before) || packed_.peer) packed_ = {};
    if (packed_.bytes.empty()) return;
    ++packedNumber_;
    packing_.precision == Precision::float64
        ? packSphere<double>(packed_.bytes, edited, packing_.layout, traits_, number)
        : packSphere<float>(packed_.bytes, edited, packing_.layout, traits_, number);
}

HostScene::Packing HostScene::packingOf(const Variant& v, Hierarchy hierarchy) {
    return {v.precision, v.sceneLayout,  v.accel,          hierarchy,
            v.triangle,  v.vertexLayout, v.vertexPrecision};
}

HostScene::Packed HostScene::pack(const Packing& p, const Scene& scene, Structures& structures) {
    const Zone zone("build");
    const bool peer = p.accel == Accel::embree;
    const Accel accel = peer ? Accel::brute : p.accel;
    const TrianglePacking triangles{.test = p.test, .layout = p.vertices, .precision = p.corners};
    Packed made;
    made.bytes =
        p.precision == Precision::float64
            ? packScene<double>(scene, p.layout, accel, &structures, p.hierarchy, triangles)
            : packScene<float>(scene, p.layout, accel, &structures, p.hierarchy, triangles);
    if (walksBvh(accel)) {
        made.buildMs = structures.bvh.buildMs(p.hierarchy);
        made.hierarchyBytes = structures.meshTreeBytes;
    }
    if (!peer) return made;
    // among copies it is 1.1 to 1.3 times as fast as among instances
    const bool copies = triangleCount(scene) <= kMaxTriangles;
    made.peer = embreeScene(copies ? flattened(scene) : scene);
    made.buildMs = made.peer->buildMs();
    setPeer(made.bytes, scene, p.layout, made.peer->search());
    return made;
}

/// Of no use if the scene has changed meanwhile.
void HostScene::take(const Wanted& wanted, Made made) {
    if (wanted.second != edits_) return;
    packing_ = wanted.first;
    ++packedNumber_;
    packed_ = std::move(made.first);
    structures_ = std::move(made.second);
}

bool HostScene::ready(const Variant& v, Hierarchy hierarchy, double waitMs) {
    const Packing wanted = packingOf(v, hierarchy);
    if (!takesLongToPack(outline()) || (!packed_.bytes.empty() && packing_ == wanted)) return true;
    const auto begin = [&] {
        return [wanted, scene = scene_.outline(),
                structures = std::exchange(structures_, {})]() mutable {
            Packed packed = pack(wanted, scene, structures);
            return Made(std::move(packed), std::move(structures));
        };
    };
    return aside_.ready({wanted, edits_}, waitMs, begin,
                        [this](const Wanted& w, Made made) { take(w, std::move(made)); });
}

const unsigned char* HostScene::packed(const Variant& v, Hierarchy hierarchy) {
    const Packing wanted = packingOf(v, hierarchy);
    if (aside_.makes({wanted, edits_}))
        aside_.finish([this](const Wanted& w, Made made) { take(w, std::move(made)); });
    if (packed_.bytes.empty() || packing_ != wanted) {
        packed_ = pack(wanted, scene(), structures_);
        packing_ = wanted;
        ++packedNumber_;
    }
    return packed_.bytes.data();
}

double HostScene::buildMs() const {
    return packed_.buildMs;
}

std::size_t HostScene::hierarchyBytes() const {
    return packed_.hierarchyBytes;
}

}  // namespace rayscope
