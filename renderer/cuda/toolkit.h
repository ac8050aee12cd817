#pragma once

#include <string>
#include <vector>

namespace rayscope {

/// Opens a library of the CUDA toolkit, such as "libnvrtc.so", in the first of these major versions
/// that is found; nullptr if none is. Searches where the dynamic linker does, in CUDA_HOME and
/// CUDA_PATH, in the toolkit that the program was built with, and in /usr/local/cuda. The library
/// is never closed.
void* openToolkitLibrary(const std::string& name, const std::vector<int>& majors);

}  // namespace rayscope
