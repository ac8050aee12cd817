#include "renderer/backend/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/backend/cubin_file.h"

namespace rayscope {

namespace {

constexpr std::size_t kInstructionBytes = 16;
/// The lowest twelve bits of an instruction are its operation. These two follow the end of the
/// code.
constexpr unsigned kOperation = 0xfff, kNop = 0x918, kBranch = 0x947;

/// FNV-1a (Fowler, Noll and Vo), 64 bit.
struct Digest {
    std::uint64_t value = 14695981039346656037ull;
    void add(std::string_view bytes) {
        for (const unsigned char c : bytes) value = (value ^ c) * 1099511628211ull;
    }
    void add(std::uint64_t number) { add({reinterpret_cast<const char*>(&number), sizeof number}); }
};

unsigned operationAt(std::string_view code, std::size_t instruction) {
    return *readAt<std::uint32_t>(code, instruction * kInstructionBytes) & kOperation;
}

/// Without the final branch to itself and the NOPs that pad the section.
int instructionsOf(std::string_view code) {
    std::size_t count = code.size() / kInstructionBytes;
    while (count > 0 && operationAt(code, count - 1) == kNop) --count;
    if (count > 1 && operationAt(code, count - 1) == kBranch) --count;
    return static_cast<int>(count);
}

/// The kernel that a section belongs to, by its name: ".text.NAME", ".nv.constant2.NAME" or
/// ".nv.shared.NAME". Empty: it belongs to all.
std::string_view ownerOf(std::string_view section, const std::vector<std::string>& kernels) {
    for (const std::string& kernel : kernels) {
        if (section.size() > kernel.size() && section.ends_with(kernel) &&
            section[section.size() - kernel.size() - 1] == '.')
            return kernel;
    }
    return {};
}

/// What the system reserves of each block's shared memory from compute capability 9.0 on; a
/// kernel's section includes it (CUDA C++ Programming Guide, "Shared Memory": 1 KB per block).
constexpr std::uint64_t kReservedShared = 1024;

bool isReserved(const CubinSection& section) {
    return section.name.starts_with(".nv.shared.reserved");
}

/// Bank 0 holds the launch's parameters, of which only the size is known. Bank 4 holds addresses of
/// global variables, which do not count.
void addConstants(const CubinSection& section, std::string_view bank, Digest& digest,
                  CubinKernel& kernel) {
    if (bank.starts_with(".nv.constant4")) return;
    digest.add(bank);
    digest.add(section.size);
    if (bank.starts_with(".nv.constant0")) return;
    digest.add(section.content);
    kernel.constantBytes += static_cast<int>(section.size);
}

/// The order of global variables, and so the gaps between them, depends on their names, which
/// contain the variant. So only how often each byte value occurs counts.
void addGlobals(const CubinSection& section, Digest& digest) {
    std::array<std::uint64_t, 256> count{};
    for (const unsigned char byte : section.content) ++count[byte];
    count[0] = 0;
    for (const std::uint64_t n : count) digest.add(n);
}

CubinKernel kernelOf(const std::vector<CubinSection>& sections, const std::string& name,
                     const std::vector<std::string>& kernels) {
    CubinKernel kernel;
    Digest digest;
    const bool reserved = std::any_of(sections.begin(), sections.end(), isReserved);
    for (const CubinSection& s : sections) {
        const std::string_view owner = ownerOf(s.name, kernels);
        if (!owner.empty() && owner != name) continue;
        // without the owner, whose name contains the variant
        const std::string_view kind = s.name.substr(0, s.name.size() - owner.size());
        if (kind.starts_with(".text.")) {
            digest.add(s.content);
            kernel.codeBytes += static_cast<int>(s.content.size());
            kernel.instructions += instructionsOf(s.content);
        } else if (kind.starts_with(".nv.constant")) {
            addConstants(s, kind, digest, kernel);
        } else if (kind.starts_with(".nv.shared.") && !isReserved(s)) {
            digest.add(s.size);
            const std::uint64_t systems = reserved ? std::min(s.size, kReservedShared) : 0;
            kernel.sharedBytes += static_cast<int>(s.size - systems);
        } else if (kind == ".nv.global.init") {
            addGlobals(s, digest);
        }
    }
    kernel.digest = digest.value;
    return kernel;
}

}  // namespace

Result<std::vector<CubinKernel>> readCubin(std::string_view bytes,
                                           const std::vector<std::string>& names) {
    const auto sections = cubinSections(bytes);
    if (!sections)
        return Failure{"the compiled kernel is no machine code for a GPU, or it is damaged"};
    std::vector<CubinKernel> kernels;
    for (const std::string& name : names) {
        const auto isCode = [&](const CubinSection& s) { return s.name == ".text." + name; };
        if (std::none_of(sections->begin(), sections->end(), isCode))
            return Failure{fmt::format("the machine code lacks the kernel {}", name)};
        kernels.push_back(kernelOf(*sections, name, names));
    }
    return kernels;
}

}  // namespace rayscope
