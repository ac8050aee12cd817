#include "renderer/image/image_files.h"

#include <fmt/format.h>
#include <tinyexr.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "renderer/files.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace {

constexpr std::size_t kMaxJsonBytes = std::size_t{64} << 20;

std::string ending(const std::string& path) {
    std::string text = std::filesystem::path(path).extension().string();
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

bool isPng(const std::string& bytes) {
    return bytes.starts_with("\x89PNG\r\n\x1a\n");
}

/// What SaveEXRImageToMemory allocates.
struct Free {
    void operator()(unsigned char* bytes) const { std::free(bytes); }
};

}  // namespace

std::string writeExr(const std::string& path, const Image& image) {
    // OpenEXR keeps channels apart, in alphabetical order
    const std::size_t count = image.rgb.size() / 3;
    std::vector<float> planes(image.rgb.size());
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t c = 0; c < 3; ++c) planes[c * count + i] = image.rgb[3 * i + 2 - c];
    }
    float* channels[3] = {planes.data(), planes.data() + count, planes.data() + 2 * count};
    EXRChannelInfo names[3] = {};
    int types[3] = {TINYEXR_PIXELTYPE_FLOAT, TINYEXR_PIXELTYPE_FLOAT, TINYEXR_PIXELTYPE_FLOAT};
    for (int c = 0; c < 3; ++c) names[c].name[0] = "BGR"[c];
    EXRHeader header;
    InitEXRHeader(&header);
    header.num_channels = 3;
    header.channels = names;
    header.pixel_types = types;
    header.requested_pixel_types = types;
    header.compression_type = TINYEXR_COMPRESSIONTYPE_ZIP;
    EXRImage exr;
    InitEXRImage(&exr);
    exr.num_channels = 3;
    exr.images = reinterpret_cast<unsigned char**>(channels);
    exr.width = image.width;
    exr.height = image.height;
    unsigned char* memory = nullptr;
    const char* message = nullptr;
    const std::size_t size = SaveEXRImageToMemory(&exr, &header, &memory, &message);
    const std::unique_ptr<unsigned char, Free> bytes(memory);
    if (size == 0) {
        const std::string reason = message ? message : "the image could not be encoded";
        FreeEXRErrorMessage(message);
        return fmt::format("cannot write {}: {}", path, reason);
    }
    return writeFile(path, [&](std::FILE* file) {
        std::fwrite(bytes.get(), 1, size, file);
        return std::string();
    });
}

std::string writePfm(const std::string& path, const Image& image) {
    return writeFile(path, [&](std::FILE* file) {
        // the sign of the scale tells the order of bytes
        const char* scale = std::endian::native == std::endian::little ? "-1.0" : "1.0";
        std::fprintf(file, "PF\n%d %d\n%s\n", image.width, image.height, scale);
        const std::size_t row = 3 * static_cast<std::size_t>(image.width);
        for (int y = image.height - 1; y >= 0; --y) {
            const float* values = image.rgb.data() + row * static_cast<std::size_t>(y);
            if (std::fwrite(values, sizeof(float), row, file) != row) break;
        }
        return std::string();
    });
}

std::string unwritable(const std::string& path) {
    const std::string type = ending(path);
    if (type == ".png" || type == ".exr" || type == ".pfm") return {};
    return fmt::format("cannot write {}: the name must end in .png, .exr or .pfm", path);
}

std::string writeImage(const std::string& path, const Image& image, const DisplayTransform& display,
                       const View& view, const std::string& stateJson) {
    const std::string type = ending(path);
    if (type == ".png") return writePng(path, toneMap(image, display, view), stateJson);
    if (type == ".exr") return writeExr(path, image);
    if (type == ".pfm") return writePfm(path, image);
    return unwritable(path);
}

std::variant<State, std::string> stateFrom(std::string bytes, const std::string& file) {
    if (isPng(bytes)) {
        auto state = pngState(bytes, file);
        if (const auto* reason = std::get_if<std::string>(&state)) return *reason;
        bytes = std::get<StateText>(std::move(state)).json;
    }
    if (bytes.size() > kMaxJsonBytes) {
        return fmt::format("{}: a state of {} bytes, at most {} are accepted", file, bytes.size(),
                           kMaxJsonBytes);
    }
    const auto json = parseJson(bytes, file);
    if (const auto* reason = std::get_if<std::string>(&json)) return *reason;
    auto state = stateFromJson(std::get<nlohmann::json>(json));
    if (auto* reason = std::get_if<std::string>(&state))
        return fmt::format("{}: {}", file, *reason);
    return state;
}

std::variant<State, std::string> readState(const std::string& path) {
    auto file = readFile(path, kMaxStateFile);
    if (const auto* reason = std::get_if<std::string>(&file)) return *reason;
    return stateFrom(std::get<FileBytes>(std::move(file)).bytes, path);
}

}  // namespace rayscope
