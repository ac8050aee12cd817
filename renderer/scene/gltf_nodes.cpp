#include "renderer/scene/gltf_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <glm/gtc/quaternion.hpp>

#include "renderer/scene/loose_json.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr std::size_t kMostVisitedNodes = std::size_t{1} << 20;

glm::dmat4 matrixOf(const glm::dvec3& translation, const glm::dquat& rotation,
                    const glm::dvec3& scale) {
    glm::dmat4 matrix = glm::mat4_cast(rotation);
    for (int i = 0; i < 3; ++i) matrix[i] = matrix[i] * scale[i];
    matrix[3] = glm::dvec4(translation, 1);
    return matrix;
}

/// From a node to the one above it.
glm::dmat4 ownTransform(const json& node) {
    std::array<double, 16> m{};
    if (readNumbers(member(node, "matrix"), m)) {
        glm::dmat4 matrix;
        for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = m[static_cast<std::size_t>(i)];
        return matrix;
    }
    std::array<double, 4> q{0, 0, 0, 1};
    readNumbers(member(node, "rotation"), q);
    return matrixOf(vectorOr(member(node, "translation"), {0, 0, 0}),
                    glm::dquat(q[3], q[0], q[1], q[2]), vectorOr(member(node, "scale"), {1, 1, 1}));
}

/// Children of a node, or nodes of a scene, or none.
const json& listIn(const json& object, const char* name) {
    static const json empty = json::array();
    const json& list = member(object, name);
    return list.is_array() ? list : empty;
}

/// KHR_node_visibility: neither the node nor what is below it is shown.
bool isHidden(const json& node) {
    return member(member(member(node, "extensions"), "KHR_node_visibility"), "visible") == false;
}

/// EXT_mesh_gpu_instancing: from its instances to the node.
std::vector<glm::dmat4> instancesOf(const json& extension, GltfBuffers& buffers) {
    const json& attributes = member(extension, "attributes");
    std::optional<Elements> translation, rotation, scale;
    std::size_t count = 0;
    const auto read = [&](const char* name, const char* type, std::optional<Elements>& to) {
        const json& accessor = member(attributes, name);
        if (accessor.is_null()) return;
        to = buffers.elements(countOf(accessor), {type});
        if (count != 0 && to->count != count)
            throw GltfProblem{"EXT_mesh_gpu_instancing has attributes of different lengths"};
        count = to->count;
    };
    read("TRANSLATION", "VEC3", translation);
    read("ROTATION", "VEC4", rotation);
    read("SCALE", "VEC3", scale);
    if (count > kMostVisitedNodes)
        throw GltfProblem{fmt::format("a node has more than {} instances", kMostVisitedNodes)};
    std::vector<glm::dmat4> instances;
    for (std::size_t i = 0; i < count; ++i) {
        const glm::dvec3 zero(0), one(1);
        glm::dquat turned(1, 0, 0, 0);
        if (rotation)
            turned = glm::normalize(glm::dquat(rotation->number(i, 3), rotation->number(i, 0),
                                               rotation->number(i, 1), rotation->number(i, 2)));
        instances.push_back(matrixOf(translation ? translation->vector(i) : zero, turned,
                                     scale ? scale->vector(i) : one));
    }
    return instances;
}

}  // namespace

GltfNodes::GltfNodes(const json& root) : root_(root) {
    const json& nodes = listIn(root, "nodes");
    parents_.resize(nodes.size(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const json& child : listIn(nodes[i], "children")) {
            const long long c = countOf(child);
            if (c >= 0 && c < static_cast<long long>(parents_.size()))
                parents_[static_cast<std::size_t>(c)] = static_cast<long long>(i);
        }
    }
}

