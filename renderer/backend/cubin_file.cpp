#include "renderer/backend/cubin_file.h"

#include <elf.h>

#include <algorithm>

namespace rayscope {

static std::optional<std::string_view> bytesOf(std::string_view bytes, const Elf64_Shdr& header) {
    if (header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL) return std::string_view();
    return sliceOf(bytes, header.sh_offset, header.sh_size);
}

std::optional<std::string_view> sliceOf(std::string_view bytes, std::uint64_t offset,
                                        std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return {};
    return bytes.substr(offset, size);
}

std::optional<std::string_view> textAt(std::string_view table, std::uint64_t offset) {
    if (offset >= table.size()) return {};
    const std::size_t end = table.find('\0', offset);
    if (end == table.npos) return {};
    return table.substr(offset, end - offset);
}

static std::optional<Elf64_Ehdr> headOf(std::string_view bytes, unsigned machine) {
    const auto head = readAt<Elf64_Ehdr>(bytes, 0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
        head->e_machine != machine)
        return {};
    return head;
}

static std::optional<std::vector<CubinSection>> sectionsOf(std::string_view bytes,
                                                           unsigned machine) {
    const auto head = headOf(bytes, machine);
    if (!head || head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shstrndx >= head->e_shnum)
        return {};
    const auto table =
        sliceOf(bytes, head->e_shoff, std::uint64_t{head->e_shnum} * sizeof(Elf64_Shdr));
    if (!table) return {};
    const auto headerOf = [&](std::uint64_t i) {
        return *readAt<Elf64_Shdr>(*table, i * sizeof(Elf64_Shdr));
    };
    const auto names = bytesOf(bytes, headerOf(head->e_shstrndx));
    if (!names) return {};
    std::vector<CubinSection> sections;
    for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
        const Elf64_Shdr header = headerOf(i);
        const auto name = textAt(*names, header.sh_name);
        const auto content = bytesOf(bytes, header);
        if (!name || !content) return {};
        sections.push_back({*name, *content, header.sh_size, header.sh_addr});
    }
    return sections;
}

std::optional<std::vector<CubinSection>> cubinSections(std::string_view bytes) {
    return sectionsOf(bytes, EM_CUDA);
}

std::optional<std::vector<CubinSection>> hostSections(std::string_view bytes) {
    return sectionsOf(bytes, EM_X86_64);
}

bool isHostObject(std::string_view bytes) {
    return headOf(bytes, EM_X86_64).has_value();
}

std::optional<std::string_view> contentOf(const std::vector<CubinSection>& sections,
                                          std::string_view name) {
    const auto found = std::ranges::find(sections, name, &CubinSection::name);
    if (found == sections.end()) return {};
    return found->content;
}

}  // namespace rayscope
