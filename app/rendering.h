#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/keep.h"
#include "app/options.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/film/checkpoint.h"
#include "renderer/film/image.h"
#include "renderer/machine/conditions.h"
#include "renderer/team/film_team.h"

// How `render` comes by its picture.

namespace rayscope {

/// The samples per pixel of an interrupted picture, in which only some pixels have those of the
/// pass under way.
struct PixelSamples {
    int least = 0, most = 0;
    double mean = 0;
    long long without = 0;  ///< pixels that have none
};

/// A rank's part.
struct RankReport {
    std::string host, device;
    RankWork work;
};

struct Rendering {
    OffscreenFilm memory;
    FilmCheckpoint shared;            ///< in place of that: a film that is shared, or goes on,
    std::vector<Pixel> sharedPixels;  ///< and its pixels
    Film film;                        ///< of either, in host memory
    ImageFacts facts;                 ///< of the film
    std::optional<PixelSamples> interrupted;
    FrameStats stats;
    double wallMs = 0;   ///< as Settings::context says
    double totalMs = 0;  ///< from before the device was opened until the picture is in host memory
    KernelInfo kernel;
    GroupWork work;  ///< of several devices
    ConditionsSummary conditions;
    std::vector<RankReport> ranks;  ///< of several
    std::vector<double> sumMs;      ///< of those, how long each sum of films took
    std::string problem;            ///< why a shared film is not finished, but for Ctrl-C
};

/// Complains of devices that others have gone on without.
void tellOfLost(const Renderer& renderer);

/// Renders until the film has its samples or Ctrl-C is pressed.
Result<void> render(const Request& request, Rendering& result);

/// The same chunk by chunk, with all ranks and checkpoints.
void renderShared(const Request& request, FilmTeamWish wish, Rendering& result);

/// What --resume goes on from, as far as the request needs it; makes that of Options::file.
std::optional<Refusal> takeCheckpoint(const std::string& path, const Options& options,
                                      Request& request);

/// What is wished of a shared picture. With `resume`, what is there already; a refusal if that is
/// another picture.
std::variant<FilmTeamWish, Refusal> filmWish(const Request& request, const KeepOptions& keep,
                                             const std::string& checkpoint);

}  // namespace rayscope
