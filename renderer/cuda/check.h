#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string_view>

namespace rayscope {

/// Throws std::runtime_error if a CUDA call failed, with what was tried, CUDA's reason and the
/// place. Errors that destroy the context, such as an illegal address, come back from every later
/// call.
void check(cudaError_t error, std::string_view tried,
           std::source_location where = std::source_location::current());

/// For destructors: writes to stderr what failed and goes on. Does not repeat an error that check()
/// has thrown.
void warn(cudaError_t error, std::string_view tried) noexcept;

}  // namespace rayscope
