#pragma once

#include "renderer/core/scene_view.h"

// Where rays read the nodes of a hierarchy (Variant::nodeMemory).

namespace rayscope {

#if defined(__CUDACC__) || defined(__shared__)
/// NodeMemory::shared: copies of a hierarchy's uppermost nodes, level by level. A reference to a
/// copy is its number, marked.
template <class Node>
struct TopNodes {
    static constexpr int kMost = 128;
    static constexpr int kMark = 1 << 30;

    RAYSCOPE_FN static Node* nodes() {
        __shared__ Node copies[kMost];
        return copies;
    }
    /// Whether a walk refers to a copy: to the root, or by a marked number.
    RAYSCOPE_FN static bool has(int reference) {
        return static_cast<unsigned>(reference - 1) >= kMark - 1u;
    }
    RAYSCOPE_FN static const Node& at(int reference) { return nodes()[reference & (kMark - 1)]; }
};
#endif

#ifdef __CUDACC__
/// NodeMemory::texture.
template <class Node>
RAYSCOPE_FN Node texelsFrom(unsigned long long texture, int first) {
    constexpr int kTexels = sizeof(Node) / sizeof(uint4);
    struct Texels {
        uint4 at[kTexels];
    } texels;
    for (int k = 0; k < kTexels; ++k) texels.at[k] = tex1Dfetch<uint4>(texture, first + k);
    return __builtin_bit_cast(Node, texels);
}
#endif

/// The node to which a walk refers, of those at `nodes` in the packed scene.
template <class Node, class Real, Variant V>
RAYSCOPE_FN Node nodeAt([[maybe_unused]] const SceneView<Real, V>& scene, const Node* nodes,
                        int reference) {
#ifdef __CUDACC__
    if constexpr (V.nodeMemory == NodeMemory::texture) {
        constexpr int kTexels = sizeof(Node) / sizeof(uint4);
        const auto bytes = reinterpret_cast<const unsigned char*>(nodes) - scene.bytes;
        const int first = static_cast<int>(bytes / sizeof(uint4) - scene.params.firstTexel);
        return texelsFrom<Node>(scene.params.texels, first + reference * kTexels);
    }
#endif
#if defined(__CUDACC__) || defined(__shared__)
    if constexpr (V.nodeMemory == NodeMemory::shared) {
        // one load for both: with a branch the compiler duplicates the code that follows, and
        // city-10000000 runs at .85 of this speed on an H200
        using Top = TopNodes<Node>;
        return *(Top::has(reference) ? &Top::at(reference) : nodes + reference);
    }
#endif
    return nodes[reference];
}

}  // namespace rayscope
