#include <fmt/format.h>

#include "renderer/backend/film_memory.h"
#include "renderer/devices/device_list.h"

namespace rayscope {

Result<std::unique_ptr<Renderer>> openDevices(const DeviceList& list) {
    std::vector<GroupMember> members;
    for (const int number : resolved(list.any() ? oneGpu(0) : list).numbers) {
        GroupMember& member = members.emplace_back();
        if (number == kHost) {
            member.renderer = makeCpuRenderer();
            continue;
        }
        auto cuda = makeCudaRenderer(number);
        if (!cuda) return cuda.failure();
        member.backend = Backend::cuda;
        member.renderer = *std::move(cuda);
    }
    if (members.size() == 1) return std::move(members.front().renderer);
    return makeGroup(std::move(members));
}

OpenedDevices openBoth(const DeviceList& list) {
    OpenedDevices opened;
    auto listed = openDevices(list);
    if (!list.any() && !list.wantsGpu()) {
        opened.cpu = *std::move(listed);
        opened.noCuda = fmt::format("--device {} names no GPU", textOf(list));
        return opened;
    }
    opened.cpu = makeCpuRenderer();
    if (listed)
        opened.cuda = *std::move(listed);
    else
        opened.noCuda = listed.reason();
    return opened;
}

}  // namespace rayscope
