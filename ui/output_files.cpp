#include "ui/output_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>

#include "renderer/base/files.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// Of user-dirs.dirs, which has some lines.
constexpr std::size_t kMaxUserDirsBytes = std::size_t{1} << 20;

bool writable(const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder, error) && access(folder.c_str(), W_OK) == 0;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string textOf(const fs::path& path) {
    const auto file = readFile(path.string(), kMaxUserDirsBytes);
    return file ? *file : "";
}

}  // namespace

std::string outputFolder() {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    if (!error && writable(here)) return here.string();
    const std::string home = variable("HOME"), config = variable("XDG_CONFIG_HOME");
    const fs::path configured = config.empty() ? fs::path(home) / ".config" : fs::path(config);
    for (const fs::path& folder :
         {fs::path(variable("XDG_PICTURES_DIR")),
          fs::path(picturesFolderIn(textOf(configured / "user-dirs.dirs"), home)),
          fs::path(home) / "Pictures", fs::path(home)}) {
        if (writable(folder)) return folder.string();
    }
    return here.string();
}

std::string picturesFolderIn(const std::string& userDirs, const std::string& home) {
    // XDG_PICTURES_DIR="$HOME/Bilder", or an absolute path; see xdg-user-dirs.
    const std::string key = "XDG_PICTURES_DIR=\"", inHome = "$HOME";
    std::istringstream lines(userDirs);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(key, 0) != 0) continue;
        std::string folder = line.substr(key.size(), line.find('"', key.size()) - key.size());
        if (folder.rfind(inHome, 0) == 0) folder.replace(0, inHome.size(), home);
        return folder;
    }
    return {};
}

std::string stemOfNow() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return fmt::format("rayscope-{:%Y%m%d-%H%M%S}", local);
}

std::string freshStem(const std::string& folder, const std::string& stem,
                      const std::vector<std::string>& endings, const std::set<std::string>& given) {
    const std::string first = (fs::path(folder) / stem).string();
    const auto taken = [&](const std::string& candidate) {
        return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
            std::error_code error;
            return fs::exists(candidate + ending, error) || given.contains(candidate + ending);
        });
    };
    std::string fresh = first;
    for (int n = 2; taken(fresh); ++n) fresh = fmt::format("{}-{}", first, n);
    return fresh;
}

std::string OutputFiles::freshStem(const std::string& stem,
                                   const std::vector<std::string>& endings) {
    const std::string fresh = rayscope::freshStem(outputFolder(), stem, endings, given_);
    for (const std::string& ending : endings) given_.insert(fresh + ending);
    return fresh;
}

}  // namespace rayscope
