#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "renderer/core/mesh.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// What a packed scene has behind its spheres: a MeshHeader, and arrays of which each begins where
/// its elements may, or at a multiple of 16 bytes.
class Appended {
public:
    explicit Appended(PackedScene& packed) : packed_(packed), start_(packed.size()) {}

    /// Returns the array's place.
    template <class T>
    unsigned append(const std::vector<T>& elements) {
        const std::size_t at = reserve(elements.size() * sizeof(T), alignof(T));
        if (!elements.empty())
            std::memcpy(packed_.data() + at, elements.data(), elements.size() * sizeof(T));
        return static_cast<unsigned>((at - start_) / kPlace);
    }
    /// The place of so many elements behind all arrays, and those that this was called for before,
    /// in memory that the scene does not have yet. No array can be appended any more.
    template <class T>
    unsigned leave(std::size_t count, std::size_t alignment = alignof(T)) {
        const std::size_t at = aligned(std::max(end_, packed_.size()), alignment);
        end_ = at + count * sizeof(T);
        return static_cast<unsigned>((at - start_) / kPlace);
    }
    void setHeader(const MeshHeader& header) {
        std::memcpy(packed_.data() + start_, &header, sizeof header);
    }

private:
    static constexpr std::size_t kPlace = 16;  ///< bytes of a unit of MeshHeader's places

    static std::size_t aligned(std::size_t at, std::size_t alignment) {
        const std::size_t unit = alignment > kPlace ? alignment : kPlace;
        return (at + unit - 1) / unit * unit;
    }
    std::size_t reserve(std::size_t bytes, std::size_t alignment) {
        const std::size_t at = aligned(packed_.size(), alignment);
        packed_.resize(at + bytes);
        return at;
    }

    PackedScene& packed_;
    std::size_t start_;
    std::size_t end_ = 0;  ///< of leave()
};

}  // namespace rayscope
