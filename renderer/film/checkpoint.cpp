#include "renderer/film/checkpoint.h"

#include <fmt/format.h>

#include <cstring>

#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/base/own_files.h"
#include "renderer/base/version.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// Followed by the number of the format. In the first, the sums of a film were floats.
constexpr std::string_view kAnyCheckpoint = "rayscope checkpoint ";
constexpr std::string_view kCheckpointMagic = "rayscope checkpoint 2\n";
constexpr std::size_t kMostHeadBytes = std::size_t{64} << 20;
constexpr std::size_t kMostGaps = 1 << 16;
constexpr int kMostSideOfFilm = 16384, kMostSamplesOfFilm = 1000000000;

Failure damaged(const std::string& file, const std::string& how) {
    return {fmt::format("{} is damaged: {}", file, how)};
}

std::string hashOf(std::string_view body) {
    return fmt::format("{:016x}", fnv1a(body));
}

/// "[[first, count], ...]" of what is missing below `next`.
Result<SampleSet> samplesFrom(const json& gaps, int next) {
    SampleSet missing, done;
    if (!gaps.is_array() || gaps.size() > kMostGaps) return Failure{"\"missing\" is no list"};
    for (const json& gap : gaps) {
        if (!gap.is_array() || gap.size() != 2 || !gap[0].is_number_unsigned() ||
            !gap[1].is_number_unsigned() || gap[0] > next || gap[1] > next)
            return Failure{"\"missing\" has ranges that are none"};
        const SampleRange range{gap[0].get<int>(), gap[1].get<int>()};
        if (range.count == 0 || range.end() >= next || !missing.add(range))
            return Failure{"\"missing\" has ranges that are none"};
    }
    for (const SampleRange& range : missing.missing(next)) done.add(range);
    return done;
}

/// The pixels, if they are those of so many samples each.
Result<std::vector<PixelSum>> pixelsFrom(const std::string& body, std::size_t count, int samples) {
    if (body.size() != count * sizeof(PixelSum))
        return Failure{fmt::format("its film has {} bytes in place of {}", body.size(),
                                   count * sizeof(PixelSum))};
    std::vector<PixelSum> pixels(count);
    std::memcpy(pixels.data(), body.data(), body.size());
    for (const PixelSum& pixel : pixels) {
        if (pixel.samples != samples)
            return Failure{"its pixels do not have the samples that it names"};
    }
    return pixels;
}

/// `end`: of the head, in bytes.
Result<json> headFrom(std::string_view bytes, const std::string& file, std::size_t& end) {
    if (!bytes.starts_with(kAnyCheckpoint))
        return Failure{fmt::format("{} is no checkpoint", file)};
    if (!bytes.starts_with(kCheckpointMagic)) {
        return Failure{fmt::format(
            "{} has a format of another version of the program, which alone goes on with it",
            file)};
    }
    const std::string_view text = bytes.substr(0, kMostHeadBytes);
    const std::size_t line = text.find('\n', kCheckpointMagic.size());
    if (line == text.npos) return damaged(file, "it ends too early");
    end = line + 1;
    Result<json> head =
        parseJson(text.substr(kCheckpointMagic.size(), line - kCheckpointMagic.size()), file);
    if (!head) return head.failure();
    for (const char* key : {"version", "kind", "hash"}) {
        if (!head->is_object() || !head->contains(key) || !(*head)[key].is_string())
            return damaged(file, fmt::format("\"{}\" is missing", key));
    }
    if ((*head)["version"] == versionText()) return head;
    return Failure{
        fmt::format("{} was written by another version of the program, which alone goes "
                    "on with it: {}",
                    file, briefly((*head)["version"]))};
}

/// All but the pixels, and the samples that are done.
Result<FilmCheckpoint> filmFrom(const json& head, const std::string& file) {
    if (head["kind"] != "render") {
        return Failure{fmt::format("{} is a checkpoint of rayscope {}, not of a picture", file,
                                   briefly(head["kind"]))};
    }
    FilmCheckpoint film;
    std::string error;
    ObjectReader members(head, "", error);
    members.whole("width", 1, kMostSideOfFilm, film.width);
    members.whole("height", 1, kMostSideOfFilm, film.height);
    members.whole("spp", 1, kMostSamplesOfFilm, film.spp);
    const json* state = members.required("state", "an object");
    const json* spent = members.required("spent", "an object");
    if (!error.empty()) return damaged(file, error);
    film.spent = *spent;
    Result<State> read = stateFromJson(*state);
    if (!read) return damaged(file, read.reason());
    film.state = *std::move(read);
    return film;
}

}  // namespace

