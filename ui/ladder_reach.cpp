#include "ui/ladder_reach.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/lab/ladder.h"

namespace rayscope {

std::string LadderReach::sentence() const {
    const std::string text = fmt::format("{} of {} rungs run here", possible, rungs);
    return why.empty() ? text : text + "; " + why;
}

LadderReach reachOf(const std::string& name, const Backends& backends, Backend preferred) {
    LadderReach reach;
    const auto ladder = findLadder(name);
    if (!ladder) return reach;
    reach.title = ladder->title;
    Scenes scenes;
    for (const Rung& rung : ladder->rungs) {
        const int index = reach.rungs++;
        const auto scene = scenes.find(rung.scene);
        if (!scene) continue;
        Settings s = settingsOf(*ladder, index, *scene, preferred);
        if (s.display == Display::interop) s.display = Display::copy;
        const std::string problem = backends.unsupported(s, *scene);
        if (meaningless(rung, s).empty() && problem.empty())
            ++reach.possible;
        else if (reach.why.empty() && backends.has(Backend::cuda))
            reach.why = preferred == Backend::cpu ? "the others need backend=cuda" : problem;
    }
    const std::string& noCuda = backends.noCuda();
    if (reach.possible < reach.rungs && !backends.has(Backend::cuda))
        reach.why = fmt::format("the others need a GPU ({})", noCuda.substr(0, noCuda.find(':')));
    return reach;
}

const LadderReach& LadderReaches::of(const std::string& ladder, const Backends& backends,
                                     Backend preferred) {
    const bool cuda = backends.has(Backend::cuda);
    if (preferred != preferred_ || cuda != cuda_) known_.clear();
    preferred_ = preferred;
    cuda_ = cuda;
    const auto [known, isNew] = known_.try_emplace(ladder);
    if (isNew) known->second = reachOf(ladder, backends, preferred);
    return known->second;
}

std::string LadderReaches::first(const std::vector<std::string>& ladders, const Backends& backends,
                                 Backend preferred) {
    if (ladders.empty()) return {};
    const auto known = std::ranges::find(ladders, "voxel-tracer");
    const std::string usual = known != ladders.end() ? *known : ladders.front();
    if (!of(usual, backends, preferred).hardly()) return usual;
    return *std::ranges::max_element(ladders, {}, [&](const std::string& name) {
        return of(name, backends, preferred).share();
    });
}

}  // namespace rayscope
