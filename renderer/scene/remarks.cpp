#include "renderer/scene/remarks.h"

#include <fmt/format.h>

#include <algorithm>

namespace rayscope {

void Remarks::add(std::string_view what, std::string_view where, int count) {
    const auto same = std::find_if(all_.begin(), all_.end(),
                                   [&](const Remark& remark) { return remark.what == what; });
    if (same != all_.end())
        same->count += count;
    else if (all_.size() < kMostRemarks)
        all_.push_back({std::string(what), std::string(where), count});
    else
        ++left_;
}

void Remarks::add(const Remarks& others) {
    for (const Remark& remark : others.all_) add(remark.what, remark.where, remark.count);
    left_ += others.left_;
}

std::string remarkSentence(const Remark& remark) {
    if (remark.count == 1)
        return remark.where.empty() ? remark.what
                                    : fmt::format("{} ({})", remark.what, remark.where);
    return remark.where.empty()
               ? fmt::format("{} ({} times)", remark.what, remark.count)
               : fmt::format("{} ({} times, first at {})", remark.what, remark.count, remark.where);
}

}  // namespace rayscope
