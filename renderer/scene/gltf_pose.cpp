#include "renderer/scene/gltf_pose.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/scene/loose_json.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// Sets of four joints and weights that a corner has at most.
constexpr int kMostJointSets = 8;
constexpr std::size_t kMostJoints = std::size_t{1} << 20;

}  // namespace

bool hasMorphs(const json& primitive, const json& weights) {
    return member(primitive, "targets").is_array() && weights.is_array() &&
           std::any_of(weights.begin(), weights.end(),
                       [](const json& weight) { return numberOr(weight, 0) != 0; });
}

bool morphsColours(const json& primitive, const json& weights) {
    if (!hasMorphs(primitive, weights)) return false;
    const json& targets = member(primitive, "targets");
    return std::any_of(targets.begin(), targets.end(), [](const json& target) {
        return !member(target, "COLOR_0").is_null() || !member(target, "TEXCOORD_0").is_null();
    });
}

void addMorphs(GltfBuffers& buffers, const json& primitive, const char* attribute,
               const json& weights, std::span<glm::dvec3> values) {
    const json& targets = member(primitive, "targets");
    if (!targets.is_array() || !weights.is_array()) return;
    for (std::size_t t = 0; t < targets.size() && t < weights.size(); ++t) {
        const double weight = numberOr(weights[t], 0);
        const json& accessor = member(targets[t], attribute);
        if (weight == 0 || accessor.is_null()) continue;
        const Elements target = buffers.elements(countOf(accessor), {"VEC3", "VEC4"});
        if (target.count != values.size())
            throw GltfProblem{"a morph target and its mesh have different numbers of vertices"};
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight * target.vector(i);
    }
}

GltfSkin::GltfSkin(const json& root, GltfBuffers& buffers, GltfNodes& nodes, long long skin) {
    const json& found = elementOf(root, "skins", skin);
    const json& joints = member(found, "joints");
    if (!joints.is_array() || joints.size() > kMostJoints)
        throw GltfProblem{fmt::format("skins[{}] has no joints, or too many", skin)};
    std::optional<Elements> inverses;
    const json& accessor = member(found, "inverseBindMatrices");
    if (!accessor.is_null()) {
        inverses = buffers.elements(countOf(accessor), {"MAT4"});
        if (inverses->count < joints.size())
            throw GltfProblem{fmt::format("skins[{}] has fewer matrices than joints", skin)};
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
        glm::dmat4 inverse(1);
        for (std::size_t i = 0; i < 16 && inverses; ++i)
            inverse[static_cast<int>(i / 4)][static_cast<int>(i % 4)] = inverses->number(j, i);
        joints_.push_back(nodes.transformOf(countOf(joints[j])) * inverse);
    }
}

SkinnedCorners GltfSkin::corners(GltfBuffers& buffers, const json& attributes,
                                 std::size_t count) const {
    SkinnedCorners corners;
    corners.joints_ = &joints_;
    for (int set = 0; set < kMostJointSets; ++set) {
        const json& jointsAt = member(attributes, fmt::format("JOINTS_{}", set).c_str());
        const json& weightsAt = member(attributes, fmt::format("WEIGHTS_{}", set).c_str());
        if (jointsAt.is_null() || weightsAt.is_null()) break;
        corners.sets_.push_back({buffers.elements(countOf(jointsAt), {"VEC4"}),
                                 buffers.elements(countOf(weightsAt), {"VEC4"})});
        if (corners.sets_.back().joints.count != count ||
            corners.sets_.back().weights.count != count)
            throw GltfProblem{"the numbers of joints, weights and positions differ"};
    }
    return corners;
}

glm::dmat4 SkinnedCorners::at(std::size_t corner) const {
    glm::dmat4 sum(0);
    double whole = 0;
    for (const Set& set : sets_) {
        for (std::size_t part = 0; part < 4; ++part) {
            const double weight = set.weights.number(corner, part);
            if (!(weight > 0)) continue;
            const std::uint32_t joint = set.joints.whole(corner, part);
            if (joint >= joints_->size())
                throw GltfProblem{"a corner has a joint that is not there"};
            sum += weight * (*joints_)[joint];
            whole += weight;
        }
    }
    // rounded weights add up to nearly 1; a corner without any stays where it is bound
    return whole > 0 ? sum / whole : glm::dmat4(1);
}

}  // namespace rayscope
