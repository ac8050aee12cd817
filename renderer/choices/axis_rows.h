#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "renderer/choices/axes.h"

// What the rows of the table are written with, and the functions that return them, by group.

namespace rayscope {

std::vector<Axis> backendAxes();
std::vector<Axis> kernelAxes();
std::vector<Axis> packetAxes();
std::vector<Axis> wavefrontAxes();
std::vector<Axis> sceneAxes();
std::vector<Axis> pathAxes();
std::vector<Axis> launchAxes();
std::vector<Axis> simulationAxes();

template <class S, class T>
constexpr auto& memberOf(S& settings, T Settings::*member) {
    return settings.*member;
}
template <class S, class T>
constexpr auto& memberOf(S& settings, T Variant::*member) {
    return settings.variant.*member;
}

/// A member of Settings or of Variant: kMember<&Variant::engine>.
template <auto kPointer>
inline constexpr AxisMember kMember{
    [](const Settings& s) { return static_cast<int>(memberOf(s, kPointer)); },
    [](Settings& s, int value) {
        auto& member = memberOf(s, kPointer);
        member = static_cast<std::remove_reference_t<decltype(member)>>(value);
    }};

/// A member that takes its numbers from a list; the axis's value is the index.
template <auto kPointer, const auto& kList>
inline constexpr AxisMember kListed{
    [](const Settings& s) {
        const auto found = std::find(kList.begin(), kList.end(), memberOf(s, kPointer));
        return found == kList.end() ? 0 : static_cast<int>(found - kList.begin());
    },
    [](Settings& s, int value) { memberOf(s, kPointer) = kList[value]; }};

inline bool runsMegakernel(const Settings& s) {
    return s.variant.engine == Engine::megakernel;
}
inline bool runsWavefront(const Settings& s) {
    return s.variant.engine == Engine::wavefront;
}
inline bool runsHybrid(const Settings& s) {
    return s.variant.engine == Engine::hybrid;
}
inline bool runsPackets(const Settings& s) {
    return s.variant.engine == Engine::packets;
}
/// One thread follows a path to its end.
inline bool followsWholePaths(const Settings& s) {
    return runsMegakernel(s) || s.variant.engine == Engine::regeneration;
}

/// For rules: empty in a scene that is not traced as one with triangles.
template <const auto& kWhy>
std::string withTriangles(const Settings&, const Scene& scene) {
    if (!scene.meshes.empty()) return kWhy;
    return isOfTriangles(scene)
               ? "this scene's sky is a picture, with which it is traced as if it had triangles"
               : "";
}

inline constexpr Belonging kMegakernel{runsMegakernel, "engine=megakernel"};
inline constexpr Belonging kPackets{runsPackets, "engine=packets"};
inline constexpr Belonging kRegeneration{
    [](const Settings& s) { return s.variant.engine == Engine::regeneration; },
    "engine=regeneration"};
inline constexpr Belonging kWavefront{runsWavefront, "engine=wavefront"};

}  // namespace rayscope
