#pragma once

namespace rayscope {

// What a process for an edited kernel may do. Each of these throws std::runtime_error.

/// Makes the heap as large as it will ever be.
void fillHeap();

/// No files of any size, no processes, no core. Once all threads have started.
void limitResources();

/// From now on all threads may read files and load libraries, and no more. What else they ask the
/// system for is not done: its number is noted in `denied`, and the process ends with kDenied.
void allowLoading(long& denied);

/// From now on they may compute, wait for each other and talk on kChannel, and no more.
void allowComputing();

}  // namespace rayscope
