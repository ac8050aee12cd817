#include "renderer/compile/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <system_error>

#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/base/say.h"
#include "renderer/compile/cache_entry.h"

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// About 150 MB of kernels; the oldest half goes when there are more.
constexpr size_t kMaxEntries = 1000;

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

fs::path prebuiltFolder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) return {};
    const fs::path beside = program.parent_path();
    for (const fs::path& folder :
         {beside / "kernels", beside / "../kernels", beside / "../lib/rayscope/kernels",
          beside / "../lib/x86_64-linux-gnu/rayscope/kernels"}) {
        if (fs::is_regular_file(folder / kPrebuiltBy, error)) return folder;
    }
    return {};
}

const KernelCache& KernelCache::common() {
    static const KernelCache cache(defaultFolder(), prebuiltFolder());
    static const bool told = [] {
        const std::string problem = cache.problem();
        if (!problem.empty())
            complain(
                fmt::format("compiled kernels are neither kept nor taken from there: {}", problem));
        return true;
    }();
    static_cast<void>(told);
    return cache;
}

namespace {

std::string nameOf(const std::string& key) {
    return fmt::format("{:016x}.kernel", fnv1a(key));
}

std::optional<CompiledKernel> loadFrom(const fs::path& folder, const std::string& key) {
    if (folder.empty() || !whyUnsafe(folder).empty()) return {};
    const fs::path path = folder / nameOf(key);
    const auto file = readOwnFile(path.string(), kMaxEntryBytes);
    if (file) return decodeEntry(*file, key);
    static std::atomic<bool> told{false};
    if (const std::string unsafe = whyUnsafe(path); !unsafe.empty() && !told.exchange(true))
        complain(fmt::format("a compiled kernel is not used: {}", unsafe));
    return {};
}

}  // namespace

fs::path KernelCache::pathOf(const std::string& key) const {
    return folder_ / nameOf(key);
}

std::string KernelCache::problem() const {
    return folder_.empty() ? std::string() : whyUnsafe(folder_);
}

std::optional<CompiledKernel> KernelCache::load(const std::string& key) const {
    if (auto found = loadFrom(folder_, key)) return found;
    return loadFrom(prebuilt_, key);
}

void KernelCache::store(const std::string& key, const CompiledKernel& kernel) const {
    if (folder_.empty()) return;
    if (!makeOwnFolder(folder_)) return;
    std::error_code error;
    const fs::path path = pathOf(key);
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return;
    if (!whyUnsafe(path).empty()) fs::remove(path, error);
    // written whole or not at all, so that another process never reads half an entry
    static_cast<void>(
        writeTextFile(path.string(), encodeEntry(key, kernel), Existing::replaced, Privacy::own));
    prune(folder_);
}

Result<std::string> cacheKey(const KernelProgram& program,
                             const std::vector<KernelSource>& sources) {
    const Result<std::string> version = program.compiler->version();
    if (!version) return version.failure();
    std::string key = *version + "\n";
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

std::optional<CompiledKernel> loadCached(const KernelCache& cache, const KernelProgram& program,
                                         const std::vector<KernelSource>& all) {
    const Result<std::string> key = cacheKey(program, sourcesOf(program, all));
    return key ? cache.load(*key) : std::nullopt;
}

Result<CompiledKernel> compileCached(const KernelCache& cache, const KernelProgram& program,
                                     const std::vector<KernelSource>& all, const GoOn& goOn) {
    const std::vector<KernelSource> sources = sourcesOf(program, all);
    if (sources.empty())
        return Failure{fmt::format("{} is not among the kernel sources", program.source)};
    const Result<std::string> key = cacheKey(program, sources);
    if (!key) return key.failure();
    std::optional<CompiledKernel> found = cache.load(*key);
    if (found && isOf(program, *found)) return *std::move(found);
    Result<CompiledKernel> compiled = program.compiler->compile(program, sources, goOn);
    if (compiled) cache.store(*key, *compiled);
    return compiled;
}

}  // namespace rayscope
