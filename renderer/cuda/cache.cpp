#include "renderer/cuda/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/cuda/cache_entry.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// About 75 MB of kernels; the oldest half goes when there are more.
constexpr size_t kMaxEntries = 500;

/// Removes the oldest half of the files if there are too many, including what killed programs have
/// left half written. Other programs may do so at the same time.
void prune(const fs::path& folder) {
    std::error_code error;
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    for (fs::directory_iterator e(folder, error), end; !error && e != end; e.increment(error)) {
        std::error_code gone;
        const fs::file_time_type time = e->last_write_time(gone);
        if (!gone) entries.emplace_back(time, e->path());
    }
    if (entries.size() <= kMaxEntries) return;
    std::sort(entries.begin(), entries.end());
    for (size_t i = 0; i < entries.size() / 2; ++i) fs::remove(entries[i].second, error);
}

}  // namespace

fs::path KernelCache::defaultFolder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
        return fs::path(cache) / "rayscope" / "kernels";
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        return fs::path(home) / ".cache" / "rayscope" / "kernels";
    }
    return {};
}

fs::path KernelCache::pathOf(const std::string& key) const {
    return folder_ / fmt::format("{:016x}.kernel", fnv1a(key));
}

std::optional<CompiledKernel> KernelCache::load(const std::string& key) const {
    if (folder_.empty()) return {};
    const auto file = readFile(pathOf(key).string(), kMaxEntryBytes);
    return file ? decodeEntry(*file, key) : std::nullopt;
}

void KernelCache::store(const std::string& key, const CompiledKernel& kernel) const {
    if (folder_.empty()) return;
    std::error_code error;
    fs::create_directories(folder_, error);
    const fs::path path = pathOf(key);
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return;
    // written whole or not at all, so that another process never reads half an entry
    static_cast<void>(writeTextFile(path.string(), encodeEntry(key, kernel)));
    prune(folder_);
}

std::string cacheKey(const KernelProgram& program, const CompilerInfo& info,
                     const std::vector<KernelSource>& sources) {
    std::string key = fmt::format("NVRTC {}.{}\n", info.major, info.minor);
    for (const KernelProgram::Kernel& kernel : program.kernels) key += kernel.name + "\n";
    for (const std::string& flag : program.flags) key += flag + "\n";
    for (const KernelSource& s : sources) {
        // two hashes with different starts, as good as one of twice the length
        key += fmt::format("{} {} {:016x} {:016x}\n", s.name, s.text.size(), fnv1a(s.text),
                           fnv1a(s.text, 0x9e3779b97f4a7c15ull));
    }
    return key;
}

namespace {

/// Whether it has the kernels of the program, in their order.
bool isOf(const KernelProgram& program, const CompiledKernel& compiled) {
    return std::equal(program.kernels.begin(), program.kernels.end(), compiled.functions.begin(),
                      compiled.functions.end(),
                      [](const KernelProgram::Kernel& kernel, const CompiledFunction& f) {
                          return f.stage == kernel.stage;
                      });
}

}  // namespace

Result<CompiledKernel> compileCached(const KernelCache& cache, const KernelProgram& program,
                                     const std::vector<KernelSource>& sources, const GoOn& goOn) {
    const Result<CompilerInfo> info = compilerInfo();
    if (!info) return info.failure();
    const std::string key = cacheKey(program, *info, sources);
    std::optional<CompiledKernel> found = cache.load(key);
    if (found && isOf(program, *found)) return *std::move(found);
    Result<CompiledKernel> compiled = needsIsolation(sources) ? compileApart(program, sources, goOn)
                                                              : compileProgram(program, sources);
    if (compiled) cache.store(key, *compiled);
    return compiled;
}

}  // namespace rayscope
