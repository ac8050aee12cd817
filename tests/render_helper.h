#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/state.h"
#include "renderer/scene/json.h"

namespace rayscope {

/// A small film rendered on the CPU, and what it took.
struct Rendered {
    std::vector<Pixel> pixels;
    FrameStats stats;

    /// Mean radiance of the picture.
    glm::dvec3 mean() const {
        glm::dvec3 sum{0, 0, 0};
        for (const Pixel& p : pixels) {
            sum.x += p.r / p.samples;
            sum.y += p.g / p.samples;
            sum.z += p.b / p.samples;
        }
        const double n = static_cast<double>(pixels.size());
        return {sum.x / n, sum.y / n, sum.z / n};
    }
};

inline Scene sceneNamed(const std::string& name) {
    Result<Scene> found = findScene(name);
    if (!found) throw std::runtime_error(found.reason());
    return *found;
}

/// Settings of the CPU backend with the axes given, "path=stack" and so on.
inline Settings cpuSettings(const Scene& scene, const std::vector<std::string>& assignments = {}) {
    Settings settings = defaultSettings(Backend::cpu, scene);
    for (const std::string& a : assignments) {
        Settings alone = settings;
        EXPECT_EQ(assign(alone, a).reason(), "") << a;
    }
    assignAll(settings, assignments);
    return settings;
}

/// Of the scene that the renderer has.
inline Rendered renderWith(Renderer& renderer, const Settings& settings, const Camera& camera,
                           int width, int height, int spp) {
    EXPECT_EQ(renderer.unsupported(settings), "");
    Rendered result;
    result.pixels.resize(static_cast<size_t>(width) * height);
    Film film{width, height, result.pixels.data()};
    const std::unique_ptr<Session> session = renderer.open(film);
    session->setTarget(spp);
    session->clear();
    while (!session->done()) {
        result.stats += session->advance(settings, camera, 1000);
        std::string problem = session->kernel().compileLog;
        if (problem.empty() && !session->kernel().ready) problem = renderer.unsupported(settings);
        if (problem.empty()) continue;
        ADD_FAILURE() << describe(settings) << ": " << problem;
        break;
    }
    return result;
}

inline Rendered renderCpu(const Scene& scene, const Settings& settings, int width, int height,
                          int spp) {
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    return renderWith(*renderer, settings, scene.camera, width, height, spp);
}

/// By a renderer that has rendered `scene` before its spheres are edited one by one.
inline Rendered renderEdited(const Scene& scene, const Scene& edited, const Settings& settings,
                             int width, int height, int spp) {
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    renderWith(*renderer, settings, scene.camera, 16, 12, 1);
    for (size_t i = 0; i < scene.spheres.size(); ++i) {
        if (edited.spheres[i] != scene.spheres[i])
            renderer->adjustSphere(static_cast<int>(i), edited.spheres[i]);
    }
    return renderWith(*renderer, settings, scene.camera, width, height, spp);
}

/// The largest difference of a channel's mean, relative to the larger of 1 and the value.
inline double largestDifference(const Rendered& a, const Rendered& b) {
    double largest = 0;
    const auto compare = [&](float x, float y, float n) {
        const double scale = std::max(1., static_cast<double>(std::abs(x / n)));
        largest = std::max(largest, std::abs(x - y) / n / scale);
    };
    for (size_t i = 0; i < a.pixels.size(); ++i) {
        const Pixel &p = a.pixels[i], &q = b.pixels[i];
        compare(p.r, q.r, p.samples);
        compare(p.g, q.g, p.samples);
        compare(p.b, q.b, p.samples);
    }
    return largest;
}

inline bool sameBits(const Rendered& a, const Rendered& b) {
    return std::equal(a.pixels.begin(), a.pixels.end(), b.pixels.begin(), b.pixels.end(),
                      [](const Pixel& p, const Pixel& q) {
                          return p.r == q.r && p.g == q.g && p.b == q.b && p.samples == q.samples;
                      });
}

/// Fused operations move last bits, and single precision moves hits: a path in some thousand then
/// takes another turn, so most pixels agree closely and the ray counts almost.
inline void expectAlmostSame(const Rendered& a, const Rendered& b, double rays, double tolerance,
                             double share) {
    const double total = static_cast<double>(a.stats.rays.total());
    EXPECT_NEAR(total, static_cast<double>(b.stats.rays.total()), rays * total);
    size_t close = 0;
    for (size_t i = 0; i < a.pixels.size(); ++i) {
        const Pixel &p = a.pixels[i], &q = b.pixels[i];
        close +=
            p.samples == q.samples && std::abs(p.g - q.g) <= tolerance * std::max(p.samples, p.g);
    }
    EXPECT_GE(static_cast<double>(close), share * static_cast<double>(a.pixels.size()));
}

/// The scene as it opens on the CPU.
inline State stateOf(const char* scene) {
    State state;
    state.scene = sceneNamed(scene);
    state.camera = state.scene->camera;
    state.settings = defaultSettings(Backend::cpu, state.scene);
    return state;
}

}  // namespace rayscope
