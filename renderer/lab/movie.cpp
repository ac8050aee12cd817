#include "renderer/lab/movie.h"

#include <fmt/format.h>

#include <filesystem>

#include "renderer/base/run_program.h"
#include "renderer/base/text.h"
#include "renderer/lab/sequence.h"

namespace rayscope {

namespace fs = std::filesystem;

namespace {

std::string ffmpeg() {
    return findProgram("ffmpeg", {});
}

/// A percent sign begins a number in the pattern of ffmpeg's frames.
std::string escapedPattern(const std::string& path) {
    std::string text;
    for (const char c : path) text += c == '%' ? std::string("%%") : std::string(1, c);
    return text;
}

/// "shot-%04d.png", as frameFile() numbers them.
std::string patternOf(const std::string& frames, int count) {
    const std::string first = fs::path(frameFile(frames, 0, count)).string();
    const std::size_t end = first.size() - std::string_view(".png").size();
    const std::size_t digits = end - (first.rfind('-') + 1);
    return fmt::format("{}%0{}d.png", escapedPattern(first.substr(0, end - digits)), digits);
}

}  // namespace

bool isMovie(const std::string& path) {
    return path.ends_with(".mp4") || path.ends_with(".webm");
}

Result<void> canMakeMovie(const std::string& path) {
    if (!isMovie(path)) return Failure{path + " does not end with .mp4 or .webm"};
    if (ffmpeg().empty()) return Failure{"movies need ffmpeg: install it, or write .png files"};
    return {};
}

std::string framesOf(const std::string& movie) {
    const fs::path path(movie);
    const std::string stem = path.stem().string();
    return (path.parent_path() / (stem + "-frames") / (stem + ".png")).string();
}

Result<void> makeMovie(const std::string& movie, const std::string& frames, int count, int fps,
                       const std::function<bool()>& goOn) {
    const fs::path path(movie), ending = path.extension();
    const std::string beside =
        (path.parent_path() / fmt::format(".{}.part{}", path.stem().string(), ending.string()))
            .string();
    std::vector<std::string> words{ffmpeg(), "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
                                   "-framerate", std::to_string(fps), "-start_number", "1", "-i",
                                   patternOf(frames, count), "-frames:v", std::to_string(count),
                                   // both codecs halve the resolution of colours
                                   "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"};
    const std::vector<std::string> codec =
        ending == ".mp4"
            ? std::vector<std::string>{"-c:v", "libx264", "-crf", "16", "-movflags", "+faststart"}
            : std::vector<std::string>{"-c:v", "libvpx-vp9", "-crf",    "24",
                                       "-b:v", "0",          "-row-mt", "1"};
    words.insert(words.end(), codec.begin(), codec.end());
    words.push_back("file:" + beside);
    constexpr std::size_t kMostSaid = 1 << 16;
    auto run = runProgram(words, kMostSaid, goOn);
    std::error_code error;
    if (!run) return run.failure();
    if (run->stopped || run->status != 0) {
        fs::remove(beside, error);
        return run->stopped
                   ? Failure{"interrupted: the movie was not made, but its frames are kept"}
                   : Failure{"ffmpeg: " + printable(shortened(lastLine(run->text), 200))};
    }
    fs::rename(beside, path, error);
    if (error) return Failure{fmt::format("{} cannot be written: {}", movie, error.message())};
    return {};
}

void removeFrames(const std::string& frames, int count) {
    std::error_code error;
    for (int frame = 0; frame < count; ++frame) fs::remove(frameFile(frames, frame, count), error);
    fs::remove(fs::path(frames).parent_path(), error);
}

}  // namespace rayscope
