// What the window remembers, and what is pasted into it.

#include <algorithm>

#include "renderer/choices/axes.h"
#include "tests/fuzz/promise.h"
#include "ui/clipboard.h"
#include "ui/preferences.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rayscope;
    const std::string_view text = textOf(data, size);
    const Preferences preferences = preferencesFrom(text);
    promise(preferences.recent.size() <= 8 && preferences.bookmarks.size() <= 64,
            "little is remembered");
    for (const auto& [scene, marks] : preferences.bookmarks)
        promise(std::any_of(marks.begin(), marks.end(), [](const auto& m) { return m; }),
                "scenes without bookmarks are forgotten");
    const State present;
    const auto pasted = stateFromText(std::string(text), present);
    if (!pasted) {
        promiseSentence(pasted.reason());
        return 0;
    }
    const State& state = *pasted;
    promise(state.settings.depth >= 1 && state.settings.depth <= kMaxDepth,
            "a depth that kernels have");
    return 0;
}
