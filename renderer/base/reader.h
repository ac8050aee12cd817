#pragma once

#include <cstdio>
#include <string>
#include <string_view>

// Output to somebody who reads it: a pipe, a terminal, a device. A reader may be slow, which is
// waited for, or never come, which is given up soon after an interrupt (base/stop.h).

namespace rayscope {

/// The error (errno) of output that was given up as nobody has read it.
extern const int kNobodyReads;

/// strerror(), or a clause for kNobodyReads.
std::string errorText(int error);

/// Opens a pipe or a device for writing, and waits until a pipe has a reader. The descriptor, or -1
/// and errno.
int openForReader(const std::string& path);

/// Writes all bytes; 0, or errno.
int writeToReader(int descriptor, std::string_view bytes);

/// A stream that writes in this way and owns the descriptor, which is closed where this fails;
/// nullptr and errno.
std::FILE* streamToReader(int descriptor);

}  // namespace rayscope
