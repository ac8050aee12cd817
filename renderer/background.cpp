#include "renderer/background.h"

#ifdef __linux__
#include <sys/resource.h>
#endif

namespace rayscope {

void workInTheBackground() {
#ifdef __linux__
    constexpr int kNice = 10;  // some tenth of what a thread of the window gets
    setpriority(PRIO_PROCESS, 0, kNice);
#endif
}

}  // namespace rayscope
