#include "renderer/backend/function_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace rayscope {

/// Up to the parameters, without the arguments of templates.
static std::string headOf(std::string_view signature) {
    std::string head;
    int depth = 0;
    for (const char c : signature) {
        if (c == '<') ++depth;
        if (depth == 0 && c == '(') break;
        if (depth == 0) head += c;
        if (c == '>') --depth;
    }
    return head;
}

std::string functionName(const std::string& mangled) {
    if (!mangled.starts_with("_Z")) return mangled;  // "w" would be a type
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
    if (status != 0 || !text) return mangled;
    // "decltype(auto) f(...)": what it returns is no function
    std::string_view signature = text.get();
    constexpr std::string_view kDeduced = "decltype(auto) ";
    if (signature.starts_with(kDeduced)) signature.remove_prefix(kDeduced.size());
    const std::string head = headOf(signature);
    const std::size_t colons = head.rfind("::"), space = head.rfind(' ');
    if (colons != head.npos && (space == head.npos || colons > space))
        return head.substr(colons + 2);
    return space == head.npos ? head : head.substr(space + 1);
}

}  // namespace rayscope
