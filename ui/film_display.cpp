#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <stdexcept>

#include "ui/gl_zones.h"
#include "ui/tracer.h"

namespace rayscope {

namespace {

size_t bytesOf(Size size) {
    return static_cast<size_t>(size.width) * size.height * sizeof(Pixel);
}

/// The CPU reads what it accumulates, so the buffer asks for memory that is cached.
constexpr GLbitfield kHostAccess =
    GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;

void forgetErrors() {
    while (glGetError() != GL_NO_ERROR) {
    }
}

constexpr GLuint64 kFenceNanoseconds = 1'000'000'000;

}  // namespace

FilmDisplay::~FilmDisplay() {
    release();
    if (texture_ != 0) glDeleteTextures(1, &texture_);
}

void FilmDisplay::release() {
    interop_.release();
    device_.release();
    if (uploaded_ != nullptr) glDeleteSync(static_cast<GLsync>(uploaded_));
    uploaded_ = nullptr;
    if (mapped_ != nullptr) glUnmapNamedBuffer(buffer_);
    mapped_ = nullptr;
    if (buffer_ != 0) glDeleteBuffers(1, &buffer_);
    buffer_ = 0;
    capacity_ = {};
}

std::string FilmDisplay::allocate(Display path, Size capacity) {
    release();
    path_ = path;
    const auto bytes = static_cast<GLsizeiptr>(bytesOf(capacity));
    std::string failure;
    if (path == Display::copy) {
        failure = device_.allocate(capacity.width, capacity.height).reason();
    } else {
        forgetErrors();
        glCreateBuffers(1, &buffer_);
        if (path == Display::interop) {
            glNamedBufferData(buffer_, bytes, nullptr, GL_DYNAMIC_COPY);
        } else {
            glNamedBufferStorage(buffer_, bytes, nullptr, kHostAccess | GL_CLIENT_STORAGE_BIT);
            mapped_ = static_cast<Pixel*>(glMapNamedBufferRange(buffer_, 0, bytes, kHostAccess));
        }
        if (glGetError() != GL_NO_ERROR || (path == Display::host && mapped_ == nullptr)) {
            failure = fmt::format("OpenGL has no memory for a film of {} x {} pixels",
                                  capacity.width, capacity.height);
        } else if (path == Display::interop) {
            failure = interop_.registerBuffer(buffer_).reason();
        }
    }
    if (!failure.empty()) {
        release();
        return failure;
    }
    capacity_ = capacity;
    return {};
}

void FilmDisplay::beginFilm(Size size) {
    firstCopy_ = true;
    if (path_ == Display::copy) device_.waitForCopy();
    if (texture_ != 0 && size == size_) return;
    if (texture_ != 0) glDeleteTextures(1, &texture_);
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, GL_RGBA32F, size.width, size.height);
    glTextureParameteri(texture_, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(texture_, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glClearTexImage(texture_, 0, GL_RGBA, GL_FLOAT, nullptr);
    keepFence();
    size_ = size;
}

Pixel* FilmDisplay::map() {
    if (path_ == Display::interop) return interop_.map();
    if (path_ == Display::copy) return device_.pixels();
    if (uploaded_ != nullptr) {
        const auto fence = static_cast<GLsync>(uploaded_);
        glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, kFenceNanoseconds);
        glDeleteSync(fence);
        uploaded_ = nullptr;
    }
    return mapped_;
}

void FilmDisplay::unmap() {
    if (path_ == Display::interop) interop_.unmap();
    if (path_ == Display::copy) device_.startCopy();
}

std::vector<Pixel> FilmDisplay::fetch(int rowStep) {
    const size_t width = static_cast<size_t>(size_.width);
    const int rows = (size_.height + rowStep - 1) / rowStep;
    std::vector<Pixel> pixels(width * rows);
    const Pixel* film = mapped_;
    if (path_ == Display::copy) {
        // Copies asked for before may be older than the film.
        device_.waitForCopy();
        device_.startCopy();
        film = device_.waitForCopy();
    }
    // Rows that follow each other are read at once.
    const size_t chunk = rowStep == 1 ? pixels.size() : width;
    for (size_t done = 0; done < pixels.size(); done += chunk) {
        Pixel* const to = pixels.data() + done;
        const size_t from = done * rowStep;
        if (path_ == Display::interop) {
            glGetNamedBufferSubData(buffer_, static_cast<GLintptr>(from * sizeof(Pixel)),
                                    static_cast<GLsizeiptr>(chunk * sizeof(Pixel)), to);
        } else if (film != nullptr) {
            std::copy_n(film + from, chunk, to);
        }
    }
    return pixels;
}

void FilmDisplay::put(const std::vector<Pixel>& pixels) {
    if (path_ == Display::interop) {
        glNamedBufferSubData(buffer_, 0, static_cast<GLsizeiptr>(bytesOf(size_)), pixels.data());
    } else if (path_ == Display::copy) {
        // The device's memory may be larger than the film.
        std::vector<Pixel> whole(static_cast<size_t>(capacity_.width) * capacity_.height);
        std::copy(pixels.begin(), pixels.end(), whole.begin());
        device_.upload(whole.data());
        firstCopy_ = true;
    } else {
        std::copy(pixels.begin(), pixels.end(), mapped_);
    }
}

void FilmDisplay::upload() {
    const void* pixels = nullptr;
    if (path_ == Display::copy) {
        // The first picture of a film waits, or one from before the reset would be shown.
        pixels = firstCopy_ ? device_.waitForCopy() : device_.copy();
        firstCopy_ = false;
        if (pixels == nullptr) return;
    } else {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
    }
    glTextureSubImage2D(texture_, 0, 0, 0, size_.width, size_.height, GL_RGBA, GL_FLOAT, pixels);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    ++uploads_;
    if (path_ == Display::host) {
        if (uploaded_ != nullptr) glDeleteSync(static_cast<GLsync>(uploaded_));
        uploaded_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    }
    keepFence();
}

std::vector<Pixel> FilmDisplay::read() const {
    std::vector<Pixel> pixels(static_cast<size_t>(size_.width) * size_.height);
    if (pixels.empty()) return pixels;
    glGetTextureImage(texture_, 0, GL_RGBA, GL_FLOAT, static_cast<GLsizei>(bytesOf(size_)),
                      pixels.data());
    return pixels;
}

}  // namespace rayscope
