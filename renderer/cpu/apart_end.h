#pragma once

#include <string>

namespace rayscope {

/// What became of a process for an edited kernel, as what follows "its kernel". `status` as
/// waitpid() says; `denied`: ApartReport::denied, which may be any number.
std::string whyItEnded(int status, long denied);

}  // namespace rayscope
