#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/choices/state.h"
#include "renderer/film/film.h"

namespace rayscope {

/// Mean radiance, linear, three floats a pixel, rows from the top.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<float> rgb;
    bool operator==(const Image&) const = default;
};

/// 8 bits a channel as a screen shows them, three bytes a pixel, rows from the top.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;
    bool operator==(const Picture&) const = default;
};

/// The film must lie in host memory. Pixels without samples are black.
Image meanOf(const Film& film);

/// Of the whole picture, channel by channel, added up in double precision.
glm::dvec3 meanRadiance(const Image& image);

/// 16 hexadecimal digits: FNV-1a, 64 bits, of width, height and all floats as little-endian bytes.
std::string imageHash(const Image& image);

// From radiance to the screen. The shader of the window (shaders/) computes the same:
//
//   x = exposure * 2^stops * radiance         DisplayTransform::exposure, View::exposure
//   none:      y = x
//   reinhard:  y = x / (1 + L),  L = .2126 x.r + .7152 x.g + .0722 x.b      (Rec. 709)
//   filmic:    y = x (2.51 x + .03) / (x (2.43 x + .59) + .14)    (Narkowicz 2015, "ACES filmic")
//   value = clamp(offset + y, 0, 1) ^ (1 / gamma)
//   byte = floor(255 value + .5)
//
// What is not a number is black.
Picture toneMap(const Image& image, const DisplayTransform& display, const View& view);

}  // namespace rayscope
