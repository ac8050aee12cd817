#pragma once

#include <memory>
#include <vector>

#include "renderer/backend/film_memory.h"
#include "renderer/backend/renderer.h"
#include "renderer/film/image.h"

namespace rayscope {

/// A film without a window, in memory of the kind that its backend writes.
class OffscreenFilm {
public:
    OffscreenFilm() = default;
    OffscreenFilm(const OffscreenFilm&) = delete;  // its session refers to its film
    OffscreenFilm& operator=(const OffscreenFilm&) = delete;

    /// Allocates a film for a renderer of that backend, and opens a session for it. Fails if there
    /// is not enough memory.
    Result<void> allocate(Renderer& renderer, Backend backend, int width, int height);

    /// After its session has thrown: true if others of the renderer's devices go on, with which a
    /// film of the same size begins.
    bool recover(Renderer& renderer, const std::string& reason);

    /// Takes the memory of another film of the same renderer, which takes this one's; the pixels of
    /// each stay its own. Does nothing unless both have the same size, in the host's memory.
    void exchangeMemory(OffscreenFilm& other);

    bool allocated() const { return session_ != nullptr; }
    /// The session that renders it; after allocate().
    Session& session() { return *session_; }
    const Film& film() const { return film_; }

    /// Waits for the launches so far and returns the film in host memory, a copy if it is the
    /// GPU's.
    const Pixel* fetch();

    /// The film with its pixels in host memory.
    Film fetched();

    /// The film's mean radiance.
    Image image() { return meanOf(fetched()); }

private:
    Film film_;
    std::vector<Pixel> host_;
    DeviceFilm device_;
    std::unique_ptr<Session> session_;  ///< ends before the memory does
};

}  // namespace rayscope
