#include "renderer/devices/machine.h"

namespace rayscope {

Machine openMachine() {
    Machine machine;
    machine.cpu = makeCpuRenderer();
    auto cuda = makeCudaRenderer();
    if (auto* renderer = std::get_if<std::unique_ptr<Renderer>>(&cuda))
        machine.cuda = std::move(*renderer);
    else
        machine.noCuda = std::get<std::string>(cuda);
    return machine;
}

}  // namespace rayscope
