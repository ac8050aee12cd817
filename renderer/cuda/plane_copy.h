#pragma once

#include <cuda_runtime_api.h>

#include "renderer/core/path_store.h"
#include "renderer/cuda/check.h"

namespace rayscope {

/// Queues a copy of `count` elements.
template <class T>
void copyRow(T* to, const T* from, int count, cudaMemcpyKind kind) {
    if (count == 0) return;
    check(cudaMemcpyAsync(to, from, static_cast<size_t>(count) * sizeof(T), kind),
          "copy paths to or from the device");
}

/// Queues copies of the first `count` rays, in all their arrays, from the host to the device. Both
/// must have the same capacity.
void copyRays(const Variant& variant, const PathMemory& device, const PathMemory& host, int count);

/// Queues copies of the first `count` samples to the host, as Accumulate says: whole samples, or
/// their colour in one array or three.
void copySamples(const Variant& variant, const PathMemory& host, const PathMemory& device,
                 int count);

}  // namespace rayscope
