#pragma once

#include "ui/feature.h"
#include "ui/why.h"

namespace rayscope {

/// What the running settings' warps do, and what their rays meet; or what limits the kernel. Maps
/// of it take the place of the picture.
class WhyTab : public Tab {
public:
    explicit WhyTab(std::function<Machine()> open) : Tab("why", "Why"), why_(std::move(open)) {}

    void drawPanel(const Ui& ui) override;
    void draw(const Ui& ui) override;
    void step(Frame& frame) override;
    /// "why": {"busy", "maps", "counts", "before", "lanes"}
    void describe(const Frame& frame, nlohmann::json& status) const override;
    void leaveGpu(Frame&) override { why_.reopen(); }
    bool needsSilence() const override { return why_.timing(); }

    /// Draws the map in place of the picture; false where the picture is to be seen.
    bool present(const Frame& frame, Presenter& presenter);

private:
    void drawPages(const Ui& ui);
    nlohmann::json report(const Frame& frame) const;
    void drawPaths(const Ui& ui);
    void drawCounters(const Ui& ui);
    void drawCounterButtons(const Ui& ui, bool gpu);
    const CostMap* map(const Frame& frame) const;

    Why why_;
    bool counters_ = false;  ///< the page of the counters, instead of that of the paths
    bool follow_ = false;    ///< count after each change
    bool again_ = false, count_ = false;  ///< asked for
};

}  // namespace rayscope
