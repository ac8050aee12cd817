#include "renderer/lab/sequence.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/commands.h"
#include "app/progress.h"
#include "renderer/base/files.h"
#include "renderer/base/say.h"

namespace rayscope {

int runSequence(const SequenceOptions& options) {
    if (!options.out.ends_with(".png"))
        return refuse({2, "--out " + options.out + " does not end with .png"});
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
    wish.path = options.out;
    const std::filesystem::path folder = std::filesystem::path(options.out).parent_path();
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error) {
        return refuse({1, fmt::format("{} cannot be made: {}", folder.string(), error.message())});
    }
    if (const auto can = canBeWritten(frameFile(options.out, 0, options.frames)); !can)
        return refuse({1, can.reason()});
    Sequence sequence(*request.renderer, std::move(wish));
    const bool ended = play(sequence, "sequence");
    if (sequence.written() > 0) say("wrote {} frames\n", sequence.written());
    if (!sequence.problem().empty()) return refuse({1, sequence.problem()});
    return ended ? 0 : refuse({1, "interrupted before all frames were written"});
}

}  // namespace rayscope
