#include "renderer/scene/model_fit.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>

#include "renderer/scene/model_formats.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace {

/// Models of these radii stay as large as they are.
constexpr double kSmallest = 1e-2, kLargest = 1e5;
/// Single precision resolves 2e-6 of the radius of a model that is so many radii away.
constexpr double kFarthest = 32;

bool isFar(const glm::dvec3& low, const glm::dvec3& high) {
    const glm::dvec3 reach = glm::max(glm::abs(low), glm::abs(high));
    return std::max({reach.x, reach.y, reach.z}) > kFarthest * glm::distance(low, high) / 2;
}

/// Takes a component of a colour in sRGB to a reflectance (IEC 61966-2-1).
float reflectanceOf(float share) {
    if (!(share > 0)) return 0;
    if (share >= 1) return 1;
    return share <= .04045f ? share / 12.92f : std::pow((share + .055f) / 1.055f, 2.4f);
}

/// Meshes have colours, or they have not.
template <class SomeMesh>
void setColoursOf(SomeMesh& mesh, std::vector<glm::vec3> colours, Remarks& remarks) {
    if constexpr (requires { mesh.colours; })
        mesh.colours = std::move(colours);
    else
        remarks.add("colours of vertices are not shown", "", static_cast<int>(colours.size()));
}

}  // namespace

bool isFileCoordinate(const glm::dvec3& p) {
    return std::abs(p.x) <= kMaxFileCoordinate && std::abs(p.y) <= kMaxFileCoordinate &&
           std::abs(p.z) <= kMaxFileCoordinate;
}

Fit fitFor(const glm::dvec3& low, const glm::dvec3& high) {
    const double radius = glm::distance(low, high) / 2;
    Fit fit;
    if (!(radius > 0) || !std::isfinite(radius)) return fit;
    const glm::dvec3 reach = glm::max(glm::abs(low), glm::abs(high));
    const double farthest = std::max({reach.x, reach.y, reach.z});
    const bool scaled = radius < kSmallest || radius > kLargest || farthest > kLargest * kFarthest;
    if (scaled) fit.scale = std::pow(10., -std::floor(std::log10(radius)));
    if (isFar(low, high)) fit.offset = (low + high) * .5;
    return fit;
}

void setCorners(Model& model, const std::vector<glm::dvec3>& points) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    glm::dvec3 low(kNone), high(-kNone);
    for (const glm::dvec3& p : points) {
        if (!isFileCoordinate(p)) continue;
        low = glm::min(low, p);
        high = glm::max(high, p);
    }
    const bool some = low.x <= high.x;
    model.fit = {};
    if (some && isFar(low, high)) model.fit.offset = (low + high) * .5;
    model.mesh.corners.clear();
    model.mesh.corners.reserve(points.size());
    for (const glm::dvec3& p : points)
        model.mesh.corners.emplace_back(isFileCoordinate(p) ? p - model.fit.offset : glm::dvec3(0));
}

void setColours(Model& model, std::vector<glm::vec3> colours) {
    if (colours.empty()) return;
    float most = 0;
    for (const glm::vec3& c : colours) most = std::max({most, c.x, c.y, c.z});
    const float unit = most > 1 ? 255.f : 1.f;
    for (glm::vec3& c : colours)
        c = {reflectanceOf(c.x / unit), reflectanceOf(c.y / unit), reflectanceOf(c.z / unit)};
    setColoursOf(model.mesh, std::move(colours), model.remarks);
}

void refit(Model& model, const Fit& wanted) {
    const Fit now = model.fit;
    if (now == wanted) return;
    const double scale = wanted.scale / now.scale;
    // p is (file - now.offset) * now.scale
    const glm::dvec3 shift = (now.offset - wanted.offset) * wanted.scale;
    const auto moved = [&](const glm::dvec3& p) { return p * scale + shift; };
    Mesh& mesh = model.mesh;
    std::vector<bool> stays(mesh.corners.size());  // corners of what stands in places
    std::size_t first = 0;
    for (MeshPiece& piece : mesh.pieces) {
        const std::size_t end = first + static_cast<std::size_t>(piece.faces);
        for (; first < end; ++first) {
            if (piece.places.empty()) continue;
            for (const int c : mesh.faces[first].corners) stays[c] = true;
        }
        for (Placement& place : piece.places) place[3] = moved(glm::dvec3(place[3]));
    }
    for (std::size_t c = 0; c < mesh.corners.size(); ++c) {
        const glm::dvec3 p(mesh.corners[c]);
        mesh.corners[c] = stays[c] ? p * scale : moved(p);
    }
    if (model.camera) {
        model.camera->from = moved(model.camera->from);
        model.camera->to = moved(model.camera->to);
        model.camera->focus *= scale;
    }
    model.fit = wanted;
}

void fitAlone(Model& model) {
    if (model.mesh.faces.empty()) return;
    const auto [low, high] = boundsOf(model.mesh);
    const Fit now = model.fit;
    refit(model, fitFor(low / now.scale + now.offset, high / now.scale + now.offset));
}

}  // namespace rayscope
