#include "renderer/code/code_verdict.h"

#include <fmt/format.h>

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

/// A's settings, launched as B is.
Settings withLaunchOf(const Settings& a, const Settings& b) {
    Settings result = b;
    for (const Axis& axis : axes()) {
        if (axis.reader != Reader::launch) axis.set(result, axis.get(a));
    }
    return canonical(result);
}

/// The kernels that differ, "extend, shade"; empty if none does.
std::string differing(const KernelCode& a, const KernelCode& b) {
    if (a.kernels.size() != b.kernels.size()) return "other kernels";
    std::string names;
    for (size_t i = 0; i < a.kernels.size(); ++i) {
        const KernelFacts &mine = a.kernels[i], &other = b.kernels[i];
        if (mine.name != other.name) return "other kernels";
        const bool same = mine.code == other.code && mine.registers == other.registers &&
                          mine.stackBytes == other.stackBytes;
        if (!same) names += fmt::format("{}{}", names.empty() ? "" : ", ", mine.name);
    }
    return names;
}

}  // namespace

const char* nameOf(CodeRelation relation) {
    constexpr const char* names[] = {"unknown", "different", "same code", "noise"};
    return names[static_cast<size_t>(relation)];
}

CodeVerdict compareCode(const Settings& a, const KernelCode& codeOfA, const Settings& b,
                        const KernelCode& codeOfB) {
    const bool gpu = !codeOfA.host() && !codeOfB.host();
    if (gpu && (a.variant.code == Code::ptx || b.variant.code == Code::ptx)) {
        return {CodeRelation::unknown,
                "the driver makes the machine code of code=ptx: whether it is identical is not "
                "known"};
    }
    if (const std::string names = differing(codeOfA, codeOfB); !names.empty())
        return {CodeRelation::different, fmt::format("machine code differs: {}", names)};
    const Settings same = withLaunchOf(a, b), own = canonical(a);
    Settings sameSources = b;
    sameSources.source = a.source;
    const bool apart =
        a.backend == Backend::cpu && (a.source == kBuiltIn) != (b.source == kBuiltIn);
    if (apart && withLaunchOf(a, sameSources) == own)
        return {CodeRelation::noise,
                "machine code identical: any difference is noise, or due to the process in which "
                "edited kernels run"};
    if (same == own)
        return {CodeRelation::noise, "machine code identical: any difference is noise"};
    std::string what = difference(own, same);
    if (own.seed != same.seed) what += fmt::format("{}seed={}", what.empty() ? "" : " ", same.seed);
    return {CodeRelation::sameCode,
            fmt::format("machine code identical: only the launch differs ({})", what)};
}

CodeVerdict compareCode(const Settings& a, const Settings& b, const Scene& scene, int architecture,
                        Compiling compiling) {
    if (a.backend != b.backend) return {};
    const auto codeOfA = kernelCode({a, scene, architecture}, compiling);
    const auto codeOfB = kernelCode({b, scene, architecture}, compiling);
    if (!codeOfA || !codeOfB) return {};
    return compareCode(a, *codeOfA, b, *codeOfB);
}

}  // namespace rayscope
