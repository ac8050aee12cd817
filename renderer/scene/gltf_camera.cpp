#include "renderer/scene/gltf_camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/scene/loose_json.h"
#include "renderer/scene/places.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// The least angle that a scene's camera may have.
constexpr double kNearlyParallel = 1;

/// In which direction a camera looks, from where it stands.
std::optional<Camera> standing(const glm::dmat4& transform) {
    const glm::dvec3 from(transform[3]), ahead(-transform[2]), up(transform[1]);
    const double length = glm::length(ahead) * glm::length(up);
    const double sine = glm::length(glm::cross(ahead, up)) / length;
    if (!inReach(from) || !(length < 1e30) || !(sine > 1e-6)) return {};
    Camera camera;
    camera.from = from;
    camera.to = from + glm::normalize(ahead);
    camera.up = glm::normalize(up);
    return camera;
}

/// The middle of all corners, or that of all places.
glm::dvec3 middleOf(const Mesh& mesh) {
    if (!mesh.pieces.empty()) {
        const Box bounds = boundsOf(mesh);
        return (bounds.low + bounds.high) * .5;
    }
    glm::dvec3 sum{0, 0, 0};
    for (const glm::vec3& c : mesh.corners) sum += glm::dvec3(c);
    return sum / static_cast<double>(std::max<std::size_t>(1, mesh.corners.size()));
}

/// A camera `half` high on both sides of its axis whose rays are parallel, from `near` on.
/// `distance`: to where the two pictures are of the same size.
void standFarAway(Camera& camera, double half, double near, double distance) {
    const glm::dvec3 ahead = camera.to - camera.from;
    const double away = half / std::tan(kNearlyParallel * M_PI / 360);
    camera.vfov = kNearlyParallel;
    camera.from += (distance - away) * ahead;
    camera.to = camera.from + ahead;
    camera.start = std::max(0., away - distance + near);
}

}  // namespace

std::optional<Camera> gltfCamera(const json& root, std::span<const GltfPlaces::Other> cameras,
                                 const Mesh& mesh, Remarks& remarks) {
    std::optional<Camera> camera;
    for (const GltfPlaces::Other& placed : cameras) {
        const json& found = elementOf(root, "cameras", placed.index);
        const json& perspective = member(found, "perspective");
        const json& parallel = member(found, "orthographic");
        camera = standing(placed.transform);
        const std::string where = fmt::format("cameras[{}]", placed.index);
        if (!camera || (!perspective.is_object() && !parallel.is_object())) {
            remarks.add("an invalid camera is not used", where);
            camera.reset();
            continue;
        }
        // what is nearest to the middle, so that turning the camera turns around that
        const glm::dvec3 ahead = camera->to - camera->from;
        double distance = glm::dot(middleOf(mesh) - camera->from, ahead);
        if (perspective.is_object()) {
            camera->vfov =
                std::clamp(numberOr(member(perspective, "yfov"), .8) * 180 / M_PI, 1., 179.);
        } else {
            const double half = std::abs(numberOr(member(parallel, "ymag"), 1)) *
                                glm::length(glm::dvec3(placed.transform[1]));
            standFarAway(*camera, std::clamp(half, 1e-6, 1e4),
                         std::max(0., numberOr(member(parallel, "znear"), 0)), distance);
            distance = glm::dot(middleOf(mesh) - camera->from, ahead);
            remarks.add(
                "an orthographic camera is replaced by a distant perspective camera of 1 degree",
                where);
        }
        if (distance > 1e-3) camera->to = camera->from + distance * ahead;
        camera->focus = std::max(distance, 1.);
        if (inReach(camera->from) && inReach(camera->to)) break;
        camera.reset();
    }
    if (camera && cameras.size() > 1)
        remarks.add(fmt::format("only the first usable one of {} cameras is used", cameras.size()));
    return camera;
}

}  // namespace rayscope
