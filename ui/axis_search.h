#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/axis_memory.h"

namespace rayscope {

/// What the search has found: a value of an axis, or the axis itself where it has numbers.
struct AxisFound {
    const Axis* axis;
    int value;           ///< below 0: the axis
    std::string reason;  ///< why it cannot be chosen now; empty: it can
};

/// The axes and values that have every word of the query in their names, labels or explanations, in
/// the order of the table; all of them where there are no words. An axis that has them stands with
/// all its values.
std::vector<AxisFound> findAxes(const std::string& query, const Settings& settings);

/// A field over the picture in which axes and their values are searched and chosen: Ctrl+F. Without
/// words it shows all that there is, also what this device or these settings do without.
class AxisSearch {
public:
    void open();
    void close() { shown_ = false; }
    bool shown() const { return shown_; }
    const std::string& query() const { return query_; }
    std::size_t found() const { return found_.size(); }

    void draw(const Ui& ui, AxisMemory& memory);

private:
    void look(const Frame& frame);
    void drawFound(const Ui& ui, AxisMemory& memory) const;

    bool shown_ = false, opened_ = false;
    std::string query_;
    std::vector<AxisFound> found_;
    /// What found_ is of.
    std::optional<std::pair<std::string, Settings>> of_;
    std::uint64_t scene_ = 0;
};

}  // namespace rayscope
