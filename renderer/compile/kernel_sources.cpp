#include "renderer/compile/kernel_sources.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "renderer/base/files.h"
#include "renderer/choices/sources.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// How often the files' times are read: nobody notices half a second after saving.
constexpr auto kCheckInterval = std::chrono::milliseconds(500);

constexpr std::size_t kMaxSource = std::size_t{16} << 20;

struct Directory {
    unsigned version = 0;  ///< of all directories' this is the only one with the number
    std::vector<fs::file_time_type> times;
    Clock::time_point checked;
};

struct Directories {
    std::mutex mutex;
    std::map<int, Directory> of;  ///< by source
    unsigned versions = 0;        ///< given so far
};

Directories& directories() {
    static Directories all;
    return all;
}

/// When each source file was written; the earliest time for files that do not exist.
std::vector<fs::file_time_type> writeTimes(const fs::path& path) {
    std::vector<fs::file_time_type> times;
    for (const KernelSource& s : embeddedKernelSources()) {
        std::error_code error;
        const fs::file_time_type time = fs::last_write_time(path / s.name, error);
        times.push_back(error ? fs::file_time_type::min() : time);
    }
    return times;
}

}  // namespace

Result<void> setKernelSourceDirectory(int source, const std::string& folder) {
    std::vector<fs::file_time_type> times;
    if (!folder.empty()) {
        times = writeTimes(folder);
        size_t found = 0;
        for (const fs::file_time_type& t : times) found += t != fs::file_time_type::min();
        if (found == 0) {
            return Failure{
                fmt::format("no kernel sources in {}: it must hold {} or one of the files that it "
                            "includes",
                            folder, kMegakernelSource)};
        }
    }
    Directories& all = directories();
    const std::lock_guard lock(all.mutex);
    setSourceFolder(source, folder);
    all.of[source] = {++all.versions, std::move(times), Clock::now()};
    return {};
}

Result<void> copyKernelSources(const std::string& folder, const std::string& name) {
    std::vector<KernelSource> sources = embeddedKernelSources();
    if (!name.empty()) std::erase_if(sources, [&](const auto& s) { return s.name != name; });
    return writeKernelSources(folder, sources);
}

Result<void> writeKernelSources(const std::string& folder,
                                const std::vector<KernelSource>& sources) {
    for (const KernelSource& s : sources) {
        const fs::path path = fs::path(folder) / s.name;
        std::error_code error;
        if (fs::exists(path, error)) continue;
        fs::create_directories(path.parent_path(), error);
        if (error)
            return Failure{
                fmt::format("cannot make {}: {}", path.parent_path().string(), error.message())};
        if (const auto written = writeTextFile(path.string(), s.text); !written) return written;
    }
    return {};
}

std::vector<KernelSource> kernelSources(int source) {
    std::vector<KernelSource> sources = embeddedKernelSources();
    const fs::path folder = sourceFolder(source);
    if (folder.empty()) return sources;
    for (KernelSource& s : sources) {
        Result<std::string> file = readFile((folder / s.name).string(), kMaxSource);
        if (file) s.text = *std::move(file);
    }
    return sources;
}

std::vector<KernelSource> withBaked(std::vector<KernelSource> sources, const std::string& baked) {
    if (baked.empty()) return sources;
    for (KernelSource& s : sources) {
        if (s.name == kBakedSource) s.text = baked;
    }
    return sources;
}

unsigned kernelSourcesVersion(int source) {
    Directories& all = directories();
    const std::lock_guard lock(all.mutex);
    const auto known = all.of.find(source);
    if (known == all.of.end()) return 0;
    Directory& d = known->second;
    const std::string folder = sourceFolder(source);
    if (folder.empty() || Clock::now() - d.checked < kCheckInterval) return d.version;
    d.checked = Clock::now();
    std::vector<fs::file_time_type> times = writeTimes(folder);
    if (times != d.times) {
        d.times = std::move(times);
        d.version = ++all.versions;
    }
    return d.version;
}

}  // namespace rayscope
