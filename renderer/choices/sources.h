#pragma once

#include <string>
#include <string_view>

#include "renderer/base/result.h"
#include "renderer/choices/value_list.h"

// What kernels are compiled from: the values of the axis `source`. Unlike those of other axes they
// are known only while the program runs. Any thread may ask.

namespace rayscope {

/// What the program was built with, and what the user edits. More come by name.
inline constexpr int kBuiltIn = 0, kMine = 1;

/// The values of the axis, by number. They only become more.
const ValueList& sourceValues();

/// The source of this name, which becomes a value of the axis if it is none. Fails if it is no
/// name, lower-case letters, digits and _, or if there are too many.
Result<int> sourceNamed(std::string_view name);

/// The folder whose files stand in for those that the program was built with; "": none.
void setSourceFolder(int source, const std::string& folder);
std::string sourceFolder(int source);
/// Some source has a folder.
bool anySourceFolder();

}  // namespace rayscope
