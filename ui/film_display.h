#pragma once

#include <string>
#include <vector>

#include "renderer/cuda/film_memory.h"
#include "renderer/renderer.h"
#include "ui/present.h"
#include "ui/window.h"

namespace rayscope {

/// The memory that a film is accumulated in, and its way into two textures: the film under way, and
/// the one that was shown before the last reset.
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

    /// A film of this size begins in place of the present one, which is kept to be shown if it was.
    void beginFilm(Size size);

    /// The film's pixels until unmap(). Throws std::runtime_error.
    Pixel* map();
    void unmap();

    /// Brings what has been accumulated into the texture. Between unmap() and the next map().
    void upload();

    /// `ready`: the film may be shown in place of the previous one. `full`: it has no gaps.
    /// `framebuffer`: where it will be drawn.
    FilmTextures textures(bool ready, bool full, Size framebuffer);

    /// The film as last uploaded, rows from the top; for screenshots.
    std::vector<Pixel> read() const;
    Size size() const { return film_.size; }

private:
    struct Texture {
        unsigned id = 0;
        Size size;
        bool smooth = true;  ///< linear filter
        void resize(Size wanted);
        /// A film as large as the window needs no filter, which costs time on software OpenGL.
        void filterFor(Size framebuffer);
        void release();
    };

    Display path_ = Display::host;
    Size capacity_;
    unsigned buffer_ = 0;       ///< host, interop
    Pixel* mapped_ = nullptr;   ///< host: the persistent mapping
    void* uploaded_ = nullptr;  ///< host: fence behind the last upload
    InteropBuffer interop_;
    DeviceFilm device_;
    bool firstCopy_ = false;  ///< copies from before the last reset may still be under way
    bool shown_ = false;      ///< the film's texture has been on screen
    Texture film_, previous_;
};

}  // namespace rayscope
