#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "renderer/backend/renderer.h"

namespace rayscope {

/// Records nothing of paths.
class BareRenderer : public Renderer {
public:
    void adjustSphere(int, const Sphere&) override {}
    PathLengths pathLengths(const Settings&, const Camera&, int, int, int,
                            const std::stop_token&) override {
        return {};
    }
    PixelTimes pixelTimes(const Settings&, const Camera&, int, int, int,
                          const std::stop_token&) override {
        return {};
    }
};

/// Traces nothing and says how long it took: a sample of a setting with path=recursive takes `slow`
/// times as long as one with another path; the machine's pace and noise are the test's.
class MadeUpRenderer : public BareRenderer {
public:
    double slow = 1.25, spread = .01;
    /// Pace of the machine for pass number n.
    std::function<double(int)> pace = [](int) { return 1.; };
    /// What the clock says of a pass that took so many milliseconds.
    std::function<double(double, const Settings&)> clock = [](double ms, const Settings&) {
        return ms;
    };
    std::string refusal;
    int loading = 0;  ///< calls until the kernel is there

    DeviceInfo device() const override { return {"made up", ""}; }
    void setScene(const Scene&) override {}
    std::string unsupported(const Settings&) const override { return refusal; }
    void clear(Film& film) override { film.samples = film.passSamples = film.cursor = 0; }
    FrameStats advance(const Settings& settings, const Camera&, Film& film, double) override {
        beginPass(settings.samples, film);
        FrameStats stats;
        const double work =
            film.passSamples * (settings.variant.path == Path::recursive ? slow : 1);
        const double ms =
            work * pace(passes_++) * std::exp(spread * std::normal_distribution<double>()(random_));
        stats.kernelMs = stats.timedMs = clock(ms, settings);
        stats.rays.camera = static_cast<std::uint64_t>(film.passSamples) * 1000;
        stats.launches = 1;
        endPass(film);
        if (loading > 0) --loading;
        return stats;
    }
    FrameStats finish() override { return {}; }
    KernelInfo kernel() const override {
        KernelInfo info;
        info.ready = loading == 0;
        return info;
    }

private:
    int passes_ = 0;
    std::mt19937 random_{3};
};

inline Settings settingsWith(Path path) {
    Settings settings;
    settings.backend = Backend::cpu;
    settings.display = Display::host;
    settings.variant.path = path;
    return settings;
}

}  // namespace rayscope
