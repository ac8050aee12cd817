#include "renderer/compile/header_cache.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include "renderer/base/hash.h"
#include "renderer/base/run_program.h"
#include "renderer/compile/cache.h"
#include "renderer/compile/compiler.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFolders = 6;

bool areEmbedded(const std::vector<KernelSource>& sources) {
    const std::vector<KernelSource>& embedded = embeddedKernelSources();
    return std::ranges::all_of(sources, [&](const KernelSource& source) {
        return std::ranges::find(embedded, source) != embedded.end();
    });
}

/// Makes room for one more.
void removeOldest(const fs::path& root) {
    std::error_code error;
    std::vector<std::pair<fs::file_time_type, fs::path>> folders;
    for (fs::directory_iterator e(root, error), end; !error && e != end; e.increment(error)) {
        std::error_code gone;
        const fs::file_time_type time = e->last_write_time(gone);
        if (!gone) folders.emplace_back(time, e->path());
    }
    if (folders.size() < kMostFolders) return;
    std::sort(folders.begin(), folders.end());
    for (std::size_t i = 0; i + kMostFolders <= folders.size(); ++i)
        fs::remove_all(folders[i].second, error);
}

/// Writes the sources into `folder`, whole or not at all: other programs may do so at the same
/// time.
bool placeSources(const fs::path& folder, const std::vector<KernelSource>& sources) {
    std::error_code error;
    if (fs::is_directory(folder, error)) return true;
    std::string written = folder.string() + "-XXXXXX";
    if (mkdtemp(written.data()) == nullptr) return false;
    if (writeSources(written, sources)) fs::rename(written, folder, error);
    fs::remove_all(written, error);
    return fs::is_directory(folder, error);
}

/// Starts a compiler that may outlive this program, and gives its file its name when it is whole.
void makeInBackground(const fs::path& folder, const std::string& source,
                      const std::vector<std::string>& command) {
    static std::mutex mutex;
    static std::set<fs::path> begun;
    {
        const std::lock_guard lock(mutex);
        if (!begun.insert(folder).second) return;
    }
    const std::string made = (folder / (source + ".gch")).string();
    std::vector<std::string> words{"nice",
                                   "sh",
                                   "-c",
                                   "out=$1; shift; \"$@\" -o \"$out.$$\" >/dev/null 2>&1 && "
                                   "mv \"$out.$$\" \"$out\" || rm -f \"$out.$$\"",
                                   "header",
                                   made};
    words.insert(words.end(), command.begin(), command.end());
    words.insert(words.end(),
                 {"-I" + folder.string(), "-x", "c++-header", (folder / source).string()});
    static_cast<void>(startProgram(words));
}

}  // namespace

Result<void> writeSources(const std::string& folder, const std::vector<KernelSource>& sources) {
    for (const KernelSource& source : sources) {
        const fs::path path = fs::path(folder) / source.name;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        std::ofstream file(path, std::ios::binary);
        file << source.text;
        file.close();
        if (!file) return Failure{fmt::format("cannot write {}", path.string())};
    }
    return {};
}

std::optional<std::string> HeaderCache::folderFor(const KernelProgram& program,
                                                  const std::vector<KernelSource>& sources,
                                                  const std::vector<std::string>& command) {
    const fs::path cache = KernelCache::defaultFolder();
    if (cache.empty() || !areEmbedded(sources)) return {};
    const Result<std::string> version = program.compiler->version();
    if (!version) return {};
    std::string key = *version + "\n" + program.source;
    for (const std::string& word : command) key += "\n" + word;
    for (const KernelSource& source : sources) key += source.name + source.text;
    const fs::path root = cache.parent_path() / "headers";
    const fs::path asked = root / fmt::format("{:016x}", fnv1a(key));
    const fs::path folder = asked / "sources";
    const fs::path header = folder / (program.source + ".gch");
    std::error_code error;
    for (const fs::path& path : {root, asked, folder, header}) {
        if (!whyUnsafe(path).empty()) return {};
    }
    if (fs::is_regular_file(header, error)) return folder.string();
    if (!fs::is_directory(asked, error)) {
        removeOldest(root);
        static_cast<void>(makeOwnFolder(asked));
    } else if (placeSources(folder, sources)) {
        makeInBackground(folder, program.source, command);
    }
    return {};
}

void HeaderCache::discard(const std::string& folder) {
    std::error_code error;
    fs::remove_all(fs::path(folder).parent_path(), error);
}

}  // namespace rayscope
