#pragma once

#include "ui/feature.h"

namespace rayscope {

/// What features share and ask of, without a window.
class MadeUpWindow : public Host {
public:
    MadeUpWindow(Backends& backends, State& state)
        : steering_(state.scene), frame{*this, state, backends, tracer_, steering_, preferences_} {
        frame.panels = true;
    }

    void adopt(State state) override {
        frame.state = std::move(state);
        frame.backends.setScene(frame.state.scene);
    }
    void open(const std::string& nameOrPath) override { opened = nameOrPath; }
    void sceneEdited(int) override {}
    void bodiesMoved(const SharedBvh&) override {}
    void useDevices(const DeviceList&) override {}
    void press(Key) override {}
    void showTab(const std::string& id) override { frame.tab = id; }
    void savePage(nlohmann::json report) override { page = std::move(report); }
    KernelInfo kernel() const override { return running; }
    bool measuring() const override { return false; }
    bool working() const override { return false; }
    std::string doing() const override { return {}; }

    /// Carries out what has been asked for.
    void act() {
        for (const auto& action : std::exchange(frame.asked, {})) action();
    }
    /// The last sentence for the user since the last call; empty: none.
    std::string said() { return std::exchange(frame.toasts.last, {}); }

    KernelInfo running;
    std::string opened;
    nlohmann::json page;  ///< the last that was to be saved

private:
    Preferences preferences_;
    Tracer tracer_;
    Steering steering_;

public:
    Frame frame;
};

}  // namespace rayscope
