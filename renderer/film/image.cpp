#include "renderer/film/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec3.hpp>

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

/// FNV-1a begins with the size.
std::uint64_t hashOfSize(int width, int height) {
    const std::uint64_t hash = fnv1a(0xcbf29ce484222325u, static_cast<std::uint32_t>(width));
    return fnv1a(hash, static_cast<std::uint32_t>(height));
}

/// Black without samples.
glm::vec3 meanOf(const Pixel& p) {
    if (!(p.samples > 0)) return glm::vec3(0);
    return {p.r / p.samples, p.g / p.samples, p.b / p.samples};
}

/// From radiance to the bytes of a screen.
class Screen {
public:
    Screen(const DisplayTransform& display, const View& view)
        : exposure_(display.exposure * std::exp2(view.exposure)),
          offset_(display.offset),
          mapper_(view.toneMapper),
          byte_(1 / display.gamma) {}

    void show(const glm::vec3& radiance, std::uint8_t* rgb) const {
        const glm::dvec3 y = mapped(glm::dvec3(radiance) * exposure_, mapper_);
        for (int c = 0; c < 3; ++c) rgb[c] = byte_(offset_ + y[c]);
    }

private:
    double exposure_, offset_;
    ToneMapper mapper_;
    ByteTable byte_;
};

}  // namespace

PictureRows rowsOf(const Picture& picture) {
    const std::size_t row = 3 * static_cast<std::size_t>(picture.width);
    return {picture.width, picture.height, [&picture, row](int y, std::uint8_t* rgb) {
                std::copy_n(picture.rgb.data() + row * static_cast<std::size_t>(y), row, rgb);
            }};
}

Image meanOf(const Film& film) {
    const std::size_t count = countOf(film.width, film.height);
    Image image{film.width, film.height, std::vector<float>(3 * count)};
    forRows(film.width, film.height, [&](int begin, int end) {
        for (std::size_t i = countOf(film.width, begin); i < countOf(film.width, end); ++i) {
            const glm::vec3 mean = meanOf(film.pixels[i]);
            for (int c = 0; c < 3; ++c) image.rgb[3 * i + static_cast<std::size_t>(c)] = mean[c];
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
    std::uint64_t hash = hashOfSize(image.width, image.height);
    for (const float value : image.rgb) hash = fnv1a(hash, std::bit_cast<std::uint32_t>(value));
    return fmt::format("{:016x}", hash);
}

ImageFacts factsOf(const Film& film) {
    std::uint64_t hash = hashOfSize(film.width, film.height);
    glm::dvec3 sum{0};
    const std::size_t count = countOf(film.width, film.height);
    for (std::size_t i = 0; i < count; ++i) {
        const glm::vec3 mean = meanOf(film.pixels[i]);
        for (int c = 0; c < 3; ++c) hash = fnv1a(hash, std::bit_cast<std::uint32_t>(mean[c]));
        sum += glm::dvec3(mean);
    }
    return {count > 0 ? sum * (1.0 / static_cast<double>(count)) : sum,
            fmt::format("{:016x}", hash)};
}

Picture toneMap(const Image& image, const DisplayTransform& display, const View& view) {
    const std::size_t count = countOf(image.width, image.height);
    Picture picture{image.width, image.height, std::vector<std::uint8_t>(3 * count)};
    const Screen screen(display, view);
    forRows(image.width, image.height, [&](int begin, int end) {
        for (std::size_t i = countOf(image.width, begin); i < countOf(image.width, end); ++i) {
            const float* p = &image.rgb[3 * i];
            screen.show({p[0], p[1], p[2]}, &picture.rgb[3 * i]);
        }
    });
    return picture;
}

PictureRows toneMapped(const Film& film, const DisplayTransform& display, const View& view) {
    return {film.width, film.height,
            [&film, screen = Screen(display, view)](int y, std::uint8_t* rgb) {
                const Pixel* row = film.pixels + countOf(film.width, y);
                for (int x = 0; x < film.width; ++x) screen.show(meanOf(row[x]), rgb + 3 * x);
            }};
}

}  // namespace rayscope
