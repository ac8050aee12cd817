#include "renderer/cuda/check.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace rayscope {

namespace {
std::atomic<cudaError_t> thrown{cudaSuccess};
}

void check(cudaError_t error, std::string_view tried, std::source_location where) {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // errors that leave the context alive must not reach the next call
    thrown = error;
    throw std::runtime_error(
        fmt::format("CUDA could not {}: {} ({}, {}:{})", tried, cudaGetErrorString(error),
                    cudaGetErrorName(error),
                    std::filesystem::path(where.file_name()).filename().string(), where.line()));
}

void warn(cudaError_t error, std::string_view tried) noexcept {
    // the runtime is unloaded before objects of static lifetime
    if (error == cudaSuccess || error == cudaErrorCudartUnloading || error == thrown) return;
    std::fprintf(stderr, "CUDA could not %.*s: %s\n", static_cast<int>(tried.size()), tried.data(),
                 cudaGetErrorString(error));
}

}  // namespace rayscope
