#pragma once

#include <cuda_runtime_api.h>

#include "renderer/compile/builder.h"
#include "renderer/core/types.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/loaded_library.h"

namespace rayscope {

/// The kernel that adds a film to another.
KernelProgram filmProgram(int architecture);

/// That kernel; it is compiled on a thread of its own, unless it is in the cache.
class FilmAdder {
public:
    explicit FilmAdder(int architecture);
    FilmAdder(const FilmAdder&) = delete;
    FilmAdder& operator=(const FilmAdder&) = delete;

    /// Whether add() would not wait for the compiler. Throws std::runtime_error.
    bool ready();
    /// Queues film += more, on the calling thread's device and its legacy default stream. `rest`:
    /// Film::rest, or nullptr. `empties`: `more` is zero afterwards. The first call waits for the
    /// compiler. Throws std::runtime_error.
    void add(Pixel* film, Pixel* rest, Pixel* more, int pixels, bool empties = false);

private:
    void load(const BuildResult& built);

    KernelBuilder builder_;
    LoadedLibrary library_;
};

}  // namespace rayscope
