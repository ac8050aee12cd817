#include "ui/folding.h"

#include <algorithm>

namespace rayscope {

float Folding::height(const std::vector<RowGroup>& groups, const RowHeights& heights) const {
    float sum = 0;
    for (const RowGroup& group : groups) {
        const int rows = open(group.name) ? group.rows : 0;
        sum += heights.heading + static_cast<float>(rows) * heights.row;
    }
    return sum;
}

size_t Folding::fit(const std::vector<RowGroup>& groups, float room,
                    const std::vector<RowHeights>& heights) {
    folded_.clear();
    std::vector<const RowGroup*> order;
    for (const RowGroup& group : groups) {
        const auto chosen = chosen_.find(group.name);
        if (chosen != chosen_.end() && !chosen->second) folded_.insert(group.name);
        if (chosen == chosen_.end() && group.stays != RowGroup::kAlways) order.push_back(&group);
    }
    std::ranges::stable_sort(order, {}, &RowGroup::stays);
    for (const RowGroup* group : order) {
        if (height(groups, heights.back()) <= room) break;
        folded_.insert(group->name);
    }
    const auto fits = [&](const RowHeights& h) { return height(groups, h) <= room; };
    const auto first = std::ranges::find_if(heights, fits);
    return std::min<size_t>(first - heights.begin(), heights.size() - 1);
}

}  // namespace rayscope
