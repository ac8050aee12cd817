#pragma once

#include <memory>
#include <string>

#include "renderer/base/result.h"
#include "renderer/core/types.h"

// Memory for a film that CUDA kernels write, usable without CUDA's and OpenGL's headers. In a build
// without the toolkit these functions fail and say so. Only the thread that renders may use it: one
// on which Renderer::useThread() has been called and, for InteropBuffer, with a current OpenGL
// context.

namespace rayscope {

/// A film in device memory with a way to the screen through pinned host memory (display=copy).
class DeviceFilm {
public:
    DeviceFilm();
    ~DeviceFilm();  ///< waits for copies under way; survives a device that has failed
    DeviceFilm(DeviceFilm&&) noexcept;
    DeviceFilm& operator=(DeviceFilm&&) noexcept;

    /// Frees what was there, allocates width x height pixels and clears them. After a failure (out
    /// of memory: try a smaller film) the film is empty.
    Result<void> allocate(int width, int height);
    void release();

    /// Device memory, for Film::pixels; nullptr while empty.
    Pixel* pixels() const;
    int width() const;
    int height() const;

    void clear();

    /// Replaces the film by width x height pixels from host memory. Throws std::runtime_error.
    void upload(const Pixel* pixels);
    /// Queues a copy of the film to the host, behind the launches so far, and returns at once. Does
    /// nothing and returns false if two copies are already under way.
    bool startCopy();
    /// The newest finished copy, rows from the top, or nullptr; does not wait. Its memory is not
    /// written again before the next startCopy().
    const Pixel* copy();
    /// Waits for all copies and returns the newest.
    const Pixel* waitForCopy();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// The film of one of several devices, whose samples are added to another film from time to time.
class PartFilm {
public:
    virtual ~PartFilm() = default;
    /// For films of this size, without samples. Fails where there is no memory.
    virtual Result<void> begin(int width, int height) = 0;
    /// For Film::pixels, until the next send().
    virtual Pixel* pixels() = 0;
    /// Takes the samples so far, behind the launches so far, and leaves a film without any. On the
    /// thread that launched them. Not before add() or drop() of the samples before.
    virtual void send() = 0;
    /// What was sent is there, so that add() does not wait.
    virtual bool arrived() = 0;
    /// Waits until it is.
    virtual void wait() = 0;
    /// Adds what was sent to a film of this many pixels or more, behind the launches so far of its
    /// device. `rest`: Film::rest.
    virtual void add(Pixel* film, Pixel* rest) = 0;
    /// Forgets what was sent.
    virtual void drop() = 0;
    /// "peer copy", "through the host": how samples get there.
    virtual std::string way() const = 0;
};

/// A film on the device of this number, or in the memory of the host (kHost), that is added to one
/// on GPU `to`. Throws std::runtime_error.
inline constexpr int kHost = -1;
std::unique_ptr<PartFilm> makeRemoteFilm(int from, int to);

/// An OpenGL buffer that kernels write (display=interop). The owner of the OpenGL buffer calls
/// release() before deleting it.
class InteropBuffer {
public:
    InteropBuffer();
    ~InteropBuffer();
    InteropBuffer(InteropBuffer&&) noexcept;
    InteropBuffer& operator=(InteropBuffer&&) noexcept;

    /// Registers the buffer, releasing the one before. Fails if CUDA cannot write it (OpenGL on
    /// another GPU, or in software): use a DeviceFilm then.
    Result<void> registerBuffer(unsigned buffer);
    void release();
    bool registered() const;

    /// The buffer for Film::pixels until unmap(); OpenGL must not touch it meanwhile. The address
    /// may differ each time. Throws std::runtime_error.
    Pixel* map();

    /// Gives the buffer back to OpenGL, which will wait for the launches so far. Does nothing if it
    /// is not mapped.
    void unmap();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace rayscope
