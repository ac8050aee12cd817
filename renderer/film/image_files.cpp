#include "renderer/film/image_files.h"

#include <fmt/format.h>

#include <bit>
#include <filesystem>

#include "renderer/base/files.h"
#include "renderer/film/checkpoint.h"
#include "renderer/scene/json.h"
#include "renderer/scene/json_reader.h"
#include "renderer/scene/model.h"
#include "renderer/scene/named_file.h"
#include "renderer/scene/picture_exr.h"

namespace rayscope {

namespace {

constexpr std::size_t kMaxJsonBytes = std::size_t{64} << 20;

bool isPng(const std::string& bytes) {
    return bytes.starts_with("\x89PNG\r\n\x1a\n");
}

using Json = nlohmann::json;

/// Parses the text that a PNG carries, or all of the bytes if they are no PNG.
Result<Json> jsonIn(std::string bytes, const std::string& file) {
    if (isPng(bytes)) {
        Result<std::string> state = pngState(bytes, file);
        if (!state) return state.failure();
        bytes = *std::move(state);
    }
    if (bytes.size() > kMaxJsonBytes) {
        return Failure{fmt::format("{}: JSON of {} bytes, at most {} are accepted", file,
                                   bytes.size(), kMaxJsonBytes)};
    }
    return parseJson(bytes, file);
}

Result<State> stateIn(const Json& json, const std::string& file) {
    Result<State> state = stateFromJson(json);
    if (!state) return Failure{fmt::format("{}: {}", file, state.reason())};
    return state;
}

template <class Alternative>
Result<StateOrScene> widened(Result<Alternative> found) {
    if (!found) return found.failure();
    Result<StateOrScene> wide{StateOrScene()};  // in two steps g++ 12 sees what is initialised
    wide->template emplace<Alternative>(*std::move(found));
    return wide;
}

}  // namespace

Result<void> writeExr(const std::string& path, const Image& image) {
    const Result<std::string> bytes = exrBytes(image.width, image.height, image.rgb);
    if (!bytes) return Failure{fmt::format("cannot write {}: {}", path, bytes.reason())};
    return writeFile(path, [&](std::FILE* file) -> Result<void> {
        std::fwrite(bytes->data(), 1, bytes->size(), file);
        return {};
    });
}

Result<void> writePfm(const std::string& path, const Image& image) {
    return writeFile(path, [&](std::FILE* file) -> Result<void> {
        // the sign of the scale tells the order of bytes
        const char* scale = std::endian::native == std::endian::little ? "-1.0" : "1.0";
        std::fprintf(file, "PF\n%d %d\n%s\n", image.width, image.height, scale);
        const std::size_t row = 3 * static_cast<std::size_t>(image.width);
        for (int y = image.height - 1; y >= 0; --y) {
            const float* values = image.rgb.data() + row * static_cast<std::size_t>(y);
            if (std::fwrite(values, sizeof(float), row, file) != row) break;
        }
        return {};
    });
}

Result<void> checkImageName(const std::string& path) {
    const std::string type = endingOf(path);
    if (type == ".png" || type == ".exr" || type == ".pfm") return {};
    return Failure{fmt::format("cannot write {}: the name must end in .png, .exr or .pfm", path)};
}

Result<void> writeImage(const std::string& path, const Image& image,
                        const DisplayTransform& display, const View& view,
                        const std::string& stateJson) {
    const std::string type = endingOf(path);
    if (type == ".png") return writePng(path, toneMap(image, display, view), stateJson);
    if (type == ".exr") return writeExr(path, image);
    if (type == ".pfm") return writePfm(path, image);
    return checkImageName(path);
}

Result<void> writeImage(const std::string& path, const Film& film, const DisplayTransform& display,
                        const View& view, const LateState& state) {
    if (endingOf(path) == ".png") return writePng(path, toneMapped(film, display, view), state);
    return writeImage(path, meanOf(film), display, view);
}

Result<State> stateFrom(std::string bytes, const std::string& file) {
    const Result<Json> json = jsonIn(std::move(bytes), file);
    if (!json) return json.failure();
    return stateIn(*json, file);
}

Result<State> readState(const std::string& path) {
    Result<std::string> file = readFile(path, kMaxStateFile);
    if (!file) return file.failure();
    return stateFrom(*std::move(file), path);
}

Result<StateOrScene> readStateOrScene(const std::string& nameOrPath) {
    if (nameOrPath.find_first_of("./") == std::string::npos) return widened(findScene(nameOrPath));
    if (isModel(nameOrPath)) return widened(readScene(nameOrPath));
    if (isCheckpoint(nameOrPath)) {
        Result<FilmCheckpoint> film = readFilmCheckpointHead(nameOrPath);
        if (!film) return film.failure();
        return widened(Result<State>(std::move(film->state)));
    }
    Result<std::string> file = readFile(nameOrPath, kMaxStateFile);
    if (!file) return file.failure();
    const std::string problem = isPng(*file) ? "" : noSceneReason(nameOrPath, file->substr(0, 64));
    if (!problem.empty()) return Failure{problem};
    const Result<Json> json = jsonIn(*std::move(file), nameOrPath);
    if (!json) return json.failure();
    if (json->is_object() && json->contains("format")) return widened(stateIn(*json, nameOrPath));
    if (json->is_object() && json->contains("kind") && json->contains("version")) {
        const auto state = json->find("state");
        if (state != json->end() && state->is_object() && state->contains("format"))
            return widened(stateIn(*state, nameOrPath));
        return Failure{fmt::format(
            "{} is a report, which has no scene: `rayscope compare` shows two of them side by side",
            nameOrPath)};
    }
    return widened(sceneFromJson(*json, nameOrPath));
}

}  // namespace rayscope
