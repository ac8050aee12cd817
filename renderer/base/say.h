#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

// Words for standard output and standard error. Where those fail (a full disk, a reader that has
// gone) nothing is thrown, so that long work goes on and its files are still written.

namespace rayscope {

void sayText(std::string_view text);

/// As fmt::print does.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
    sayText(fmt::format(format, std::forward<Values>(values)...));
}

/// Brings what was said to its reader; 0, or the first error (errno) since the program began.
int flushSaid();

/// A sentence on standard error, after the program's name.
void complain(std::string_view sentence);

}  // namespace rayscope
