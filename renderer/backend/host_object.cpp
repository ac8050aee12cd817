#include "renderer/backend/host_object.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "renderer/base/hash.h"

namespace rayscope {

namespace {

constexpr const char* kNoObject = "the compiled kernel is no object for x86-64, or it is damaged";

std::vector<HostFunction> functionsOf(std::string_view symbols, std::string_view names) {
    std::vector<HostFunction> functions;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
        const auto symbol = *readAt<Elf64_Sym>(symbols, at);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_size == 0)
            continue;
        const auto name = textAt(names, symbol.st_name);
        if (name) functions.push_back({std::string(*name), symbol.st_value, symbol.st_size});
    }
    std::ranges::stable_sort(functions, {}, &HostFunction::address);
    const auto again = std::ranges::unique(functions, {}, &HostFunction::address);
    functions.erase(again.begin(), again.end());
    return functions;
}

bool startsWithOneOf(std::string_view name, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view w) { return name.starts_with(w); });
}

bool isCode(const CubinSection& section) {
    return startsWithOneOf(section.name, {".text"});
}
bool isData(const CubinSection& section) {
    return startsWithOneOf(section.name, {".rodata", ".data"}) && section.name != ".data.rel.ro";
}

}  // namespace

const HostFunction* HostObject::named(std::string_view symbol) const {
    const auto found = std::ranges::find(functions, symbol, &HostFunction::symbol);
    return found == functions.end() ? nullptr : &*found;
}

const HostFunction* HostObject::at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(functions, address, {}, &HostFunction::address);
    if (after == functions.begin()) return nullptr;
    const HostFunction& function = *std::prev(after);
    return address - function.address < function.size ? &function : nullptr;
}

Result<HostObject> readHostObject(std::string_view bytes) {
    auto sections = hostSections(bytes);
    if (!sections) return Failure{kNoObject};
    const auto symbols = contentOf(*sections, ".symtab"), names = contentOf(*sections, ".strtab");
    if (!symbols || !names) return Failure{"the compiled kernel has no symbols"};
    return HostObject{*std::move(sections), functionsOf(*symbols, *names)};
}

Result<std::vector<CubinKernel>> readHostKernels(std::string_view bytes,
                                                 const std::vector<std::string>& symbols) {
    const auto object = readHostObject(bytes);
    if (!object) return object.failure();
    CubinKernel all;
    all.instructions = -1;
    std::uint64_t digest = fnv1a("");
    for (const CubinSection& section : object->sections) {
        if (!isCode(section) && !isData(section)) continue;
        (isCode(section) ? all.codeBytes : all.constantBytes) += static_cast<int>(section.size);
        digest = fnv1a(section.content, digest);
    }
    std::vector<CubinKernel> kernels;
    for (const std::string& symbol : symbols) {
        const HostFunction* const function = object->named(symbol);
        if (function == nullptr)
            return Failure{fmt::format("the compiled kernel has no function {}", symbol)};
        CubinKernel& kernel = kernels.emplace_back(all);
        // where it begins tells the kernels of one object apart
        kernel.digest = fnv1a(fmt::format("{:x}", function->address), digest);
    }
    return kernels;
}

Result<KernelCode> hostKernelCode(std::string object, std::string compiler,
                                  const std::vector<std::pair<std::string, std::string>>& kernels) {
    KernelCode code;
    code.compiler = std::move(compiler);
    for (const auto& [name, symbol] : kernels) {
        KernelFacts& facts = code.kernels.emplace_back();
        facts.name = name;
        facts.symbol = symbol;
    }
    const auto read = readHostKernels(object, code.symbols());
    if (!read) return read.failure();
    for (std::size_t i = 0; i < read->size(); ++i) code.kernels[i].code = (*read)[i];
    code.cubin = std::move(object);
    return code;
}

}  // namespace rayscope
