// The CUDA backend's functions in a build without the toolkit: they fail and say so.

#ifndef RAYSCOPE_CUDA

#include <stdexcept>

#include "renderer/backend/film_memory.h"
#include "renderer/backend/kernel_code.h"
#include "renderer/backend/kernel_isolation.h"
#include "renderer/backend/renderer.h"

namespace rayscope {

namespace {

constexpr const char* kReason =
    "this program was built without the CUDA toolkit: install CUDA 12.8 or newer and build again";

}  // namespace

Result<std::unique_ptr<Renderer>> makeCudaRenderer(int) {
    return Failure{kReason};
}

std::vector<std::string> cudaDevices() {
    return {};
}

void isolateEditedKernels(const std::string&) {}

void endWithParent() {}

int buildKernel(const std::string&, const std::string&) {
    return 2;
}

Result<KernelCode> cudaKernelCode(const CodeWish&, Compiling) {
    return Failure{kReason};
}

Result<KernelPtx> kernelPtx(const CodeWish&) {
    return Failure{kReason};
}

std::vector<KernelSource> cudaKernelFiles(const CodeWish&) {
    return {};
}

struct DeviceFilm::Parts {};
DeviceFilm::DeviceFilm() = default;
DeviceFilm::~DeviceFilm() = default;
DeviceFilm::DeviceFilm(DeviceFilm&&) noexcept = default;
DeviceFilm& DeviceFilm::operator=(DeviceFilm&&) noexcept = default;
Result<void> DeviceFilm::allocate(int, int) {
    return Failure{kReason};
}
void DeviceFilm::release() {}
Pixel* DeviceFilm::pixels() const {
    return nullptr;
}
int DeviceFilm::width() const {
    return 0;
}
int DeviceFilm::height() const {
    return 0;
}
void DeviceFilm::clear() {}
void DeviceFilm::upload(const Pixel*) {
    throw std::runtime_error(kReason);
}
bool DeviceFilm::startCopy() {
    return false;
}
const Pixel* DeviceFilm::copy() {
    return nullptr;
}
const Pixel* DeviceFilm::waitForCopy() {
    return nullptr;
}

std::unique_ptr<PartFilm> makeRemoteFilm(int, int) {
    throw std::runtime_error(kReason);
}

struct InteropBuffer::Parts {};
InteropBuffer::InteropBuffer() = default;
InteropBuffer::~InteropBuffer() = default;
InteropBuffer::InteropBuffer(InteropBuffer&&) noexcept = default;
InteropBuffer& InteropBuffer::operator=(InteropBuffer&&) noexcept = default;
Result<void> InteropBuffer::registerBuffer(unsigned) {
    return Failure{kReason};
}
void InteropBuffer::release() {}
bool InteropBuffer::registered() const {
    return false;
}
Pixel* InteropBuffer::map() {
    throw std::runtime_error(kReason);
}
void InteropBuffer::unmap() {}

}  // namespace rayscope

#endif
