// Ladder files, in a folder with scenes inside and outside of it.

#include "renderer/lab/ladder.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"
#include "tests/fuzz/kernel_text.h"
#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

/// Scenes by name and by path, written once and removed at the end.
class Folder {
public:
    Folder()
        : root_(fs::canonical(fs::temp_directory_path()) /
                ("rayscope-fuzz-" + std::to_string(getpid()))) {
        fs::create_directories(root_ / "assets" / "scenes");
        fs::create_directories(ladders());
        for (const char* name : {"assets/scenes/vt9.json", "outside.json", "ladders/inside.json"}) {
            std::ofstream(root_ / name)
                << R"({"camera": {}, "spheres": [{"center": [0, 0, 0], "radius": 1,
                       "material": {"kind": "lambert", "emission": [1, 1, 1]}}]})";
        }
        fs::create_symlink("../outside.json", ladders() / "link.json");
        setenv("RAYSCOPE_ASSETS", (root_ / "assets").c_str(), 1);
    }
    ~Folder() {
        std::error_code error;
        fs::remove_all(root_, error);
    }
    fs::path ladders() const { return root_ / "ladders"; }

private:
    fs::path root_;
};

void use(const Ladder& ladder, const fs::path& folder) {
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
        const Rung& rung = ladder.rungs[i];
        promise(rung.from < static_cast<int>(i), "a rung builds on one before it");
        if (rung.scene.find('/') != rung.scene.npos)
            promise(fs::canonical(rung.scene).parent_path() == folder, "scenes lie in the folder");
        const auto scene = findScene(rung.scene);
        promise(static_cast<bool>(scene), "scenes of a ladder are there");
        const Scene& s = *scene;
        if (s.spheres.size() > kMaxBakedSpheres) continue;
        const Settings settings = settingsOf(ladder, static_cast<int>(i), s, Backend::cpu);
        promiseKernelText(s, settings);
        unsupported(settings, s);
        meaningless(rung, settings);
    }
}

void read(std::string_view text) {
    static const Folder folder;
    const auto parsed = parseJson(text, "ladder.json");
    if (!parsed) return promiseSentence(parsed.reason());
    const auto found = ladderFromJson(*parsed, folder.ladders() / "ladder.json");
    if (!found) return promiseSentence(found.reason());
    use(*found, folder.ladders());
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
