#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string_view>

namespace rayscope {

/// Throws std::runtime_error where a CUDA call failed: what was tried, CUDA's reason and the place.
/// Errors that destroy the context (an illegal address, say) come back from every later call too.
void check(cudaError_t error, std::string_view tried,
           std::source_location where = std::source_location::current());

/// For destructors: says on stderr what failed and goes on. An error that check() has thrown
/// already is not repeated.
void warn(cudaError_t error, std::string_view tried) noexcept;

}  // namespace rayscope