Result<void> writeCheckpoint(const std::string& path, json head, std::string_view body) {
    head["version"] = versionText();
    head["bytes"] = body.size();
    head["hash"] = hashOf(body);
    constexpr auto kReplace = json::error_handler_t::replace;  // file names may not be UTF-8
    const std::string line = head.dump(-1, ' ', false, kReplace) + "\n";
    const auto write = [&](std::FILE* file) -> Result<void> {
        for (const std::string_view part : {kCheckpointMagic, std::string_view(line), body})
            std::fwrite(part.data(), 1, part.size(), file);
        return {};
    };
    return writeFile(path, write, Existing::replaced, Privacy::own);
}

Result<Checkpoint> checkpointFrom(std::string bytes, const std::string& file) {
    std::size_t end = 0;
    Result<json> head = headFrom(bytes, file, end);
    if (!head) return head.failure();
    bytes.erase(0, end);
    Checkpoint checkpoint{*std::move(head), std::move(bytes)};
    if (checkpoint.head["hash"] != hashOf(checkpoint.body))
        return damaged(file, "its bytes have changed");
    return checkpoint;
}

Result<Checkpoint> readCheckpoint(const std::string& path) {
    Result<std::string> bytes = readOwnFile(path, kMostCheckpointBytes);
    return bytes ? checkpointFrom(*std::move(bytes), path) : bytes.failure();
}

bool isCheckpoint(const std::string& path) {
    return readStart(path, kAnyCheckpoint.size()) == kAnyCheckpoint;
}

Result<void> writeFilmCheckpoint(const std::string& path, const FilmCheckpoint& c) {
    json missing = json::array();
    for (const SampleRange& gap : c.done.missing(c.done.next()))
        missing.push_back({gap.first, gap.count});
    const json head = {
        {"kind", "render"}, {"state", toJson(c.state)}, {"width", c.width},   {"height", c.height},
        {"spp", c.spp},     {"next", c.done.next()},    {"missing", missing}, {"spent", c.spent}};
    return writeCheckpoint(
        path, head,
        {reinterpret_cast<const char*>(c.pixels.data()), c.pixels.size() * sizeof(PixelSum)});
}

Result<FilmCheckpoint> filmCheckpointFrom(Checkpoint checkpoint, const std::string& file) {
    Result<FilmCheckpoint> film = filmFrom(checkpoint.head, file);
    if (!film) return film;
    std::string error;
    ObjectReader members(checkpoint.head, "", error);
    int next = 0;
    members.required("next", "a number");
    members.whole("next", 1, kMostSamplesOfFilm, next);
    const json* missing = members.required("missing", "a list");
    if (!error.empty()) return damaged(file, error);
    Result<SampleSet> done = samplesFrom(*missing, next);
    if (!done) return damaged(file, done.reason());
    film->done = *std::move(done);
    const std::size_t count = std::size_t{1} * film->width * film->height;
    Result<std::vector<PixelSum>> pixels = pixelsFrom(checkpoint.body, count, film->done.count());
    if (!pixels) return damaged(file, pixels.reason());
    film->pixels = *std::move(pixels);
    return film;
}

Result<FilmCheckpoint> readFilmCheckpointHead(const std::string& path) {
    constexpr std::size_t kUsually = std::size_t{64} << 10;
    std::string bytes = readStart(path, kUsually);
    if (bytes.find('\n', kCheckpointMagic.size()) == bytes.npos)
        bytes = readStart(path, kMostHeadBytes);
    std::size_t end = 0;
    const Result<json> head = headFrom(bytes, path, end);
    return head ? filmFrom(*head, path) : head.failure();
}

Result<FilmCheckpoint> readFilmCheckpoint(const std::string& path) {
    Result<Checkpoint> checkpoint = readCheckpoint(path);
    return checkpoint ? filmCheckpointFrom(*std::move(checkpoint), path) : checkpoint.failure();
}

}  // namespace rayscope
