#include "renderer/cuda/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace rayscope {

namespace {

namespace fs = std::filesystem;

/// First bytes of an entry; the number is the version of the format.
constexpr std::string_view kMagic = "rayscope kernel 2\n";

/// Cubins are some 150 KB; a larger file is not ours.
constexpr std::uintmax_t kMaxEntryBytes = 64u << 20;

/// About 75 MB of kernels; the oldest half goes when there are more.
constexpr size_t kMaxEntries = 500;

/// FNV-1a (Fowler, Noll and Vo), 64 bit.
std::uint64_t hash(std::string_view text, std::uint64_t start = 14695981039346656037ull) {
    std::uint64_t h = start;
    for (unsigned char c : text) h = (h ^ c) * 1099511628211ull;
    return h;
}

void append(std::string& bytes, std::string_view text) {
    const std::uint64_t size = text.size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes.append(text);
}

/// Takes the next piece of an entry; false where it does not fit.
bool take(std::string_view& bytes, std::string& text) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size) return false;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size > bytes.size()) return false;
    text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return true;
}

std::string encode(const std::string& key, const CompiledKernel& k) {
    std::string bytes(kMagic);
    append(bytes, key);
    append(bytes, k.code);
    append(bytes, k.log);
    append(bytes, std::to_string(k.functions.size()));
    for (const CompiledFunction& f : k.functions) {
        append(bytes, f.loweredName);
        for (int number :
             {static_cast<int>(f.stage), f.registers, f.spillBytes, f.stackBytes, f.frameBytes}) {
            append(bytes, std::to_string(number));
        }
    }
    const std::uint64_t checksum = hash(bytes);
    bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    return bytes;
}

std::optional<CompiledKernel> decode(const std::string& file, const std::string& key) {
    std::uint64_t checksum = 0;
    if (file.size() < kMagic.size() + sizeof checksum || !file.starts_with(kMagic)) return {};
    std::string_view bytes(file.data(), file.size() - sizeof checksum);
    std::memcpy(&checksum, file.data() + bytes.size(), sizeof checksum);
    if (hash(bytes) != checksum) return {};
    bytes.remove_prefix(kMagic.size());
    CompiledKernel k;
    std::string madeOf, number;
    if (!take(bytes, madeOf) || madeOf != key) return {};
    if (!take(bytes, k.code) || !take(bytes, k.log) || !take(bytes, number)) return {};
    for (int left = std::atoi(number.c_str()); left > 0; --left) {
        CompiledFunction f;
        int stage = 0;
        if (!take(bytes, f.loweredName)) return {};
        for (int* field : {&stage, &f.registers, &f.spillBytes, &f.stackBytes, &f.frameBytes}) {
            if (!take(bytes, number)) return {};
            *field = std::atoi(number.c_str());
        }
        f.stage = static_cast<Stage>(stage);
        k.functions.push_back(f);
    }
    return k;
}

/// Removes the oldest half of the entries where there are too many.
void prune(const fs::path& folder) {
    std::error_code error;
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    for (const fs::directory_entry& e : fs::directory_iterator(folder, error)) {
        if (e.path().extension() != ".kernel") continue;
        const fs::file_time_type time = e.last_write_time(error);
        if (!error) entries.emplace_back(time, e.path());
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
    return folder_ / fmt::format("{:016x}.kernel", hash(key));
}

std::optional<CompiledKernel> KernelCache::load(const std::string& key) const {
    if (folder_.empty()) return {};
    const fs::path path = pathOf(key);
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > kMaxEntryBytes) return {};
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return decode(bytes, key);
}

void KernelCache::store(const std::string& key, const CompiledKernel& kernel) const {
    if (folder_.empty()) return;
    std::error_code error;
    fs::create_directories(folder_, error);
    const fs::path path = pathOf(key);
    // written beside it and renamed, so that another process never reads half an entry
    const fs::path temporary = fs::path(path).concat(fmt::format(".{}", getpid()));
    std::ofstream file(temporary, std::ios::binary);
    file << encode(key, kernel);
    file.close();
    if (file) fs::rename(temporary, path, error);
    if (!file || error) fs::remove(temporary, error);
    prune(folder_);
}

std::string cacheKey(const Variant& variant, int architecture, const CompilerInfo& info,
                     const std::vector<KernelSource>& sources) {
    std::string key = fmt::format("NVRTC {}.{}\n", info.major, info.minor);
    for (Stage stage : stagesOf(variant)) key += nameExpression(variant, stage) + "\n";
    for (const std::string& flag : compileFlags(variant, architecture)) key += flag + "\n";
    for (const KernelSource& s : sources) {
        // two sums with different starts: as good as one of twice the length
        key += fmt::format("{} {} {:016x} {:016x}\n", s.name, s.text.size(), hash(s.text),
                           hash(s.text, 0x9e3779b97f4a7c15ull));
    }
    return key;
}

std::variant<CompiledKernel, std::string> compileCached(const KernelCache& cache,
                                                        const Variant& variant, int architecture,
                                                        const std::vector<KernelSource>& sources) {
    const std::variant<CompilerInfo, std::string> info = compilerInfo();
    if (const std::string* missing = std::get_if<std::string>(&info)) return *missing;
    const std::string key = cacheKey(variant, architecture, std::get<CompilerInfo>(info), sources);
    if (std::optional<CompiledKernel> found = cache.load(key)) return *found;
    std::variant<CompiledKernel, std::string> result = compile(variant, architecture, sources);
    if (const CompiledKernel* kernel = std::get_if<CompiledKernel>(&result))
        cache.store(key, *kernel);
    return result;
}

}  // namespace rayscope
