#include "renderer/lab/sequence.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/commands.h"
#include "app/keep.h"
#include "app/progress.h"
#include "app/rendering.h"
#include "renderer/base/files.h"
#include "renderer/base/say.h"
#include "renderer/lab/movie.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

/// What has to be equal for a sequence to go on from a checkpoint.
nlohmann::json whatOf(const SequenceWish& wish) {
    nlohmann::json keys = nlohmann::json::array();
    for (const Camera& key : wish.keys) keys.push_back(toJson(key));
    return {{"state", toJson(wish.state)},       {"keys", keys},    {"frames", wish.frames},
            {"size", {wish.width, wish.height}}, {"spp", wish.spp}, {"out", wish.path}};
}

/// The folder of the frames, in which they can be written.
Result<void> makeFolder(const SequenceWish& wish) {
    const std::filesystem::path folder = std::filesystem::path(wish.path).parent_path();
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error)
        return Failure{fmt::format("{} cannot be made: {}", folder.string(), error.message())};
    if (!wish.movie.empty()) {
        if (const auto can = canBeWritten(wish.movie); !can) return can;
    }
    return canBeWritten(frameFile(wish.path, 0, wish.frames));
}

/// Renders frames that rank 0 asks for, and writes them.
int help(const Request& request, SequenceWish wish) {
    Sequence sequence(*request.renderer, std::move(wish), framesOfLead(team()));
    sequence.heed(goOn);
    playWhile(sequence, goOn);
    sequence.cancel();
    return sequence.problem().empty() ? 0 : refuse({1, sequence.problem()});
}

}  // namespace

int runSequence(const SequenceOptions& options) {
    const bool movie = isMovie(options.out);
    if (!movie && !options.out.ends_with(".png"))
        return refuse({2, "--out " + options.out + " does not end with .png, .mp4 or .webm"});
    if (movie) {
        if (const auto can = canMakeMovie(options.out); !can) return refuse({1, can.reason()});
    }
    std::variant<Request, Refusal> made = makeRequest(options.common);
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    const Request& request = std::get<Request>(made);
    SequenceWish wish;
    wish.state = request.state;
    wish.keys = keysOf(request.state);
    wish.moves = request.state.scene->simulation.has_value();
    if (wish.moves && wish.keys.empty()) wish.keys = {request.state.camera};
    if (wish.keys.size() < 2 && !wish.moves) {
        return refuse(
            {options.common.file.empty() ? 2 : 1,
             "a path needs two bookmarks or more, which are its key frames: set them in "
             "the viewer with Ctrl+1 to Ctrl+9, save a screenshot, and give that file; or "
             "choose a scene that moves (--scene nbody)"});
    }
    wish.frames = options.frames;
    wish.width = request.width;
    wish.height = request.height;
    wish.spp = request.spp;
    wish.path = movie ? framesOf(options.out) : options.out;
    if (movie && team().leads()) wish.movie = options.out;
    wish.fps = options.fps;
    if (team().leads()) {
        if (const auto can = makeFolder(wish); !can) return refuse({1, can.reason()});
    }
    auto shared = shareWork(Purpose::work, options.keep, options.out, "sequence",
                            aboutDevices({request.renderer.get()}), whatOf(wish));
    if (const Refusal* refusal = std::get_if<Refusal>(&shared)) return refuse(*refusal);
    const Sharing& sharing = std::get<Sharing>(shared);
    if (sharing.role == Sharing::Role::nothing) return 0;
    if (sharing.role == Sharing::Role::help) return help(request, std::move(wish));
    auto frames = allFrames(wish.frames, sharing.helpers.get());
    Sequence sequence(*request.renderer, std::move(wish), std::move(frames));
    const bool ended = play(sequence, "sequence");
    if (movie && ended && sequence.problem().empty())
        say("wrote {}, {} frames\n", options.out, sequence.written());
    else if (sequence.written() > 0)
        say("wrote {} frames\n", sequence.written());
    tellOfLost(*request.renderer);
    int code = 0;
    if (!sequence.problem().empty())
        code = refuse({1, sequence.problem()});
    else if (!ended)
        code = refuse({1, "interrupted before all frames were written"});
    return finishSharing(sharing, code);
}

}  // namespace rayscope
