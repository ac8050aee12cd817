// Entries of the kernel cache: as they are, and with a checksum that is right, which an attacker
// can compute too.

#include "renderer/base/hash.h"
#include "renderer/compile/cache_entry.h"
#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

constexpr const char* kKey = "key";

void read(std::string_view entry) {
    const auto kernel = decodeEntry(entry, kKey);
    if (!kernel) return;
    promise(!kernel->functions.empty(), "a program has kernels");
    const auto again = decodeEntry(encodeEntry(kKey, *kernel), kKey);
    promise(again && again->code == kernel->code && again->log == kernel->log &&
                again->functions == kernel->functions,
            "an entry survives a round trip");
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rayscope;
    const std::string_view entry = textOf(data, size);
    read(entry);
    const std::uint64_t checksum = fnv1a(entry);
    std::string valid(entry);
    valid.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    read(valid);
    return 0;
}
