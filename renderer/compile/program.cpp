#include "renderer/compile/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "renderer/core/variant_members.h"

namespace rayscope {

namespace {

/// The value in C++: "decltype(rayscope::Variant::engine)(2)".
std::string valueOf(const char* member, auto value) {
    return fmt::format("decltype(rayscope::Variant::{})({})", member, static_cast<int>(value));
}

std::string valueOf(const char*, const Traits& t) {
    return fmt::format("rayscope::Traits{{{}u, {}, {}u}}", t.features, t.sphereCount, t.baked);
}

/// Adds the file and what it includes, as far as those are kernel sources.
void include(std::string_view name, const std::vector<KernelSource>& all,
             std::vector<KernelSource>& files) {
    const auto named = [&](const KernelSource& s) { return s.name == name; };
    const auto file = std::ranges::find_if(all, named);
    if (file == all.end() || std::ranges::any_of(files, named)) return;
    files.push_back(*file);
    constexpr std::string_view word = "#include \"";
    const std::string& text = file->text;
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
        at += word.size();
        include(std::string_view(text).substr(at, text.find('"', at) - at), all, files);
    }
}

}  // namespace

std::string variantExpression(const Variant& v) {
    std::string members;
    visitMembers([&](const char* name, auto member) {
        if (v.*member == Variant{}.*member) return;
        members +=
            fmt::format("{}.{} = {}", members.empty() ? "" : ", ", name, valueOf(name, v.*member));
    });
    return fmt::format("rayscope::Variant{{{}}}", members);
}

std::vector<KernelSource> sourcesOf(const KernelProgram& program,
                                    const std::vector<KernelSource>& all) {
    std::vector<KernelSource> files;
    include(program.source, all, files);
    return files;
}

int indexOf(const CompiledKernel& compiled, Stage stage) {
    const auto found = std::ranges::find(compiled.functions, stage, &CompiledFunction::stage);
    return found == compiled.functions.end()
               ? -1
               : static_cast<int>(found - compiled.functions.begin());
}

const char* nameOf(Stage stage) {
    static constexpr const char* kNames[kStages] = {
        "megakernel", "generate", "extend",        "shade", "primary",    "trace",
        "accumulate", "add sums", "ray keys",      "material keys", "sort", "accelerate",
        "move",       "potential", "place",        "lose",  "record"};
    return kNames[static_cast<int>(stage)];
}

}  // namespace rayscope
