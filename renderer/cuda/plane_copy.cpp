#include "renderer/cuda/plane_copy.h"

namespace rayscope {

namespace {

/// Copies the first `count` elements of consecutive arrays, each of `capacity` elements.
void copyPlanes(unsigned char* to, const unsigned char* from, int planes, int elementBytes,
                int capacity, int count, cudaMemcpyKind kind) {
    for (int k = 0; k < planes; ++k) {
        const size_t offset = static_cast<size_t>(k) * capacity * elementBytes;
        copyRow(to + offset, from + offset, count * elementBytes, kind);
    }
}

int realBytes(const Variant& v) {
    return v.precision == Precision::float64 ? 8 : 4;
}

}  // namespace

void copyRays(const Variant& v, const PathMemory& device, const PathMemory& host, int count) {
    const int ray = pathBytes(v).ray;
    if (v.engine == Engine::hybrid || v.stateLayout == StateLayout::aos) {
        copyRow(device.rays, host.rays, count * ray, cudaMemcpyHostToDevice);
        return;
    }
    copyPlanes(device.rays, host.rays, 6, realBytes(v), device.capacity, count,
               cudaMemcpyHostToDevice);
    if (v.record == Record::compact) return;
    const size_t offset = 6ull * device.capacity * realBytes(v);
    copyRow(device.rays + offset, host.rays + offset, count * static_cast<int>(sizeof(int)),
            cudaMemcpyHostToDevice);
}

void copySamples(const Variant& v, const PathMemory& host, const PathMemory& device, int count) {
    const int real = realBytes(v);
    switch (v.accumulate) {
        case Accumulate::hostSamples:
            copyRow(host.samples, device.samples, count * 6 * real, cudaMemcpyDeviceToHost);
            break;
        case Accumulate::hostColour:
            copyRow(host.samples, device.samples, count * 3 * real, cudaMemcpyDeviceToHost);
            break;
        case Accumulate::hostSplit:
            copyPlanes(host.samples, device.samples, 3, real, device.capacity, count,
                       cudaMemcpyDeviceToHost);
            break;
        case Accumulate::device:
            break;
    }
}

}  // namespace rayscope
