#include "tests/fuzz/promise.h"

#include <cstdio>
#include <cstdlib>

#include "renderer/base/text.h"

namespace rayscope {

void promise(bool kept, const char* what) {
    if (kept) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

void promiseSentence(const std::string& text) {
    constexpr std::size_t kLongest = 4000;
    promise(!text.empty() && text.size() <= kLongest, "a refusal is a sentence");
    promise(printable(text) == text, "a refusal is one printable line");
}

}  // namespace rayscope
