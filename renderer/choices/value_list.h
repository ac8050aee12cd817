#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rayscope {

struct AxisValue {
    std::string id;      ///< the spelling in JSON, on the command line, in test names
    std::string label;   ///< what a panel shows
    std::string help{};  ///< what it does and when it wins, a sentence or two
};

/// The values of an axis, which copies share. More may be added at the end while others read, from
/// any thread: what is there stays where it is.
class ValueList {
public:
    ValueList() = default;
    ValueList(std::initializer_list<AxisValue> values) : ValueList(std::vector(values)) {}
    /// With room for more, so many in all.
    ValueList(std::vector<AxisValue> values, std::size_t room = 0);

    const AxisValue* begin() const;
    const AxisValue* end() const { return begin() + size(); }
    std::size_t size() const;
    bool empty() const { return size() == 0; }
    const AxisValue& operator[](std::size_t i) const { return begin()[i]; }
    /// The number of the value of this spelling; -1: there is none.
    int find(std::string_view id) const;
    /// False where there is no room. One thread at a time.
    bool add(AxisValue value);

private:
    struct Values;
    std::shared_ptr<Values> values_;
};

}  // namespace rayscope
