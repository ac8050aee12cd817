#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

// Text for standard output and standard error. If writing fails (a full disk, a reader that has
// gone) nothing is thrown, so that long work goes on and its files are still written.

namespace rayscope {

void sayText(std::string_view text);

/// Formats as fmt::print() does.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
    sayText(fmt::format(format, std::forward<Values>(values)...));
}

/// Flushes standard output; 0, or the first error (errno) in writing to it since the program began.
int flushSaid();

/// Writes a sentence to standard error, after the program's name.
void complain(std::string_view sentence);

/// From now on nothing is written, for another process speaks for this one.
void keepQuiet();
/// The sentences of complain() so far, written or not, a line each.
std::string complaints();

}  // namespace rayscope
