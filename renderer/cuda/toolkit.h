#pragma once

#include <string>
#include <vector>

namespace rayscope {

/// Opens a library of the CUDA toolkit, "libnvrtc.so" of the first of the major versions that is
/// there; nullptr where there is none. Searched by the dynamic linker, in CUDA_HOME and CUDA_PATH,
/// in the toolkit that this was built with and in /usr/local/cuda. Stays open.
void* openToolkitLibrary(const std::string& name, const std::vector<int>& majors);

}  // namespace rayscope
