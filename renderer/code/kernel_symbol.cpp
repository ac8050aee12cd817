#include "renderer/code/kernel_symbol.h"

#include <algorithm>

namespace rayscope {

namespace {

/// Replaces the values of template parameters of type Variant, of about 500 characters each.
std::string withoutVariant(std::string_view word) {
    constexpr std::string_view begin = "tlNS_7VariantE", last = "NS_6TraitsE";
    std::string text(word);
    for (size_t at = 0; (at = text.find(begin, at)) != std::string::npos; ++at) {
        size_t end = text.find(last, at);
        end = end == std::string::npos ? end : text.find("EE", end + last.size());
        if (end == std::string::npos) return text;
        // the last number, the traits and the variant end here, with an E each
        text.replace(at, std::min(end + 3, text.size()) - at, "V");
    }
    return text;
}

}  // namespace

std::string shortName(std::string_view word, const std::vector<KernelSymbol>& kernels) {
    for (const KernelSymbol& kernel : kernels) {
        const size_t at = word.find(kernel.symbol);
        if (at == word.npos) continue;
        return std::string(word.substr(0, at)) + kernel.name +
               std::string(word.substr(at + kernel.symbol.size()));
    }
    return withoutVariant(word);
}

}  // namespace rayscope
