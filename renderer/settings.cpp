#include "renderer/settings.h"

#include "renderer/scene/scene.h"

namespace rayscope {

Settings defaultSettings(Backend backend, const Scene& scene) {
    Settings s;
    s.backend = backend;
    s.depth = scene.depth;
    if (backend == Backend::cpu) {
        s.display = Display::host;
        s.samples = 1;  // a pass over the picture should not outlast a frame by much
    } else if (scene.spheres.size() > kMaxConstantSpheres) {
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
