#pragma once

// What the tests of tests/gpu/ share: films on the device, the CPU's picture of the same, and how
// alike two pictures are.

#include <gtest/gtest.h>

#include "renderer/backend/film_memory.h"
#include "renderer/compile/kernel_sources.h"
#include "renderer/backend/renderer.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/scene/json.h"

#ifdef RAYSCOPE_CUDA

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <thread>

namespace rayscope {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

inline constexpr int kWidth = 160;
inline constexpr int kHeight = 96;
inline constexpr int kSpp = 16;
inline constexpr int kFewSpp = 4;  ///< for what is rendered many times
inline constexpr const char* kSomeScenes[] = {"vt9", "vt46", "cornell", "card", "weekend"};

inline Scene load(const std::string& name) {
    auto scene = findScene(name);
    if (!scene) throw std::runtime_error(scene.reason());
    return *std::move(scene);
}

struct Rendering {
    std::vector<Pixel> pixels;
    Rays rays;
    FrameStats stats;
};

/// Renders to the target; gives up after a minute.
inline FrameStats renderTo(Session& session, const Settings& settings, const Scene& scene,
                           double budgetMs = 200) {
    FrameStats stats;
    const Clock::time_point start = Clock::now();
    while (!session.done() || !session.kernel().ready) {
        stats += session.advance(settings, scene.camera, budgetMs);
        if (Clock::now() - start > std::chrono::minutes(1)) {
            ADD_FAILURE() << describe(settings)
                          << " does not finish: " << session.kernel().compileLog;
            break;
        }
        if (session.done() && !session.kernel().ready) break;
    }
    stats += session.finish();
    return stats;
}

/// Waits until the settings' own kernel renders; the film then begins anew.
inline void waitForKernel(Session& session, const Settings& settings, const Scene& scene) {
    const int target = session.target();
    session.setTarget(0);
    const Clock::time_point start = Clock::now();
    do {
        session.advance(settings, scene.camera, 50);
        if (Clock::now() - start > std::chrono::minutes(1))
            FAIL() << describe(settings) << ": " << session.kernel().compileLog;
    } while (!session.kernel().ready);
    session.finish();
    session.clear();
    session.setTarget(target);
}

inline Rendering renderOnCpu(Settings settings, const Scene& scene, int spp = kSpp) {
    settings.backend = Backend::cpu;
    settings.display = Display::host;
    settings.variant.engine = Engine::megakernel;
    settings.variant.sceneMemory = SceneMemory::global;  // a CPU has no constant memory
    auto renderer = makeCpuRenderer();
    renderer->setScene(scene);
    Rendering p;
    p.pixels.resize(kWidth * kHeight);
    Film film;
    film.width = kWidth;
    film.height = kHeight;
    film.pixels = p.pixels.data();
    const std::unique_ptr<Session> session = renderer->open(film);
    session->setTarget(spp);
    p.stats = renderTo(*session, settings, scene);
    p.rays = p.stats.rays;
    return p;
}

/// Bytes.
inline double freeDeviceMemory() {
    size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return static_cast<double>(free);
}

inline constexpr double kOthers = 8 << 20;  ///< bytes that else may be allocated meanwhile

/// For another renderer than the fixture's.
struct SmallFilm {
    explicit SmallFilm(Renderer& renderer) {
        EXPECT_EQ(memory.allocate(kWidth, kHeight).reason(), "");
        film.width = kWidth;
        film.height = kHeight;
        film.pixels = memory.pixels();
        session = renderer.open(film);
    }
    DeviceFilm memory;
    Film film;
    std::unique_ptr<Session> session;
};

class Gpu : public testing::Test {
protected:
    void SetUp() override {
        auto made = makeCudaRenderer();
        if (!made) GTEST_SKIP() << made.reason();
        renderer_ = *std::move(made);
    }

    void use(const std::string& scene) {
        scene_ = load(scene);
        renderer_->setScene(scene_);
        settings_ = defaultSettings(Backend::cuda, scene_);
        settings_.variant.countDepths = true;
        settings_.samples = kSpp;
    }

    void allocate(int width = kWidth, int height = kHeight) {
        session_.reset();
        ASSERT_EQ(memory_.allocate(width, height).reason(), "");
        film_ = Film{};
        film_.width = width;
        film_.height = height;
        film_.pixels = memory_.pixels();
        session_ = renderer_->open(film_);
    }

    Rendering fetch(const FrameStats& stats) {
        Rendering p{std::vector<Pixel>(size_t{1} * film_.width * film_.height), stats.rays, stats};
        EXPECT_TRUE(memory_.startCopy());
        const Pixel* copy = memory_.waitForCopy();
        if (copy == nullptr)
            ADD_FAILURE() << "the film was not copied";
        else
            std::copy_n(copy, p.pixels.size(), p.pixels.begin());
        return p;
    }

