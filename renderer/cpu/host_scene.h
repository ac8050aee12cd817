#pragma once

#include <memory>
#include <utility>

#include "renderer/backend/moved_scene.h"
#include "renderer/base/aside.h"
#include "renderer/cpu/embree_scene.h"
#include "renderer/scene/structures.h"

namespace rayscope {

/// A scene, packed on demand in the layout that a kernel reads.
class HostScene {
public:
    void set(const SharedScene& scene);
    /// Renderer::moveSpheres()
    void follow(const MovedScene& scene);
    /// Renderer::adjustSphere()
    void adjust(int number, const Sphere& sphere);
    void giveHierarchy(const SharedBvh& built) { structures_.bvh.give(built); }
    /// Waits for a device where spheres have moved there.
    const SharedScene& scene() const { return scene_.now(); }
    /// The same but for where spheres are.
    const Scene& outline() const { return scene_.outline(); }
    const Traits& traits() const { return traits_; }
    /// Grows with every set(); 1 after the first.
    unsigned version() const { return version_; }

    /// Whether packed() need not wait for millions of triangles, which a thread of its own packs;
    /// waits for them up to `waitMs`.
    bool ready(const Variant& variant, Hierarchy hierarchy, double waitMs);
    /// The scene as a kernel of the variant reads it.
    const unsigned char* packed(const Variant& variant, Hierarchy hierarchy);
    /// Its size, and a number that changes with its bytes.
    std::size_t packedBytes() const { return packed_.bytes.size(); }
    unsigned packedNumber() const { return packedNumber_; }
    /// Whether that is there already.
    bool isPacked(const Variant& variant, Hierarchy hierarchy) const {
        return !packed_.bytes.empty() && packing_ == packingOf(variant, hierarchy);
    }
    /// How long the last one packed took to build; -1: it has none.
    double buildMs() const;
    /// FrameStats::hierarchyBytes
    std::size_t hierarchyBytes() const;

private:
    struct Packing {
        Precision precision{};
        SceneLayout layout{};
        Accel accel{};
        Hierarchy hierarchy{};
        TriangleTest test{};
        VertexLayout vertices{};
        VertexPrecision corners{};
        bool operator==(const Packing&) const = default;
    };
    struct Packed {
        PackedScene bytes;                ///< empty: not packed yet
        std::unique_ptr<PeerScene> peer;  ///< Accel::embree; the bytes point to it
        double buildMs = -1;              ///< of the hierarchy
        std::size_t hierarchyBytes = 0;
    };
    static Packing packingOf(const Variant& variant, Hierarchy hierarchy);
    /// What is packed aside: the scene after so many edits, with the structures that it takes
    /// along.
    using Wanted = std::pair<Packing, unsigned>;
    using Made = std::pair<Packed, Structures>;
    static Packed pack(const Packing& packing, const Scene& scene, Structures& structures);
    void take(const Wanted& wanted, Made made);

    MovedScene scene_{SharedScene()};
    Traits traits_;
    Structures structures_;
    unsigned version_ = 0, edits_ = 0;
    Packed packed_;
    Packing packing_;  ///< of it
    unsigned packedNumber_ = 0;
    Aside<Wanted, Made> aside_;
};

}  // namespace rayscope
