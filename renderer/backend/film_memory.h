#pragma once

#include <memory>
#include <string>

#include "renderer/core/types.h"

// Memory for a film that CUDA kernels write. Neither CUDA nor OpenGL headers are needed to use it.
// Built without the toolkit the same functions return the sentence that says so. All of it belongs
// to the thread that renders (and, for InteropBuffer, that has the OpenGL context current).

namespace rayscope {

/// A film in device memory with a way to the screen through pinned host memory (display=copy).
class DeviceFilm {
public:
    DeviceFilm();
    ~DeviceFilm();  ///< waits for copies under way; survives a device that has failed
    DeviceFilm(DeviceFilm&&) noexcept;
    DeviceFilm& operator=(DeviceFilm&&) noexcept;

    /// Frees what was there, allocates width x height pixels and clears them. Returns an empty
    /// string, or one sentence (out of memory: try a smaller film); the film is then empty.
    std::string allocate(int width, int height);
    void release();

    /// Device memory, for Film::pixels; nullptr while empty.
    Pixel* pixels() const;
    int width() const;
    int height() const;

    void clear();

    /// Puts width x height pixels from host memory in place of the film. Throws std::runtime_error.
    void upload(const Pixel* pixels);

    /// Asks for a copy of the film as it will be when the launches so far are done, and returns at
    /// once. With two copies already under way it does nothing and returns false.
    bool startCopy();

    /// The newest finished copy, rows from the top, or nullptr where none is; does not wait. The
    /// memory stays as it is until the next startCopy().
    const Pixel* copy();

    /// Waits for the copies asked for and returns the newest.
    const Pixel* waitForCopy();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// An OpenGL buffer that kernels write (display=interop). The owner of the OpenGL buffer calls
/// release() before deleting it.
class InteropBuffer {
public:
    InteropBuffer();
    ~InteropBuffer();
    InteropBuffer(InteropBuffer&&) noexcept;
    InteropBuffer& operator=(InteropBuffer&&) noexcept;

    /// Registers the buffer, releasing the one before. Returns an empty string, or one sentence
    /// that says why CUDA cannot write it (OpenGL on another GPU, or in software): use a DeviceFilm
    /// then. Needs a current OpenGL context.
    std::string registerBuffer(unsigned buffer);
    void release();
    bool registered() const;

    /// The buffer for Film::pixels until unmap(); OpenGL must not touch it meanwhile. The address
    /// may differ each time. Throws std::runtime_error.
    Pixel* map();

    /// Gives the buffer back to OpenGL, which will wait for the launches so far. Nothing where it
    /// is not mapped.
    void unmap();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace rayscope
