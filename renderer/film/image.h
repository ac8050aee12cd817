#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/film/film.h"

namespace rayscope {

/// Mean radiance, linear, three floats per pixel, rows from the top.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<float> rgb;
    bool operator==(const Image&) const = default;
};

/// 8 bits per channel as a screen shows them, three bytes per pixel, rows from the top.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;
    bool operator==(const Picture&) const = default;
};

/// A picture whose rows are made when they are asked for, so that a large one needs no memory.
struct PictureRows {
    int width = 0;
    int height = 0;
    /// Writes the three bytes of each pixel of row y; called from several threads.
    std::function<void(int y, std::uint8_t* rgb)> write;
};

/// The rows of a picture, which must stay as long.
PictureRows rowsOf(const Picture& picture);

/// The film's sums divided by its samples; pixels without samples are black. The film must lie in
/// host memory.
Image meanOf(const Film& film);

/// The mean over all pixels, channel by channel, summed in double precision.
glm::dvec3 meanRadiance(const Image& image);

/// 16 hexadecimal digits: FNV-1a, 64 bits, of width, height and all floats as little-endian bytes.
std::string imageHash(const Image& image);

/// The same two of meanOf(film).
struct ImageFacts {
    glm::dvec3 mean{0};
    std::string hash;
};
ImageFacts factsOf(const Film& film);

// From radiance to the screen. The shader of the window (shaders/) computes the same:
//
//   x = exposure * 2^stops * radiance         DisplayTransform::exposure, View::exposure
//   none:      y = x
//   reinhard:  y = x / (1 + L),  L = .2126 x.r + .7152 x.g + .0722 x.b      (Rec. 709)
//   filmic:    y = x (2.51 x + .03) / (x (2.43 x + .59) + .14)    (Narkowicz 2015, "ACES filmic")
//   value = clamp(offset + y, 0, 1) ^ (1 / gamma)
//   byte = floor(255 value + .5)
//
// NaN becomes black.
Picture toneMap(const Image& image, const DisplayTransform& display, const View& view);

/// The same of meanOf(film), which must stay as long.
PictureRows toneMapped(const Film& film, const DisplayTransform& display, const View& view);

}  // namespace rayscope
