// The configuration, rayscope.json.

#include "app/config.h"

#include "tests/fuzz/promise.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rayscope;
    const auto config = configFrom(textOf(data, size), "rayscope.json");
    if (!config) promiseSentence(config.reason());
    return 0;
}
