#include "renderer/devices/machine.h"

namespace rayscope {

Machine openMachine(int gpu) {
    Machine machine;
    machine.gpu = gpu;
    machine.cpu = makeCpuRenderer();
    auto cuda = makeCudaRenderer(gpu);
    if (cuda)
        machine.cuda = *std::move(cuda);
    else
        machine.noCuda = cuda.reason();
    return machine;
}

}  // namespace rayscope
