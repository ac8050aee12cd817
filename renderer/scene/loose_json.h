#pragma once

#include <array>
#include <cmath>
#include <glm/vec3.hpp>
#include <nlohmann/json.hpp>
#include <string>

// JSON of files that are not ours: what is missing, or of another type, is nothing.

namespace rayscope {

inline const nlohmann::json& none() {
    static const nlohmann::json null;
    return null;
}
inline const nlohmann::json& member(const nlohmann::json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found == object.end() || !object.is_object() ? none() : *found;
}
inline double numberOr(const nlohmann::json& value, double otherwise) {
    return value.is_number() ? value.get<double>() : otherwise;
}
/// A whole number from 0 on; -1 where there is none.
inline long long countOf(const nlohmann::json& value) {
    const double n = numberOr(value, -1);
    return n >= 0 && n <= 1e15 && n == std::floor(n) ? static_cast<long long>(n) : -1;
}
inline std::string textOf(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
}
template <std::size_t N>
bool readNumbers(const nlohmann::json& value, std::array<double, N>& numbers) {
    if (!value.is_array() || value.size() != N) return false;
    for (std::size_t i = 0; i < N; ++i) numbers[i] = numberOr(value[i], NAN);
    return true;
}
inline glm::dvec3 vectorOr(const nlohmann::json& value, const glm::dvec3& otherwise) {
    std::array<double, 3> v{};
    return readNumbers(value, v) ? glm::dvec3(v[0], v[1], v[2]) : otherwise;
}

}  // namespace rayscope
