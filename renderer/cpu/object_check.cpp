#include "renderer/cpu/object_check.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "renderer/base/text.h"
#include "renderer/cpu/apart_protocol.h"

namespace rayscope {

namespace {

constexpr const char* kDamaged = "its object is damaged";
constexpr const char* kRunsCode =
    "it has code that runs while it is loaded (a static initialiser?), which kernels may not have";

/// What the loader looks up and what harms nobody. All others may name files, or code.
constexpr std::array kHarmless{
    Elf64_Sxword{DT_HASH},       Elf64_Sxword{DT_GNU_HASH},  Elf64_Sxword{DT_STRTAB},
    Elf64_Sxword{DT_SYMTAB},     Elf64_Sxword{DT_STRSZ},     Elf64_Sxword{DT_SYMENT},
    Elf64_Sxword{DT_PLTGOT},     Elf64_Sxword{DT_PLTRELSZ},  Elf64_Sxword{DT_PLTREL},
    Elf64_Sxword{DT_JMPREL},     Elf64_Sxword{DT_RELA},      Elf64_Sxword{DT_RELASZ},
    Elf64_Sxword{DT_RELAENT},    Elf64_Sxword{DT_RELACOUNT}, Elf64_Sxword{DT_VERNEED},
    Elf64_Sxword{DT_VERNEEDNUM}, Elf64_Sxword{DT_VERSYM},    Elf64_Sxword{DT_FLAGS},
    Elf64_Sxword{DT_FLAGS_1},    Elf64_Sxword{DT_TEXTREL},   Elf64_Sxword{DT_SYMBOLIC},
    Elf64_Sxword{DT_NEEDED},     Elf64_Sxword{DT_SONAME}};
constexpr std::array kStarters{
    Elf64_Sxword{DT_INIT},          Elf64_Sxword{DT_INIT_ARRAY},      Elf64_Sxword{DT_INIT_ARRAYSZ},
    Elf64_Sxword{DT_PREINIT_ARRAY}, Elf64_Sxword{DT_PREINIT_ARRAYSZ}, Elf64_Sxword{DT_FINI},
    Elf64_Sxword{DT_FINI_ARRAY},    Elf64_Sxword{DT_FINI_ARRAYSZ}};
constexpr std::array<std::string_view, 3> kLibraries{"libm.so.6", "libc.so.6", "libmvec.so.1"};

/// A shared object in memory.
class Object {
public:
    explicit Object(std::string_view bytes) : bytes_(bytes) {}

    std::string problem() {
        const auto header = read<Elf64_Ehdr>(0);
        if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
            header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_type != ET_DYN ||
            header->e_phentsize != sizeof(Elf64_Phdr))
            return kDamaged;
        for (int i = 0; i < header->e_phnum; ++i) {
            const auto segment = read<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
            if (!segment || segment->p_type == PT_INTERP) return kDamaged;
            segments_.push_back(*segment);
        }
        readEntries();
        return problemOfEntries();
    }

private:
    template <class T>
    std::optional<T> read(std::size_t at) const {
        if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return {};
        T value;
        std::memcpy(&value, bytes_.data() + at, sizeof value);
        return value;
    }

    /// Where in the file the loader finds an address.
    std::size_t placeOf(std::size_t address) const {
        for (const Elf64_Phdr& s : segments_) {
            if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
                return address - s.p_vaddr + s.p_offset;
        }
        return bytes_.size();
    }

    void readEntries() {
        for (const Elf64_Phdr& s : segments_) {
            if (s.p_type != PT_DYNAMIC) continue;
            for (std::size_t at = placeOf(s.p_vaddr);; at += sizeof(Elf64_Dyn)) {
                const auto entry = read<Elf64_Dyn>(at);
                if (!entry || entry->d_tag == DT_NULL) break;
                entries_.push_back(*entry);
            }
        }
    }

    std::size_t valueOf(Elf64_Sxword tag) const {
        const auto found = std::ranges::find(entries_, tag, &Elf64_Dyn::d_tag);
        return found == entries_.end() ? 0 : found->d_un.d_val;
    }

    std::string_view nameAt(std::size_t at) const {
        const std::size_t begin = placeOf(valueOf(DT_STRTAB)) + at;
        if (begin >= bytes_.size()) return {};
        const std::string_view rest = bytes_.substr(begin, 256);
        return rest.substr(0, rest.find('\0'));
    }

    /// Whether a table of relocations calls code.
    bool calls(Elf64_Sxword table, Elf64_Sxword size) const {
        const std::size_t begin = placeOf(valueOf(table)), bytes = valueOf(size);
        for (std::size_t at = 0; at < bytes; at += sizeof(Elf64_Rela)) {
            const auto relocation = read<Elf64_Rela>(begin + at);
            if (!relocation) return true;
            const auto symbol = read<Elf64_Sym>(
                placeOf(valueOf(DT_SYMTAB)) + ELF64_R_SYM(relocation->r_info) * sizeof(Elf64_Sym));
            if (ELF64_R_TYPE(relocation->r_info) == R_X86_64_IRELATIVE) return true;
            if (!symbol || ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) return true;
        }
        return false;
    }

    /// What it has for itself when it is loaded, bytes.
    std::size_t writableBytes() const {
        std::size_t sum = 0;
        for (const Elf64_Phdr& s : segments_) {
            if (s.p_type == PT_LOAD && (s.p_flags & PF_W) != 0)
                sum += std::min<std::size_t>(s.p_memsz, std::size_t{1} << 40);
        }
        return sum;
    }

    std::string problemOfEntries() const {
        if (entries_.empty()) return kDamaged;
        if (writableBytes() > kOwnHeap)
            return fmt::format(
                "it has {} MB of variables, more than the {} MB that kernels have for themselves",
                writableBytes() >> 20, kOwnHeap >> 20);
        for (const Elf64_Dyn& entry : entries_) {
            // of two, the loader takes the other
            if (entry.d_tag != DT_NEEDED &&
                std::ranges::count(entries_, entry.d_tag, &Elf64_Dyn::d_tag) > 1)
                return fmt::format("its object has two entries of a kind ({})", entry.d_tag);
            if (std::ranges::find(kStarters, entry.d_tag) != kStarters.end()) return kRunsCode;
            if (std::ranges::find(kHarmless, entry.d_tag) == kHarmless.end())
                return fmt::format("its object has an entry of an unusual kind ({})", entry.d_tag);
            if (entry.d_tag != DT_NEEDED) continue;
            const std::string_view name = nameAt(entry.d_un.d_val);
            if (std::ranges::find(kLibraries, name) == kLibraries.end())
                return fmt::format("it needs a library, {}", printable(name));
        }
        const bool code = calls(DT_RELA, DT_RELASZ) || calls(DT_JMPREL, DT_PLTRELSZ);
        return code ? kRunsCode : "";
    }

    std::string_view bytes_;
    std::vector<Elf64_Phdr> segments_;
    std::vector<Elf64_Dyn> entries_;
};

}  // namespace

std::string problemOfObject(std::string_view object) {
    return Object(object).problem();
}

}  // namespace rayscope
