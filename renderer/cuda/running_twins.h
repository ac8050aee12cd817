#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "renderer/backend/kernel_twins.h"
#include "renderer/base/result.h"

namespace rayscope {

/// Has `work`, which must return when the GPU is idle again, launch the twins of its kernels on
/// this thread. Returns what they have counted; fails with the driver's reason.
Result<std::vector<std::uint64_t>> countByTwins(const KernelTwins& twins,
                                                const std::function<void()>& work);

/// What is to be launched in place of the kernel of that symbol, whose program is `original`;
/// nullptr: the kernel itself. The twin then has the scene in constant memory as it is there.
const void* twinOf(const std::string& symbol, cudaLibrary_t original);

}  // namespace rayscope
