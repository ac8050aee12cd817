#include "renderer/film/image.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/film/rows.h"

namespace rayscope {

namespace {

std::size_t countOf(int width, int height) {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

double filmic(double x) {
    return x * (2.51 * x + .03) / (x * (2.43 * x + .59) + .14);
}

glm::dvec3 mapped(const glm::dvec3& x, ToneMapper mapper) {
    switch (mapper) {
        case ToneMapper::none:
            return x;
        case ToneMapper::reinhard:
            return x * (1 / (1 + glm::dot(x, glm::dvec3{.2126, .7152, .0722})));
        case ToneMapper::filmic:
            return {filmic(x.x), filmic(x.y), filmic(x.z)};
    }
    return x;
}

std::uint8_t byteOf(double y, double inverseGamma) {
    if (!(y > 0)) return 0;
    if (y >= 1) return 255;
    return static_cast<std::uint8_t>(255 * std::pow(y, inverseGamma) + .5);
}

/// The bytes of all levels, without a power for each: 268 million pixels are looked up in seconds.
class ByteTable {
public:
    explicit ByteTable(double inverseGamma) {
        for (int byte = 1; byte < 256; ++byte) first_[byte] = firstOf(byte, inverseGamma);
        for (int i = 0; i < kEntries; ++i)
            from_[i] = byteOf(static_cast<double>(i) / kEntries, inverseGamma);
    }
    /// byteOf()
    std::uint8_t operator()(double y) const {
        if (!(y > 0)) return 0;
        if (y >= 1) return 255;
        int byte = from_[static_cast<int>(y * kEntries)];
        while (byte < 255 && y >= first_[byte + 1]) ++byte;
        return static_cast<std::uint8_t>(byte);
    }

private:
    static constexpr int kEntries = 4096;

    /// The smallest value of a byte: the bits of positive numbers are in their order.
    static double firstOf(int byte, double inverseGamma) {
        std::uint64_t below = 0, at = std::bit_cast<std::uint64_t>(1.);
        while (at - below > 1) {
            const std::uint64_t middle = below + (at - below) / 2;
            (byteOf(std::bit_cast<double>(middle), inverseGamma) >= byte ? at : below) = middle;
        }
        return std::bit_cast<double>(at);
    }

    std::array<double, 256> first_{};
    std::array<std::uint8_t, kEntries> from_{};
};

std::uint64_t fnv1a(std::uint64_t hash, std::uint32_t word) {
    constexpr std::uint64_t kPrime = 0x100000001b3u;
    if (word == 0) return hash * (kPrime * kPrime * kPrime * kPrime);  // four bytes at a time
    for (int shift = 0; shift < 32; shift += 8) {
        hash = (hash ^ ((word >> shift) & 0xff)) * kPrime;
    }
    return hash;
}

}  // namespace

Image meanOf(const Film& film) {
    const std::size_t count = countOf(film.width, film.height);
    Image image{film.width, film.height, std::vector<float>(3 * count)};
    forRows(film.width, film.height, [&](int begin, int end) {
        for (std::size_t i = countOf(film.width, begin); i < countOf(film.width, end); ++i) {
            const Pixel& p = film.pixels[i];
            if (!(p.samples > 0)) continue;
            image.rgb[3 * i] = p.r / p.samples;
            image.rgb[3 * i + 1] = p.g / p.samples;
            image.rgb[3 * i + 2] = p.b / p.samples;
        }
    });
    return image;
}

glm::dvec3 meanRadiance(const Image& image) {
    glm::dvec3 sum{0, 0, 0};
    const std::size_t count = countOf(image.width, image.height);
    for (std::size_t i = 0; i < count; ++i) {
        const float* p = &image.rgb[3 * i];
        sum += glm::dvec3{p[0], p[1], p[2]};
    }
    return count > 0 ? sum * (1.0 / static_cast<double>(count)) : sum;
}

std::string imageHash(const Image& image) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    hash = fnv1a(hash, static_cast<std::uint32_t>(image.width));
    hash = fnv1a(hash, static_cast<std::uint32_t>(image.height));
    for (const float value : image.rgb) hash = fnv1a(hash, std::bit_cast<std::uint32_t>(value));
    return fmt::format("{:016x}", hash);
}

Picture toneMap(const Image& image, const DisplayTransform& display, const View& view) {
    const double exposure = display.exposure * std::exp2(view.exposure);
    const std::size_t count = countOf(image.width, image.height);
    Picture picture{image.width, image.height, std::vector<std::uint8_t>(3 * count)};
    const ByteTable byte(1 / display.gamma);
    forRows(image.width, image.height, [&](int begin, int end) {
        for (std::size_t i = countOf(image.width, begin); i < countOf(image.width, end); ++i) {
            const float* p = &image.rgb[3 * i];
            const glm::dvec3 y = mapped(glm::dvec3{p[0], p[1], p[2]} * exposure, view.toneMapper);
            picture.rgb[3 * i] = byte(display.offset + y.x);
            picture.rgb[3 * i + 1] = byte(display.offset + y.y);
            picture.rgb[3 * i + 2] = byte(display.offset + y.z);
        }
    });
    return picture;
}

}  // namespace rayscope
