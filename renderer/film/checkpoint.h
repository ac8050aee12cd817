#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/choices/state.h"
#include "renderer/film/film.h"
#include "renderer/film/sample_set.h"

// What long work has done so far, in a file from which it goes on. A line that names the format, a
// line of JSON, then bytes as the kind of work has them.

namespace rayscope {

/// Of a checkpoint with its film: that of 16384x16384 pixels, and its head.
inline constexpr std::size_t kMostCheckpointBytes =
    (std::size_t{1} << 33) + (std::size_t{64} << 20);

struct Checkpoint {
    nlohmann::json head;  ///< an object with a "kind": the command
    std::string body;
};

/// Whole, or not at all (renderer/base/files.h).
Result<void> writeCheckpoint(const std::string& path, nlohmann::json head, std::string_view body);

/// Refuses what another version of the program wrote, and what is damaged. `file` is named in the
/// reason of a failure.
Result<Checkpoint> checkpointFrom(std::string bytes, const std::string& file);
Result<Checkpoint> readCheckpoint(const std::string& path);

/// Whether a file begins as a checkpoint does.
bool isCheckpoint(const std::string& path);

/// A picture that is not finished.
struct FilmCheckpoint {
    State state;
    int width = 0, height = 0;
    int spp = 0;                   ///< samples a pixel that it is to have
    SampleSet done;                ///< that every pixel has
    std::vector<PixelSum> pixels;  ///< rows from the top
    nlohmann::json spent;          ///< what it took so far; an object for whoever wrote it
};

Result<void> writeFilmCheckpoint(const std::string& path, const FilmCheckpoint& checkpoint);
Result<FilmCheckpoint> filmCheckpointFrom(Checkpoint checkpoint, const std::string& file);
Result<FilmCheckpoint> readFilmCheckpoint(const std::string& path);
/// Without the pixels and the samples that they have, which are not read.
Result<FilmCheckpoint> readFilmCheckpointHead(const std::string& path);

}  // namespace rayscope
