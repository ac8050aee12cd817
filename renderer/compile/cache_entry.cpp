#include "renderer/compile/cache_entry.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "renderer/base/hash.h"

namespace rayscope {

namespace {

/// First bytes of an entry; the number is the version of the format.
constexpr std::string_view kMagic = "rayscope kernel 5\n";

/// A program has a handful of kernels, and a thread at most 512 KiB of local memory (CUDA C++
/// Programming Guide, technical specifications). Spills count each store and load, so more is
/// allowed here.
constexpr int kMaxFunctions = 64;
constexpr int kMaxThreadBytes = 16 << 20;

void append(std::string& bytes, std::string_view text) {
    const std::uint64_t size = text.size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes.append(text);
}

/// Takes the next piece of an entry; false if it is cut off.
bool take(std::string_view& bytes, std::string_view& text) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size) return false;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size > bytes.size()) return false;
    text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return true;
}

bool take(std::string_view& bytes, std::string& text) {
    std::string_view piece;
    if (!take(bytes, piece)) return false;
    text = piece;
    return true;
}

bool takeNumber(std::string_view& bytes, int minimum, int maximum, int& number) {
    std::string_view text;
    if (!take(bytes, text)) return false;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    return error == std::errc() && end == last && number >= minimum && number <= maximum;
}

bool takeFunction(std::string_view& bytes, CompiledFunction& f) {
    int stage = 0;
    if (!take(bytes, f.loweredName)) return false;
    if (!takeNumber(bytes, 0, kStages - 1, stage)) return false;
    f.stage = static_cast<Stage>(stage);
    for (int* field : {&f.registers, &f.spillBytes, &f.stackBytes, &f.frameBytes}) {
        if (!takeNumber(bytes, -1, kMaxThreadBytes, *field)) return false;
    }
    return true;
}

}  // namespace

std::string encodeEntry(const std::string& key, const CompiledKernel& k) {
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
    const std::uint64_t checksum = fnv1a(bytes);
    bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    return bytes;
}

std::optional<CompiledKernel> decodeEntry(std::string_view file, const std::string& key) {
    std::uint64_t checksum = 0;
    if (file.size() < kMagic.size() + sizeof checksum || !file.starts_with(kMagic)) return {};
    std::string_view bytes = file.substr(0, file.size() - sizeof checksum);
    std::memcpy(&checksum, file.data() + bytes.size(), sizeof checksum);
    if (fnv1a(bytes) != checksum) return {};
    bytes.remove_prefix(kMagic.size());
    CompiledKernel k;
    std::string_view madeOf;
    int functions = 0;
    if (!take(bytes, madeOf) || madeOf != key) return {};
    if (!take(bytes, k.code) || !take(bytes, k.log)) return {};
    if (!takeNumber(bytes, 1, kMaxFunctions, functions)) return {};
    k.functions.resize(static_cast<std::size_t>(functions));
    for (CompiledFunction& f : k.functions) {
        if (!takeFunction(bytes, f)) return {};
    }
    if (!bytes.empty()) return {};
    return k;
}

}  // namespace rayscope
