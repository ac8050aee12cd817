// Files that hold a state: JSON, and PNG with a text.

#include "renderer/choices/axes.h"
#include "renderer/film/image_files.h"
#include "tests/fuzz/kernel_text.h"
#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

void use(const Settings& settings, const Scene& scene) {
    promiseKernelText(scene, settings);
    const Settings plain = canonical(settings);
    promise(plain == canonical(plain), "settings have one canonical form");
    promise(difference(plain, plain).empty(), "settings do not differ from themselves");
    promise(!describe(settings).empty(), "settings can be described");
    const std::string reason = unsupported(settings, scene);
    if (!reason.empty()) promiseSentence(reason);
}

void read(std::string_view bytes) {
    const auto found = stateFrom(std::string(bytes), "state.png");
    if (!found) return promiseSentence(found.reason());
    const State& state = *found;
    const auto again = stateFrom(toJson(state).dump(), "state.json");
    promise(again && *again == state, "a state survives a round trip");
    use(state.settings, state.scene);
    if (state.pinned) use(state.pinned->settings, state.scene);
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
