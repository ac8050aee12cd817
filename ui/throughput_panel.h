#pragma once

#include "ui/feature.h"

namespace rayscope {

/// The rates of the picture.
class ThroughputTab : public Tab {
public:
    ThroughputTab() : Tab("throughput", "Throughput") {}
    void drawPanel(const Ui& ui) override;
    float width(const Theme& theme) const override;
    void describe(const Frame& frame, nlohmann::json& status) const override;
};

}  // namespace rayscope
