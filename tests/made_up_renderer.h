#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "renderer/backend/renderer.h"
#include "renderer/base/elapsed.h"

namespace rayscope {

class MadeUpSession;

/// Records nothing of paths, and does itself what its sessions are asked for.
class BareRenderer : public Renderer {
public:
    virtual void clear(Film&) {}
    virtual FrameStats advance(const Settings& settings, const Camera& camera,
                               MadeUpSession& session, double budgetMs) = 0;
    virtual FrameStats finish(MadeUpSession&) { return {}; }
    virtual KernelInfo kernel(const MadeUpSession&) const { return {}; }
    std::unique_ptr<Session> open(Film& film) override;
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

class MadeUpSession : public Session {
public:
    MadeUpSession(BareRenderer& renderer, Film& film) : Session(film), renderer_(renderer) {}
    FrameStats advance(const Settings& settings, const Camera& camera, double budgetMs) override {
        return renderer_.advance(settings, camera, *this, budgetMs);
    }
    FrameStats finish() override { return renderer_.finish(*this); }
    void releasePaths() override {}
    KernelInfo kernel() const override { return renderer_.kernel(*this); }
    /// A whole pass of so many samples, or of those left; how many.
    int doPass(int samples) {
        beginPass(samples);
        const int done = pass().samples;
        movePass(1, 1);
        return done;
    }

private:
    void clearPixels() override { renderer_.clear(film()); }
    BareRenderer& renderer_;
};

inline std::unique_ptr<Session> BareRenderer::open(Film& film) {
    return std::make_unique<MadeUpSession>(*this, film);
}

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
    /// Passes of this path wait for a core as long as they work.
    std::optional<Path> waitsAt;
    std::string refusal;
    int loading = 0;             ///< calls until the kernel is there
    std::optional<Path> broken;  ///< the kernels of this path do not compile

    DeviceInfo device() const override { return {"made up", ""}; }
    void setScene(const SharedScene&) override {}
    std::string unsupported(const Settings&) const override { return refusal; }
    FrameStats advance(const Settings& settings, const Camera&, MadeUpSession& session,
                       double) override {
        compiles_ = settings.variant.path != broken;
        if (!compiles_) return {};
        const int samples = session.doPass(settings.samples);
        FrameStats stats;
        const double work = samples * (settings.variant.path == Path::recursive ? slow : 1);
        const double ms =
            work * pace(passes_++) * std::exp(spread * std::normal_distribution<double>()(random_));
        stats.kernelMs = stats.timedMs = clock(ms, settings);
        if (waitsAt) {
            stats.processorMs = ms;
            stats.waitedMs = settings.variant.path == *waitsAt ? ms : 0;
            stats.kernelMs = stats.timedMs = ms + stats.waitedMs;
        }
        stats.rays.camera = static_cast<std::uint64_t>(samples) * 1000;
        stats.launches = 1;
        if (loading > 0) --loading;
        return stats;
    }
    KernelInfo kernel(const MadeUpSession&) const override {
        KernelInfo info;
        info.ready = loading == 0 && compiles_;
        if (!compiles_) info.compileLog = "made-up error";
        return info;
    }

private:
    int passes_ = 0;
    bool compiles_ = true;
    std::mt19937 random_{3};
};

/// A sample of a picture of 64 pixels keeps the caller busy for a quarter of a millisecond, of
/// which the kernel says that it took the fourth part: its own clock and the loop's give figures
/// that differ by a factor of four.
class BusyRenderer : public MadeUpRenderer {
public:
    static constexpr double kMsOfSample = .25, kKernelShare = .25, kRaysOfSample = 1000;

    FrameStats advance(const Settings& settings, const Camera& camera, MadeUpSession& session,
                       double budgetMs) override {
        const Clock::time_point start = Clock::now();
        FrameStats stats = MadeUpRenderer::advance(settings, camera, session, budgetMs);
        stats.rays.camera = stats.rays.camera * session.film().width * session.film().height / 64;
        const double ms = kMsOfSample * static_cast<double>(stats.rays.camera) / kRaysOfSample;
        while (millisecondsSince(start) < ms) {
        }
        stats.kernelMs = stats.timedMs = kKernelShare * ms;
        stats.timedRays = stats.rays.total();
        return stats;
    }
};

inline Settings settingsWith(Path path) {
    Settings settings;
    settings.backend = Backend::cpu;
    settings.display = Display::host;
    settings.variant.path = path;
    return settings;
}

}  // namespace rayscope
