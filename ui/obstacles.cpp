#include "ui/obstacles.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "renderer/scene/bvh.h"
#include "renderer/scene/places.h"

namespace rayscope {

namespace {

/// A camera takes this long for most of the way to a surface, however fast it flies elsewhere.
constexpr double kSlowSeconds = .4;
constexpr int kSlides = 3;  ///< along one surface, then another, then the edge between them
constexpr double kFar = std::numeric_limits<double>::infinity();

struct Line {
    glm::dvec3 origin, direction;
};

/// Whether a line enters one of a node's two boxes before `limit`. Their planes are rounded to
/// single precision.
bool enters(const BvhNode& node, int child, const Line& line, double limit) {
    constexpr double kSlack = 1e-6;
    double near = 0, far = limit;
    const float* const planes[] = {node.x, node.y, node.z};
    for (int axis = 0; axis < 3; ++axis) {
        const double low = planes[axis][2 * child], high = planes[axis][2 * child + 1];
        const double slack = kSlack * (std::fabs(low) + std::fabs(high));
        if (line.direction[axis] == 0) {
            if (line.origin[axis] < low - slack || line.origin[axis] > high + slack) return false;
            continue;
        }
        const double a = (low - slack - line.origin[axis]) / line.direction[axis];
        const double b = (high + slack - line.origin[axis]) / line.direction[axis];
        near = std::max(near, std::min(a, b));
        far = std::min(far, std::max(a, b));
    }
    return near <= far;
}

/// Visits what may be nearer than `nearest`, by its number.
template <class Visit>
void walk(const Bvh& tree, const Line& line, const double& nearest, const Visit& visit) {
    for (int i = 0; i < tree.header.outside; ++i) visit(tree.list[static_cast<std::size_t>(i)]);
    if (tree.nodes.empty()) return;
    std::vector<int> left{0};
    while (!left.empty()) {
        const BvhNode& node = tree.nodes[static_cast<std::size_t>(left.back())];
        left.pop_back();
        for (int child = 0; child < 2; ++child) {
            const int reference = node.child[child];
            if (!enters(node, child, line, nearest)) continue;
            if (reference >= 0) {
                left.push_back(reference);
                continue;
            }
            for (int i = 0; i < leafCount(reference); ++i)
                visit(tree.list[static_cast<std::size_t>(leafFirst(reference) + i)]);
        }
    }
}

/// Tested against a camera of this radius; one that is inside leaves as it likes.
std::optional<Meeting> meetSphere(const Sphere& sphere, const Line& line, double margin) {
    const glm::dvec3 out = line.origin - sphere.center;
    const double along = glm::dot(out, line.direction), square = glm::dot(out, out);
    if (along >= 0 || square < sphere.radius * sphere.radius) return std::nullopt;
    const double wide = sphere.radius + margin;
    const double root = along * along - square + wide * wide;
    if (root < 0) return std::nullopt;
    const double distance = std::max(-along - std::sqrt(root), 0.);
    return Meeting{distance, glm::normalize(out + line.direction * distance)};
}

}  // namespace

/// A tree over all places, and one below it of each piece's triangles.
struct Obstacles::Trees {
    struct Piece {
        PlacedPiece piece;
        Bvh tree;
        std::vector<glm::dmat4x3> in;  ///< of each place, what takes the world's points back
    };
    struct Place {
        std::size_t piece, place;
    };
    SharedScene scene;  ///< that owns the meshes
    std::vector<Piece> pieces;
    std::vector<Place> places;
    Bvh tree;

    explicit Trees(const SharedScene& of) : scene(of) {
        std::vector<Box> boxes;
        for (PlacedPiece& piece : placedPieces(scene)) {
            const Box box = boxOf(piece);
            Piece made{std::move(piece), {}, {}};
            for (std::size_t i = 0; i < made.piece.places.size(); ++i) {
                made.in.push_back(inverseOf(made.piece.places[i]));
                boxes.push_back(boxAt(made.piece.places[i], box));
                places.push_back({pieces.size(), i});
            }
            made.tree = buildBvh(boxesOfFaces(made.piece), beforeFirstEnclosing, 1);
            pieces.push_back(std::move(made));
        }
        tree = buildBvh(boxes, beforeFirstEnclosing, 1);
    }

    static Box boxAt(const Placement& place, const Box& box) {
        Box result = kBoxOfNothing;
        for (int corner = 0; corner < 8; ++corner) {
            glm::dvec3 p = box.low;
            for (int axis = 0; axis < 3; ++axis)
                if ((corner >> axis & 1) != 0) p[axis] = box.high[axis];
            p = atPlace(place, p);
            result = {glm::min(result.low, p), glm::max(result.high, p)};
        }
        return result;
    }

    static std::span<const Triangle> facesOf(const PlacedPiece& piece) {
        return std::span(piece.mesh->mesh->faces)
            .subspan(static_cast<std::size_t>(piece.firstFace - piece.firstOfMesh),
                     static_cast<std::size_t>(piece.faces));
    }

