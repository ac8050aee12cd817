#pragma once

#include "renderer/backend/film_memory.h"
#include "renderer/backend/renderer.h"
#include "ui/window.h"

namespace rayscope {

/// The memory that a film is accumulated in, and its way into a texture.
///
/// host: a mapped pixel buffer that the CPU writes. interop: a pixel buffer registered with CUDA.
/// copy: device memory, copied through pinned host memory. All calls on the thread of the context.
class FilmDisplay {
public:
    FilmDisplay() = default;
    ~FilmDisplay();
    FilmDisplay(const FilmDisplay&) = delete;
    FilmDisplay& operator=(const FilmDisplay&) = delete;

    /// Memory for films of up to `capacity`, in place of what was there. Returns an empty string,
    /// or one sentence; there is no memory then. The pictures in the textures stay.
    std::string allocate(Display path, Size capacity);

    /// Frees the film's memory; also after the device has failed.
    void release();

    Display path() const { return path_; }
    Size capacity() const { return capacity_; }

    /// A film of this size begins in place of the present one.
    void beginFilm(Size size);

    /// The film's pixels until unmap(). Throws std::runtime_error.
    Pixel* map();
    void unmap();

    /// The film under way, rows from the top, or only one row of so many; waits for copies. Between
    /// unmap() and the next map(), with the renderer idle.
    std::vector<Pixel> fetch(int rowStep = 1);
    /// Puts a film of the present size into the memory.
    void put(const std::vector<Pixel>& pixels);

    /// Brings what has been accumulated into the texture. Between unmap() and the next map().
    void upload();

    /// RGBA32F, of the film's size: sums of radiance and numbers of samples, rows from the top.
    unsigned texture() const { return texture_; }
    /// Grows with every upload.
    long uploads() const { return uploads_; }

    /// The film as last uploaded, rows from the top; for screenshots.
    std::vector<Pixel> read() const;
    Size size() const { return size_; }

private:
    Display path_ = Display::host;
    Size capacity_;
    unsigned buffer_ = 0;       ///< host, interop
    Pixel* mapped_ = nullptr;   ///< host: the persistent mapping
    void* uploaded_ = nullptr;  ///< host: fence behind the last upload
    InteropBuffer interop_;
    DeviceFilm device_;
    bool firstCopy_ = false;  ///< copies from before the last reset may still be under way
    unsigned texture_ = 0;
    Size size_;  ///< of the texture
    long uploads_ = 0;
};

}  // namespace rayscope
