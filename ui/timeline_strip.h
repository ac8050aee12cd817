#pragma once

#include "ui/feature.h"
#include "ui/timeline_view.h"

namespace rayscope {

/// The last frames: what the CPU and the GPU did when, over the bottom of the picture.
class TimelineStrip : public WindowFeature {
public:
    bool shown() const { return view_.shown(); }

    void key(const KeyPress& press, Frame& frame) override;
    void draw(const Ui& ui) override;
    /// "timeline": {"shown", "paused", "from_ms", "until_ms", "events"}, "trace": the last one
    /// saved
    void describe(const Frame& frame, nlohmann::json& status) const override;

private:
    void drawHeading(const Ui& ui);
    void save(Frame& frame);

    TimelineView view_;
    std::string saved_;
};

}  // namespace rayscope
