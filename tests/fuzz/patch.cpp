// Differences of kernel sources that a screenshot carries.

#include "renderer/code/patch.h"

#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

const std::vector<KernelSource>& files() {
    static const std::vector<KernelSource> all{
        {"core/a.h", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"},
        {"core/b.h", "no newline"},
        {"c.cu", ""},
        {kBakedSource, "baked\n"}};
    return all;
}

void read(std::string_view text) {
    const auto made = patched(files(), text);
    if (!made) return promiseSentence(made.reason());
    promise(made->size() == files().size(), "no file comes or goes");
    for (size_t i = 0; i < files().size(); ++i)
        promise((*made)[i].name == files()[i].name, "files keep their names");
    promise(made->back() == files().back(), "the baked scene is the program's");
    const auto again = patched(files(), patchOf(files(), *made));
    promise(again && *again == *made, "what a patch makes can be written as a patch");
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