std::vector<long long> GltfNodes::roots(Remarks& remarks) const {
    std::vector<long long> found;
    const json& scenes = listIn(root_, "scenes");
    if (scenes.empty()) {
        for (std::size_t i = 0; i < parents_.size(); ++i) {
            if (parents_[i] < 0) found.push_back(static_cast<long long>(i));
        }
        return found;
    }
    const long long scene = std::max(0LL, countOf(member(root_, "scene")));
    if (scenes.size() > 1)
        remarks.add(fmt::format("only one of {} scenes is shown", scenes.size()),
                    fmt::format("scenes[{}]", scene));
    for (const json& node : listIn(elementOf(root_, "scenes", scene), "nodes"))
        found.push_back(countOf(node));
    return found;
}

void GltfNodes::addMesh(const json& node, const glm::dmat4& transform, GltfBuffers& buffers,
                        GltfPlaces& places) const {
    PlacedMesh placed{countOf(member(node, "mesh")), transform};
    if (!elementOf(root_, "meshes", placed.mesh).is_object()) return;
    if (!member(node, "skin").is_null()) placed.skin = countOf(member(node, "skin"));
    if (member(node, "weights").is_array()) placed.weights = &member(node, "weights");
    const json& instancing = member(member(node, "extensions"), "EXT_mesh_gpu_instancing");
    if (instancing.is_null()) return places.meshes.push_back(placed);
    for (const glm::dmat4& instance : instancesOf(instancing, buffers)) {
        if (places.meshes.size() >= kMostVisitedNodes)
            throw GltfProblem{fmt::format("more than {} mesh instances", kMostVisitedNodes)};
        placed.transform = transform * instance;
        places.meshes.push_back(placed);
    }
}

GltfPlaces GltfNodes::placed(GltfBuffers& buffers, Remarks& remarks) const {
    GltfPlaces places;
    struct Waiting {
        long long node;
        std::size_t level;
        glm::dmat4 above;
    };
    std::vector<Waiting> waiting;
    const std::vector<long long> first = roots(remarks);
    for (auto node = first.rbegin(); node != first.rend(); ++node)
        waiting.push_back({*node, 1, glm::dmat4(1)});
    std::size_t visited = 0;
    while (!waiting.empty()) {
        const Waiting next = waiting.back();
        waiting.pop_back();
        const json& node = elementOf(root_, "nodes", next.node);
        if (next.level > parents_.size()) throw GltfProblem{"its nodes are in a circle"};
        if (++visited > kMostVisitedNodes)
            throw GltfProblem{"its nodes are in a circle, or too many"};
        if (isHidden(node)) continue;
        const glm::dmat4 transform = next.above * ownTransform(node);
        if (!member(node, "mesh").is_null()) addMesh(node, transform, buffers, places);
        if (!member(node, "camera").is_null())
            places.cameras.push_back({countOf(member(node, "camera")), transform});
        const json& light =
            member(member(member(node, "extensions"), "KHR_lights_punctual"), "light");
        if (!light.is_null()) places.lights.push_back({countOf(light), transform});
        const json& children = listIn(node, "children");
        if (children.size() > kMostVisitedNodes || waiting.size() > kMostVisitedNodes)
            throw GltfProblem{"its nodes are in a circle, or too many"};
        for (auto child = children.rbegin(); child != children.rend(); ++child)
            waiting.push_back({countOf(*child), next.level + 1, transform});
    }
    return places;
}

glm::dmat4 GltfNodes::transformOf(long long node) {
    std::vector<long long> below;
    for (; node >= 0 && !known_.contains(node); node = parents_[static_cast<std::size_t>(node)]) {
        elementOf(root_, "nodes", node);  // it is there
        below.push_back(node);
        if (below.size() > parents_.size()) throw GltfProblem{"its nodes are in a circle"};
    }
    glm::dmat4 transform = node >= 0 ? known_.at(node) : glm::dmat4(1);
    for (auto n = below.rbegin(); n != below.rend(); ++n) {
        transform = transform * ownTransform(elementOf(root_, "nodes", *n));
        known_.emplace(*n, transform);
    }
    return transform;
}

}  // namespace rayscope
