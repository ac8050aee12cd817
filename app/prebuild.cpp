// prebuild FOLDER SCENES [all]: compiles the kernels that scenes start with on a CPU into a folder
// of the program (KernelCache). For this processor, or for all of x86-64.

#include <filesystem>
#include <mutex>
#include <set>

#include "renderer/base/say.h"
#include "renderer/base/thread_pool.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/host_compiler.h"
#include "renderer/cpu/cpu_session.h"
#include "renderer/cpu/cpu_simulator.h"
#include "renderer/devices/starting.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// What the scenes of a folder start with at this level of the instruction set.
void addStarts(const fs::path& scenes, std::vector<BuildRequest>& requests) {
    for (const fs::directory_entry& entry : fs::directory_iterator(scenes)) {
        if (entry.path().extension() != ".json") continue;
        const Result<Scene> scene = findScene(entry.path().string());
        if (!scene) continue;
        CpuCore core;
        core.setScene(*scene);
        const Settings settings = startingSettings(Backend::cpu, *scene);
        requests.push_back(core.requestFor(core.derived(settings), kBuiltIn));
        if (scene->simulation) requests.push_back(hostForceRequest(settings));
    }
    for (const Variant& v : anySceneVariants()) requests.push_back(hostRequest(v, kBuiltIn, {}));
}

/// Compiles them on all cores; the first failure.
Result<void> compileAll(const std::vector<BuildRequest>& requests, const KernelCache& cache) {
    std::mutex mutex;
    Result<void> result;
    ThreadPool pool(0);
    std::atomic<size_t> next{0};
    pool.run([&](int) {
        for (size_t i = next++; i < requests.size(); i = next++) {
            const auto compiled = compileCached(cache, requests[i].program, sourcesOf(requests[i]));
            const std::lock_guard lock(mutex);
            if (!compiled) result = compiled.failure();
        }
    });
    return result;
}

/// Deletes what earlier builds have left.
void removeOthers(const fs::path& folder, const std::set<fs::path>& wanted) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".kernel" && !wanted.contains(entry.path()))
            fs::remove(entry.path());
    }
}

int prebuild(const std::string& folder, const std::string& scenes, bool all) {
    std::vector<BuildRequest> requests;
    const int level = processorLevel();
    for (int isa = all ? 2 : level; isa <= (all ? 4 : level); ++isa) {
        assumeProcessorLevel(isa);
        addStarts(scenes, requests);
    }
    const KernelCache cache(folder);
    const Result<void> compiled = compileAll(requests, cache);
    if (!compiled) {
        say("{}\n", compiled.reason());
        return 1;
    }
    std::set<fs::path> wanted;
    for (const BuildRequest& request : requests) {
        const auto key = cacheKey(request.program, sourcesOf(request.program, sourcesOf(request)));
        if (key) wanted.insert(cache.pathOf(*key));
    }
    removeOthers(folder, wanted);
    const Result<void> noted = notePrebuilt(folder);
    if (!noted) say("{}\n", noted.reason());
    return noted ? 0 : 1;
}

}  // namespace

}  // namespace rayscope

int main(int count, char** words) {
    if (count < 3) return 2;
    return rayscope::prebuild(words[1], words[2], count > 3);
}
