#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rayscope {

/// One kind of thing that a file asks for and that its picture does not show, or shows otherwise.
struct Remark {
    std::string what;   ///< a sentence without its full stop: "skins are not read: the pose of the
                        ///< file is shown"
    std::string where;  ///< the first of them: "line 12", "materials[3]", "wood.mtl"; may be empty
    int count = 1;
    bool operator==(const Remark&) const = default;
};

/// What a reader left out, replaced or approximated. A file may have millions of the same: they
/// are counted, and at most kMostRemarks kinds are kept.
class Remarks {
public:
    static constexpr std::size_t kMostRemarks = 64;

    /// Counts one, or `count`. Texts of a file in `what` or `where` are printable() already.
    void add(std::string_view what, std::string_view where = {}, int count = 1);
    void add(const Remarks& others);

    const std::vector<Remark>& all() const { return all_; }
    bool empty() const { return all_.empty(); }
    /// Kinds that came after kMostRemarks others.
    int left() const { return left_; }

    bool operator==(const Remarks&) const = default;

private:
    std::vector<Remark> all_;
    int left_ = 0;
};

/// "skins are not read: the pose of the file is shown (3 times, first at nodes[2])".
std::string remarkSentence(const Remark& remark);

}  // namespace rayscope