    /// A new film by the settings' own kernel only.
    Rendering render(const Settings& settings, int spp = kSpp, double budgetMs = 200) {
        allocate();
        return renderFilm(settings, spp, budgetMs);
    }

    /// The film allocated, by the settings' own kernel only.
    Rendering renderFilm(const Settings& settings, int spp, double budgetMs) {
        waitForKernel(*session_, settings, scene_);
        session_->clear();
        session_->setTarget(spp);
        return fetch(renderTo(*session_, settings, scene_, budgetMs));
    }

    /// The picture of settings against the CPU's of the same precision; rays may differ by this
    /// part in single precision.
    void expectPictureOf(const Settings& settings, const Rendering& reference, double rays);

    std::unique_ptr<Renderer> renderer_;
    Scene scene_;
    Settings settings_;
    DeviceFilm memory_;
    Film film_;
    std::unique_ptr<Session> session_;  ///< of film_, after allocate()
};

/// Counts agree to `tolerance` of the larger one, or to a handful of rays, or to the root of their
/// number: deep in a scene of glass nearly all paths have been sent elsewhere, and count anew.
inline void expectNear(std::uint64_t a, std::uint64_t b, double tolerance,
                       const std::string& what) {
    const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
    const double most = static_cast<double>(std::max(a, b));
    EXPECT_LE(difference, std::max({8.0, tolerance * most, tolerance > 0 ? std::sqrt(most) : 0}))
        << what << ": " << a << " and " << b;
}

/// The same rays at each depth. Contraction and fast functions may send a few paths elsewhere: a
/// bounce off the edge of a sphere turns a last bit into another hit.
inline void expectSameRays(const Rays& a, const Rays& b, double tolerance) {
    EXPECT_EQ(a.camera, b.camera);
    expectNear(a.bounce, b.bounce, tolerance, "bounce rays");
    expectNear(a.shadow, b.shadow, tolerance, "shadow rays");
    for (int d = 0; d < kMaxDepth; ++d) {
        // deep rays are few, and each path that went elsewhere is a large part of them
        expectNear(a.depth[d], b.depth[d], d == 0 ? 0 : 10 * tolerance,
                   "rays at depth " + std::to_string(d));
    }
}

/// The share `quantile` of the pixels differ less than this, relative to the mean of both
/// (symmetric).
inline double differenceAt(double quantile, const Rendering& a, const Rendering& b) {
    std::vector<double> differences;
    for (size_t i = 0; i < a.pixels.size(); ++i) {
        const Pixel& p = a.pixels[i];
        const Pixel& q = b.pixels[i];
        const double sum = std::abs(p.r) + std::abs(p.g) + std::abs(p.b) + std::abs(q.r) +
                           std::abs(q.g) + std::abs(q.b) + 1e-6;
        const double apart = std::abs(p.r - q.r) + std::abs(p.g - q.g) + std::abs(p.b - q.b);
        differences.push_back(2 * apart / sum);
    }
    std::sort(differences.begin(), differences.end());
    return differences[static_cast<size_t>(quantile * static_cast<double>(differences.size() - 1))];
}

/// What 99 in 100 pixels may be apart: in double precision next to nothing, in single precision
/// what rounding alone does to the scene, seen on the CPU. Mirrors that face each other amplify a
/// last bit some twentyfold a bounce.
inline double toleranceOf(const Settings& settings, const Scene& scene) {
    if (settings.variant.precision == Precision::float64) return 1e-5;
    Settings wide = settings;
    wide.variant.precision = Precision::float64;
    const double rounding =
        differenceAt(.99, renderOnCpu(settings, scene), renderOnCpu(wide, scene));
    return std::max(1e-2, 2 * rounding);
}

inline double meanOf(const Rendering& p) {
    double sum = 0;
    for (const Pixel& pixel : p.pixels) sum += pixel.r + pixel.g + pixel.b;
    return sum / static_cast<double>(p.pixels.size());
}

inline void expectComplete(const Rendering& p, int spp) {
    for (const Pixel& pixel : p.pixels) ASSERT_EQ(pixel.samples, static_cast<float>(spp));
}

inline bool sameBits(const Rendering& a, const Rendering& b) {
    return a.pixels.size() == b.pixels.size() &&
           std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(Pixel)) == 0;
}

inline void Gpu::expectPictureOf(const Settings& settings, const Rendering& reference,
                                 double rays) {
    SCOPED_TRACE(scene_.name + ": " + describe(settings));
    const Rendering picture = render(settings, kFewSpp);
    const bool exact = settings.variant.precision == Precision::float64;
    expectComplete(picture, kFewSpp);
    expectSameRays(picture.rays, reference.rays, exact ? 1e-5 : rays);
    EXPECT_LT(differenceAt(.95, picture, reference), exact ? 1e-5 : 1e-2);
    EXPECT_NEAR(meanOf(picture) / meanOf(reference), 1, exact ? 1e-4 : 1e-2);
}

}  // namespace rayscope

#endif
