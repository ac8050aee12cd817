#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "renderer/backend/renderer.h"

namespace rayscope {

/// A session that stands before another one of the same film.
class SessionBefore : public Session {
public:
    using Ask = std::function<void(int firstSample, int samples)>;
    SessionBefore(std::unique_ptr<Session> inner, Film& film, Ask ask)
        : Session(film), inner_(std::move(inner)), ask_(std::move(ask)) {}

    FrameStats advance(const Settings& settings, const Camera& camera, double ms) override {
        inner_->skip(pass().skipped);
        inner_->setTarget(target());
        ask_(film().samples + pass().skipped, target() - film().samples);
        return inner_->advance(settings, camera, ms);
    }
    bool worksOn() const override { return inner_->worksOn(); }
    double leftMs() override { return inner_->leftMs(); }
    FrameStats finish() override { return inner_->finish(); }
    void releasePaths() override { inner_->releasePaths(); }
    KernelInfo kernel() const override { return inner_->kernel(); }

private:
    void clearPixels() override { inner_->clear(); }
    std::unique_ptr<Session> inner_;
    Ask ask_;
};

/// A device that asks before it renders.
class AskingRenderer : public Renderer {
public:
    AskingRenderer(std::unique_ptr<Renderer> inner, SessionBefore::Ask ask)
        : inner_(std::move(inner)), ask_(std::move(ask)) {}

    DeviceInfo device() const override {
        DeviceInfo info = inner_->device();
        info.name = "made-up device";
        return info;
    }
    void useThread() override { inner_->useThread(); }
    void setScene(const SharedScene& scene) override { inner_->setScene(scene); }
    void adjustSphere(int number, const Sphere& sphere) override {
        inner_->adjustSphere(number, sphere);
    }
    void giveHierarchy(const SharedBvh& built) override { inner_->giveHierarchy(built); }
    std::string unsupported(const Settings& settings) const override {
        return inner_->unsupported(settings);
    }
    std::unique_ptr<Session> open(Film& film) override {
        return std::make_unique<SessionBefore>(inner_->open(film), film, ask_);
    }
    PathLengths pathLengths(const Settings& settings, const Camera& camera, int width, int height,
                            int samples, const std::stop_token& stop) override {
        return inner_->pathLengths(settings, camera, width, height, samples, stop);
    }
    PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width, int height,
                          int samples, const std::stop_token& stop) override {
        return inner_->pixelTimes(settings, camera, width, height, samples, stop);
    }

private:
    std::unique_ptr<Renderer> inner_;
    SessionBefore::Ask ask_;
};

/// Two devices, the first or the second of which fails when it has been asked for more samples than
/// these. Until then the other waits, for some seconds.
class OneOfTwoFails {
public:
    explicit OneOfTwoFails(int samples) : left_(samples) {}

    std::unique_ptr<Renderer> failing(std::unique_ptr<Renderer> inner) {
        return std::make_unique<AskingRenderer>(std::move(inner), [this](int first, int samples) {
            if (first == lastFirst_) return;  // goes on with a chunk
            lastFirst_ = first;
            left_ -= samples;
            if (left_ >= 0) return;
            failed_ = true;
            throw std::runtime_error("it has burnt out");
        });
    }
    std::unique_ptr<Renderer> waiting(std::unique_ptr<Renderer> inner) {
        return std::make_unique<AskingRenderer>(std::move(inner), [this](int, int) {
            for (int i = 0; i < 2000 && !failed_; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
    }

private:
    int left_, lastFirst_ = -1;
    std::atomic<bool> failed_ = false;
};

}  // namespace rayscope
