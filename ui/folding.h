#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rayscope {

/// Rows of a panel under a heading.
struct RowGroup {
    std::string name;
    int rows = 0;
    int stays = 0;  ///< those with less fold first where there is no room; kAlways: never
    static constexpr int kAlways = 99;
};

/// Heights of what a panel consists of, in pixels.
struct RowHeights {
    float row, heading;
};

/// Which groups of a panel are folded: those that the user has folded, and as many others as it
/// takes for the rest to be seen at once. What the user has opened stays open.
class Folding {
public:
    /// Chooses anew. Returns the index of the first of `heights` at which all is seen, the last
    /// where none does.
    size_t fit(const std::vector<RowGroup>& groups, float room,
               const std::vector<RowHeights>& heights);
    bool open(const std::string& group) const { return !folded_.contains(group); }
    void toggle(const std::string& group) { chosen_[group] = !open(group); }
    /// Of all groups as they are now.
    float height(const std::vector<RowGroup>& groups, const RowHeights& heights) const;

private:
    std::map<std::string, bool> chosen_;  ///< by the user: open
    std::set<std::string> folded_;
};

}  // namespace rayscope
