#include "renderer/devices/machine.h"

namespace rayscope {

Machine openMachine(const DeviceList& devices) {
    Machine machine;
    machine.devices = devices;
    OpenedDevices opened = openBoth(devices);
    machine.cpu = std::move(opened.cpu);
    machine.cuda = std::move(opened.cuda);
    machine.noCuda = std::move(opened.noCuda);
    return machine;
}

}  // namespace rayscope
