#include "renderer/backend/kernel_sources.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <utility>

#include "renderer/base/files.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// How often the files' times are read: nobody notices half a second after saving.
constexpr auto kCheckInterval = std::chrono::milliseconds(500);

constexpr std::size_t kMaxSource = std::size_t{16} << 20;

struct Directory {
    std::mutex mutex;
    fs::path path;  ///< empty: the embedded sources
    unsigned version = 0;
    std::vector<fs::file_time_type> times;
    Clock::time_point checked;
};

Directory& directory() {
    static Directory d;
    return d;
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

Result<void> setKernelSourceDirectory(const std::string& folder) {
    Directory& d = directory();
    const std::lock_guard lock(d.mutex);
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
    d.path = folder;
    d.times = std::move(times);
    d.checked = Clock::now();
    ++d.version;
    return {};
}

std::string kernelSourceDirectory() {
    Directory& d = directory();
    const std::lock_guard lock(d.mutex);
    return d.path.string();
}

Result<void> copyKernelSources(const std::string& folder, const std::string& name) {
    for (const KernelSource& s : embeddedKernelSources()) {
        const fs::path path = fs::path(folder) / s.name;
        std::error_code error;
        if ((!name.empty() && s.name != name) || fs::exists(path, error)) continue;
        fs::create_directories(path.parent_path(), error);
        if (error)
            return Failure{
                fmt::format("cannot make {}: {}", path.parent_path().string(), error.message())};
        if (const auto written = writeTextFile(path.string(), s.text); !written) return written;
    }
    return {};
}

std::vector<KernelSource> kernelSources() {
    Directory& d = directory();
    const std::lock_guard lock(d.mutex);
    std::vector<KernelSource> sources = embeddedKernelSources();
    if (d.path.empty()) return sources;
    for (KernelSource& s : sources) {
        Result<std::string> file = readFile((d.path / s.name).string(), kMaxSource);
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

unsigned kernelSourcesVersion() {
    Directory& d = directory();
    const std::lock_guard lock(d.mutex);
    if (d.path.empty() || Clock::now() - d.checked < kCheckInterval) return d.version;
    d.checked = Clock::now();
    std::vector<fs::file_time_type> times = writeTimes(d.path);
    if (times != d.times) {
        d.times = std::move(times);
        ++d.version;
    }
    return d.version;
}

}  // namespace rayscope
