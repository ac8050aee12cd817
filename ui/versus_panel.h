#pragma once

#include "ui/feature.h"
#include "ui/versus.h"

namespace rayscope {

class CodeTab;

/// A's settings for another scene, as those of B are taken along; the reason in `*reason` where
/// they cannot be had there, and nothing is pinned then.
void takeAlong(std::optional<Pinned>& pinned, const Scene& before, const Scene& after,
               std::string* reason);
/// Adopts a state with another scene, in which what is pinned is still of the present one.
void adoptWithPinned(State next, Frame& frame);

/// What is pinned is A, beside which the state's settings are B: both pictures, traced in turns,
/// and how far each has come.
class VersusTab : public Tab {
public:
    /// `code`: what the machine code says of both.
    explicit VersusTab(const CodeTab* code = nullptr) : Tab("versus", "A | B"), code_(code) {}

    void pin(Frame& frame);
    void unpin(Frame& frame);
    void swap(Frame& frame);
    void showNext(Frame& frame);
    void race(Frame& frame);
    void stopRace() { versus_.stopRace(); }

    /// Unpins where A's settings cannot be had, and says why; frees A's film where nothing is
    /// pinned.
    std::string unpinImpossible(Frame& frame);
    /// Likewise, and forgets what the sides have done.
    std::string forget(Frame& frame);
    /// Likewise, and begins A's picture anew.
    void restart(Frame& frame);
    /// A frame for both sides; what B did in it. `ofB`: what is wished for, for both together.
    FrameStats trace(Frame& frame, const Tracer::Wish& ofB, std::string* message);
    /// Before tracing: nothing is pinned that cannot be had, and no film is kept for nothing.
    void prepare(Frame& frame);
    /// Of B, after its last turn; without a name before that.
    const KernelInfo& kernel() const { return versus_.record(Side::b).kernel; }
    /// Into the window, as the user wants to see the two.
    void present(const Frame& frame, Presenter& presenter, const Layout& layout);
    /// "pinned" of the status file and "versus" in the info of a screenshot: {"settings",
    /// "showing", "wipe", "gain", "noise" (0: not known yet), "with_sign", "racing", "lead",
    /// "lead_spread", "a", "b":
    /// {"samples", "kernel_ms", "rays_per_second", "error", "own_kernel"}}
    nlohmann::json sides(const Pinned& pinned) const;

    void key(const KeyPress& press, Frame& frame) override;
    void drawPanel(const Ui& ui) override;
    float width(const Theme& theme) const override;
    void draw(const Ui& ui) override;
    void describe(const Frame& frame, nlohmann::json& status) const override;
    void adopted(Frame& frame, const State&) override { restart(frame); }
    void leaveGpu(Frame&) override { tracer_.forget(); }
    bool measuring() const override { return versus_.racing(); }

    const Versus& versus() const { return versus_; }

private:
    void end(Frame& frame);
    void drawPinButtons(const Ui& ui);
    void drawRace(const Ui& ui);
    void drawPinned(const Ui& ui);

    std::optional<double> noise() const {
        return noiseOf(versus_.record(Side::a), versus_.record(Side::b));
    }
    double shownNoise(const State& state) const;

    const CodeTab* code_;
    Versus versus_;
    Tracer tracer_;  ///< of A
};

/// Where the line between the two stands, in screen units from the left: never under a panel.
float wipePlace(const Layout& layout, Size window, double wipe);
/// The same in pixels of the framebuffer.
int wipePixel(const Layout& layout, Size window, Size framebuffer, double wipe);

}  // namespace rayscope
