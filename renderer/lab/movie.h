#pragma once

#include <functional>
#include <string>

#include "renderer/base/result.h"

// Movies of numbered pictures, made by ffmpeg.

namespace rayscope {

/// Whether the name ends as a movie's: .mp4 (H.264) or .webm (VP9).
bool isMovie(const std::string& path);

/// Fails where no movie can be made: the ending, or ffmpeg is not installed. To be asked before
/// anything is rendered.
Result<void> canMakeMovie(const std::string& path);

/// The name that frameFile() takes for the frames of a movie: in a folder beside it, "shot-frames/
/// shot.png" of "shot.mp4".
std::string framesOf(const std::string& movie);

/// Makes a movie of frameFile(frames, 0, count) and so on, `fps` pictures a second, in place of a
/// file that is there. `goOn` is called some ten times a second; where it says no, or ffmpeg fails,
/// nothing is left of the movie.
Result<void> makeMovie(const std::string& movie, const std::string& frames, int count, int fps,
                       const std::function<bool()>& goOn);

/// Removes the frames, and their folder where it is empty then.
void removeFrames(const std::string& frames, int count);

}  // namespace rayscope
