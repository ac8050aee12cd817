#include "renderer/backend/kernel_code.h"

namespace rayscope {

Result<KernelCode> kernelCode(const CodeWish& wish, Compiling compiling) {
    return wish.settings.backend == Backend::cpu ? cpuKernelCode(wish, compiling)
                                                 : cudaKernelCode(wish, compiling);
}

std::vector<KernelSource> kernelFiles(const CodeWish& wish) {
    return wish.settings.backend == Backend::cpu ? cpuKernelFiles(wish) : cudaKernelFiles(wish);
}

}  // namespace rayscope