    static std::vector<Box> boxesOfFaces(const PlacedPiece& piece) {
        std::vector<Box> boxes;
        for (const Triangle& face : facesOf(piece)) {
            Box box = kBoxOfNothing;
            for (const int corner : face.corners) {
                const glm::dvec3 p(piece.mesh->mesh->corners[static_cast<std::size_t>(corner)]);
                box = {glm::min(box.low, p), glm::max(box.high, p)};
            }
            boxes.push_back(box);
        }
        return boxes;
    }

    std::optional<Meeting> first(const Line& line) const {
        std::optional<Meeting> nearest;
        double limit = kFar;
        walk(tree, line, limit, [&](int number) {
            const auto [at, place] = places[static_cast<std::size_t>(number)];
            const Piece& piece = pieces[at];
            const glm::dmat4x3& in = piece.in[place];
            const Line inside{in * glm::dvec4(line.origin, 1), in * glm::dvec4(line.direction, 0)};
            const auto faces = facesOf(piece.piece);
            walk(piece.tree, inside, limit, [&](int face) {
                const auto met =
                    meet(*piece.piece.mesh, faces.subspan(static_cast<std::size_t>(face), 1),
                         inside.origin, inside.direction, 0);
                if (!met || met->distance >= limit) return;
                limit = met->distance;
                nearest = {limit, glm::normalize(glm::transpose(glm::dmat3(in)) * met->normal)};
            });
        });
        return nearest;
    }
};

Obstacles::Obstacles()
    : built_(std::make_unique<Aside<std::uint64_t, std::shared_ptr<const Trees>>>()) {}
Obstacles::~Obstacles() = default;
Obstacles::Obstacles(Obstacles&&) noexcept = default;
Obstacles& Obstacles::operator=(Obstacles&&) noexcept = default;

/// The trees of this scene's triangles, as soon as they are there.
void Obstacles::look(const SharedScene& scene) {
    if (version_ == scene.version()) return;
    if (scene->meshes.empty() || (trees_ && trees_->scene->meshes == scene->meshes)) {
        if (scene->meshes.empty()) trees_.reset();
        version_ = scene.version();
        return;
    }
    trees_.reset();
    built_->ready(
        scene.version(), 0,
        [&] { return [scene] { return std::make_shared<const Trees>(scene); }; },
        [&](std::uint64_t version, std::shared_ptr<const Trees> made) {
            if (version != scene.version()) return;
            trees_ = std::move(made);
            version_ = version;
        });
}

std::optional<Meeting> Obstacles::first(const Scene& scene, const glm::dvec3& from,
                                        const glm::dvec3& direction, double margin) const {
    const Line line{from, direction};
    std::optional<Meeting> nearest;
    const auto take = [&](const std::optional<Meeting>& met) {
        if (met && (!nearest || met->distance < nearest->distance)) nearest = met;
    };
    for (const Sphere& sphere : scene.spheres) take(meetSphere(sphere, line, margin));
    // The camera's radius, along the line rather than across the surface.
    const auto before = [&](const Meeting& met) {
        const double slope = std::max(std::fabs(glm::dot(met.normal, direction)), .05);
        return Meeting{std::max(met.distance - margin / slope, 0.), met.normal};
    };
    if (trees_) {
        if (const auto met = trees_->first(line)) take(before(*met));
    }
    if (scene.floor && from.z * direction.z < 0)
        take(before({-from.z / direction.z, {0, 0, from.z > 0 ? 1 : -1}}));
    return nearest;
}

glm::dvec3 Obstacles::allowed(const SharedScene& scene, const glm::dvec3& from,
                              const glm::dvec3& wish, double seconds, double margin) {
    look(scene);
    glm::dvec3 way{0, 0, 0}, left = wish;
    const double share = 1 - std::exp(-seconds / kSlowSeconds);
    for (int i = 0; i < kSlides; ++i) {
        const double length = glm::length(left);
        if (!(length > 0)) break;
        const glm::dvec3 direction = left / length;
        const auto met = first(scene, from + way, direction, margin);
        const double far = met ? std::min(length, share * met->distance) : length;
        way += direction * far;
        if (far == length) break;
        left -= direction * far;
        left -= met->normal * glm::dot(left, met->normal);
    }
    return way;
}

glm::dvec3 eyeOf(const Camera& camera) {
    return camera.from + cameraFrame(camera).forward * camera.start;
}

std::optional<int> sphereAround(const Scene& scene, const glm::dvec3& point) {
    std::optional<int> smallest;
    const glm::dvec3 own = eyeOf(scene.camera);
    const auto isIn = [](const Sphere& sphere, const glm::dvec3& p) {
        const glm::dvec3 out = p - sphere.center;
        return glm::dot(out, out) < sphere.radius * sphere.radius;
    };
    for (std::size_t i = 0; i < scene.spheres.size(); ++i) {
        const Sphere& sphere = scene.spheres[i];
        if (!isIn(sphere, point) || isIn(sphere, own)) continue;
        if (!smallest || sphere.radius < scene.spheres[static_cast<std::size_t>(*smallest)].radius)
            smallest = static_cast<int>(i);
    }
    return smallest;
}

}  // namespace rayscope
