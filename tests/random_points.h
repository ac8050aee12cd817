#pragma once

// Numbers and points at random, for tests that trace rays.

#include <glm/geometric.hpp>
#include <glm/vec3.hpp>
#include <random>

namespace rayscope {

using Twister = std::mt19937;
using Point = glm::dvec3;

inline double uniform(Twister& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

inline Point pointIn(Twister& random, double size) {
    return {uniform(random, -size, size), uniform(random, -size, size),
            uniform(random, -size, size)};
}

inline Point direction(Twister& random) {
    while (true) {
        const Point p = pointIn(random, 1);
        const double length2 = glm::dot(p, p);
        if (length2 > 1e-4 && length2 <= 1) return glm::normalize(p);
    }
}

}  // namespace rayscope
