#include "renderer/scene/camera_path.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/scene/host_vector.h"

namespace rayscope {

namespace {

/// What is interpolated of a camera: the rest is the nearer key's.
constexpr size_t kNumbers = 12;
using Numbers = std::array<double, kNumbers>;

Numbers numbersOf(const Camera& c) {
    return {c.from.x, c.from.y, c.from.z, c.to.x, c.to.y,       c.to.z,
            c.up.x,   c.up.y,   c.up.z,   c.vfov, c.lensRadius, c.focus};
}

Camera withNumbers(Camera c, const Numbers& n) {
    const Vec3<double> forward = c.to - c.from;
    c.from = {n[0], n[1], n[2]};
    c.to = {n[3], n[4], n[5]};
    // flying through what is looked at: as it was looked at before
    if (const Vec3<double> d = c.to - c.from; dot(d, d) < 1e-18) c.to = c.from + forward;
    c.up = {n[6], n[7], n[8]};
    c.vfov = n[9];
    c.lensRadius = std::max(0., n[10]);
    c.focus = n[11];
    return c;
}

/// Angles and lengths that a spline may swing beyond stay between those of the two keys.
void clampLens(Numbers& n, const Numbers& a, const Numbers& b) {
    for (size_t i = 9; i < kNumbers; ++i)
        n[i] = std::clamp(n[i], std::min(a[i], b[i]), std::max(a[i], b[i]));
}

Numbers mix(const Numbers& a, const Numbers& b, double t) {
    Numbers n;
    for (size_t i = 0; i < kNumbers; ++i) n[i] = a[i] + t * (b[i] - a[i]);
    return n;
}

/// How far apart two keys are: as far as the camera or what it looks at moves.
double distance(const Numbers& a, const Numbers& b) {
    double from = 0, to = 0;
    for (size_t i = 0; i < 3; ++i) {
        from += (b[i] - a[i]) * (b[i] - a[i]);
        to += (b[i + 3] - a[i + 3]) * (b[i + 3] - a[i + 3]);
    }
    return std::sqrt(std::max(from, to));
}

/// The path's parameter at each key: the square roots of the distances add up; equal keys are told
/// apart by a little.
std::vector<double> knotsOf(const std::vector<Numbers>& keys) {
    constexpr double kLeast = 1e-3;
    std::vector<double> knots{0};
    for (size_t i = 1; i < keys.size(); ++i)
        knots.push_back(knots.back() + std::max(kLeast, std::sqrt(distance(keys[i - 1], keys[i]))));
    return knots;
}

/// Barry and Goldman's pyramid for the four keys around segment i.
Numbers spline(const std::vector<Numbers>& keys, const std::vector<double>& knots, size_t i,
               double u) {
    const size_t last = keys.size() - 1;
    // Beyond the ends the path goes on as it came.
    std::array<Numbers, 4> p;
    std::array<double, 4> k;
    for (int j = 0; j < 4; ++j) {
        const auto at = static_cast<std::ptrdiff_t>(i) + j - 1;
        if (at < 0) {
            p[j] = mix(keys[0], keys[1], -1);
            k[j] = knots[0] - (knots[1] - knots[0]);
        } else if (at > static_cast<std::ptrdiff_t>(last)) {
            p[j] = mix(keys[last], keys[last - 1], -1);
            k[j] = knots[last] + (knots[last] - knots[last - 1]);
        } else {
            p[j] = keys[static_cast<size_t>(at)];
            k[j] = knots[static_cast<size_t>(at)];
        }
    }
    const auto step = [&](const Numbers& a, const Numbers& b, int from, int to) {
        return mix(a, b, (u - k[from]) / (k[to] - k[from]));
    };
    const Numbers a1 = step(p[0], p[1], 0, 1), a2 = step(p[1], p[2], 1, 2),
                  a3 = step(p[2], p[3], 2, 3);
    const Numbers b1 = step(a1, a2, 0, 2), b2 = step(a2, a3, 1, 3);
    Numbers n = step(b1, b2, 1, 2);
    clampLens(n, p[1], p[2]);
    return n;
}

}  // namespace

Camera between(const Camera& from, const Camera& to, double t) {
    const double s = std::clamp(t, 0., 1.);
    if (s >= 1) return to;
    return withNumbers(to, mix(numbersOf(from), numbersOf(to), s * s * (3 - 2 * s)));
}

Camera onPath(const std::vector<Camera>& keys, double t) {
    if (keys.size() == 1 || t <= 0) return keys.front();
    if (t >= 1) return keys.back();
    std::vector<Numbers> numbers;
    for (const Camera& key : keys) numbers.push_back(numbersOf(key));
    const std::vector<double> knots = knotsOf(numbers);
    const double u = t * knots.back();
    const auto next = std::upper_bound(knots.begin(), knots.end(), u);
    const size_t segment = std::min(static_cast<size_t>(next - knots.begin()) - 1, keys.size() - 2);
    const bool later = u - knots[segment] > knots[segment + 1] - u;
    return withNumbers(keys[segment + later], spline(numbers, knots, segment, u));
}

}  // namespace rayscope
