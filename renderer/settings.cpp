#include "renderer/settings.h"

#include "renderer/scene/scene.h"

namespace rayscope {

Settings defaultSettings(Backend backend, const Scene& scene) {
    Settings s;
    s.backend = backend;
    s.depth = scene.depth;
    if (backend == Backend::cpu) {
        s.display = Display::host;
        s.variant.compaction = Compaction::host;
        s.samples = 4;  // enough to spread the cost of a pixel; a pass may take several frames
        return s;
    }
    s.variant.sceneLayout = SceneLayout::aos;  // one wide load a sphere: 6 % over soa on an H200
    if (scene.spheres.size() > kMaxConstantSpheres) {
        s.variant.sceneMemory = SceneMemory::global;
    }
    return s;
}

bool resetsFilm(const Settings& before, const Settings& after) {
    return before.depth != after.depth || before.seed != after.seed;
}

bool resetsTiming(const Settings& before, const Settings& after) {
    return !(before == after);
}

}  // namespace rayscope
