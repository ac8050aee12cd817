#include <atomic>

#include "renderer/backend/renderer.h"

namespace rayscope {

static std::atomic<int> wanted{0};

void setCudaDevice(int device) {
    wanted = device;
}

int cudaDevice() {
    return wanted;
}

}  // namespace rayscope
