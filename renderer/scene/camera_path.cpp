#define GLM_ENABLE_EXPERIMENTAL  // squad

#include "renderer/scene/camera_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/gtx/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec4.hpp>

namespace rayscope {

namespace {

/// What is interpolated of a camera; the rest is taken from the nearer key.
struct Key {
    glm::dvec3 from;
    glm::dvec3 to;  ///< only used for the knots
    glm::dvec3 up;
    glm::dvec4 lens;         ///< distance of the target, angle of view, lens radius, focus
    glm::dquat orientation;  ///< maps x, y and z to right, up and backwards
};

Key keyOf(const Camera& c) {
    const CameraFrame frame = cameraFrame(c);
    return {c.from,
            c.to,
            c.up,
            {glm::distance(c.from, c.to), c.vfov, c.lensRadius, c.focus},
            glm::quat_cast(glm::dmat3(frame.right, frame.up, -frame.forward))};
}

Camera withKey(Camera c, const Key& key) {
    const glm::dquat orientation = glm::normalize(key.orientation);
    const glm::dvec3 forward = orientation * glm::dvec3(0, 0, -1);
    c.from = key.from;
    c.to = key.from + forward * key.lens[0];
    c.up = key.up;
    // the interpolated up is zero or parallel to the view
    if (!(glm::length(glm::cross(forward, c.up)) > 1e-6)) c.up = orientation * glm::dvec3(0, 1, 0);
    c.vfov = key.lens[1];
    c.lensRadius = key.lens[2];
    c.focus = key.lens[3];
    return c;
}

/// Unlike glm::mix, returns equal arguments unchanged, to the bit.
template <class T>
T along(const T& a, const T& b, double t) {
    return a + t * (b - a);
}

/// Interpolates everything but the orientation.
Key mixPlaces(const Key& a, const Key& b, double t) {
    return {along(a.from, b.from, t), {}, along(a.up, b.up, t), along(a.lens, b.lens, t), {}};
}

/// How far apart two keys are: as far as the camera or what it looks at moves.
double distance(const Key& a, const Key& b) {
    return std::max(glm::distance(a.from, b.from), glm::distance(a.to, b.to));
}

/// The keys. Of the two quaternions of each orientation, takes the one nearer to the key before.
std::vector<Key> keysOf(const std::vector<Camera>& cameras) {
    std::vector<Key> keys;
    for (const Camera& camera : cameras) {
        Key key = keyOf(camera);
        if (!keys.empty() && glm::dot(keys.back().orientation, key.orientation) < 0)
            key.orientation = -key.orientation;
        keys.push_back(key);
    }
    return keys;
}

/// The spline's parameter at each key: the sum of the square roots of the distances up to there
/// (centripetal). Equal keys are kept a little apart.
std::vector<double> knotsOf(const std::vector<Key>& keys) {
    constexpr double kLeast = 1e-3;
    std::vector<double> knots{0};
    for (size_t i = 1; i < keys.size(); ++i)
        knots.push_back(knots.back() + std::max(kLeast, std::sqrt(distance(keys[i - 1], keys[i]))));
    return knots;
}

/// The spline on segment i, by Barry and Goldman's pyramid over the four keys around it.
Key spline(const std::vector<Key>& keys, const std::vector<double>& knots, size_t i, double u) {
    const size_t last = keys.size() - 1;
    // beyond the ends the path is extrapolated
    std::array<Key, 4> p;
    std::array<double, 4> k;
    for (int j = 0; j < 4; ++j) {
        const auto at = static_cast<std::ptrdiff_t>(i) + j - 1;
        if (at < 0) {
            p[j] = mixPlaces(keys[0], keys[1], -1);
            k[j] = knots[0] - (knots[1] - knots[0]);
        } else if (at > static_cast<std::ptrdiff_t>(last)) {
            p[j] = mixPlaces(keys[last], keys[last - 1], -1);
            k[j] = knots[last] + (knots[last] - knots[last - 1]);
        } else {
            p[j] = keys[static_cast<size_t>(at)];
            k[j] = knots[static_cast<size_t>(at)];
        }
    }
    const auto step = [&](const Key& a, const Key& b, int from, int to) {
        return mixPlaces(a, b, (u - k[from]) / (k[to] - k[from]));
    };
    const Key a1 = step(p[0], p[1], 0, 1), a2 = step(p[1], p[2], 1, 2), a3 = step(p[2], p[3], 2, 3);
    const Key b1 = step(a1, a2, 0, 2), b2 = step(a2, a3, 1, 3);
    Key key = step(b1, b2, 1, 2);
    // splines overshoot; angles and lengths are kept between those of the two keys
    key.lens = glm::clamp(key.lens, glm::min(p[1].lens, p[2].lens), glm::max(p[1].lens, p[2].lens));
    return key;
}

/// The inner control point of squad at a key; at the ends, the key itself.
glm::dquat control(const std::vector<Key>& keys, size_t i) {
    if (i == 0 || i + 1 == keys.size()) return keys[i].orientation;
    return glm::intermediate(keys[i - 1].orientation, keys[i].orientation, keys[i + 1].orientation);
}

}  // namespace

Camera between(const Camera& from, const Camera& to, double t) {
    const double s = std::clamp(t, 0., 1.);
    if (s >= 1) return to;
    const double soft = s * s * (3 - 2 * s);
    const Key a = keyOf(from), b = keyOf(to);
    Key key = mixPlaces(a, b, soft);
    key.orientation = glm::slerp(a.orientation, b.orientation, soft);
    return withKey(to, key);
}

Camera onPath(const std::vector<Camera>& cameras, double t) {
    if (cameras.size() == 1 || t <= 0) return cameras.front();
    if (t >= 1) return cameras.back();
    const std::vector<Key> keys = keysOf(cameras);
    const std::vector<double> knots = knotsOf(keys);
    const double u = t * knots.back();
    const auto next = std::upper_bound(knots.begin(), knots.end(), u);
    const size_t i = std::min(static_cast<size_t>(next - knots.begin()) - 1, keys.size() - 2);
    const double share = (u - knots[i]) / (knots[i + 1] - knots[i]);
    Key key = spline(keys, knots, i, u);
    key.orientation = glm::squad(keys[i].orientation, keys[i + 1].orientation, control(keys, i),
                                 control(keys, i + 1), share);
    return withKey(cameras[share > .5 ? i + 1 : i], key);
}

}  // namespace rayscope
