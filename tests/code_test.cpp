// Machine code is read, and texts are compared. Needs neither GPU nor toolkit.

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "renderer/backend/cubin.h"
#include "renderer/code/line_diff.h"

namespace rayscope {
namespace {

using Lines = std::vector<std::string>;

// Machine code

struct MadeSection {
    std::string name, content;
    unsigned type = SHT_PROGBITS;
    std::uint64_t size = 0;  ///< of SHT_NOBITS
};

/// An ELF file of these sections, as NVRTC's are.
std::string elfOf(const std::vector<MadeSection>& sections) {
    std::string names(1, '\0'), bytes(sizeof(Elf64_Ehdr), '\0');
    std::vector<Elf64_Shdr> headers(1);
    for (const MadeSection& s : sections) {
        Elf64_Shdr h{};
        h.sh_name = static_cast<Elf64_Word>(names.size());
        h.sh_type = s.type;
        h.sh_offset = bytes.size();
        h.sh_size = s.type == SHT_NOBITS ? s.size : s.content.size();
        names += s.name + '\0';
        bytes += s.content;
        headers.push_back(h);
    }
    Elf64_Shdr table{};
    table.sh_type = SHT_STRTAB;
    table.sh_offset = bytes.size();
    table.sh_size = names.size();
    headers.push_back(table);
    bytes += names;
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_machine = EM_CUDA;
    head.e_shoff = bytes.size();
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<Elf64_Half>(headers.size());
    head.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    std::memcpy(bytes.data(), &head, sizeof head);
    bytes.append(reinterpret_cast<const char*>(headers.data()),
                 headers.size() * sizeof(Elf64_Shdr));
    return bytes;
}

std::string instruction(unsigned operation, char rest = 7) {
    std::string bytes(16, rest);
    const std::uint32_t low = 0x7000u | operation;
    std::memcpy(bytes.data(), &low, sizeof low);
    return bytes;
}

const std::string kAdd = instruction(0x221), kMultiply = instruction(0x220),
                  kExit = instruction(0x94d), kBranch = instruction(0x947),
                  kNop = instruction(0x918);

/// A program of the kernels "one" and "two".
std::vector<MadeSection> program() {
    return {{".text.one", kAdd + kMultiply + kExit + kBranch + kNop + kNop + kNop},
            {".text.two", kAdd + kExit},
            {".nv.constant0.one", std::string(528, '\0')},
            {".nv.constant2.one", "abcd"},
            {".nv.constant3", std::string(64, '\0')},
            {".nv.shared.two", {}, SHT_NOBITS, 2048},
            {".debug_line", "one"}};
}

std::vector<CubinKernel> kernelsOf(const std::vector<MadeSection>& sections,
                                   const Lines& names = {"one", "two"}) {
    const auto read = readCubin(elfOf(sections), names);
    EXPECT_TRUE(read) << read.reason();
    return read ? *read : std::vector<CubinKernel>(names.size());
}

TEST(Cubin, CountsWhatEachKernelHas) {
    const auto kernels = kernelsOf(program());
    EXPECT_EQ(kernels[0].codeBytes, 7 * 16);
    EXPECT_EQ(kernels[0].instructions, 3);
    EXPECT_EQ(kernels[0].constantBytes, 4 + 64);
    EXPECT_EQ(kernels[0].sharedBytes, 0);
    EXPECT_EQ(kernels[1].instructions, 2);
    EXPECT_EQ(kernels[1].constantBytes, 64);
    EXPECT_EQ(kernels[1].sharedBytes, 2048);
}

TEST(Cubin, DigestIsOfWhatIsDoneNotOfNames) {
    const auto before = kernelsOf(program());
    std::vector<MadeSection> renamed = program();
    for (MadeSection& s : renamed) {
        if (s.name.ends_with("one")) s.name += "_of_another_variant";
    }
    renamed.back().content = "other lines";
    EXPECT_EQ(kernelsOf(renamed, {"one_of_another_variant", "two"}), before);
    // Global variables are in the order of their names, with gaps.
    std::vector<MadeSection> globals = program(), other = program();
    globals.push_back({".nv.global.init", std::string("\1\0\0\0\2", 5)});
    other.push_back({".nv.global.init", std::string("\2\0\1\0\0\0\0", 7)});
    EXPECT_EQ(kernelsOf(globals), kernelsOf(other));
    EXPECT_NE(kernelsOf(globals)[0].digest, before[0].digest);
}

TEST(Cubin, DigestNoticesEveryChangeOfItsKernelAlone) {
    const auto before = kernelsOf(program());
    const auto expectOnlyOne = [&](const std::vector<MadeSection>& changed) {
        const auto now = kernelsOf(changed);
        EXPECT_NE(now[0].digest, before[0].digest);
        EXPECT_EQ(now[1].digest, before[1].digest);
    };
    std::vector<MadeSection> changed = program();
    changed[0].content[5] ^= 1;
    expectOnlyOne(changed);
    changed = program();
    changed[2].content += '\0';  // more parameters
    expectOnlyOne(changed);
    changed = program();
    changed[3].content = "abce";
    expectOnlyOne(changed);
    changed = program();
    changed.push_back({".nv.shared.one", {}, SHT_NOBITS, 16});
    expectOnlyOne(changed);
}

TEST(Cubin, MissingKernelAndForeignBytesAreSentences) {
    const auto missing = readCubin(elfOf(program()), {"three"});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.reason().find("three"), std::string::npos);
    for (const std::string& bytes : {std::string(),
                                     std::string("\x7f"
                                                 "ELF"),
                                     std::string(5000, 'x')})
        EXPECT_FALSE(readCubin(bytes, {"one"}));
}

/// Wherever the file is cut, and whatever byte is wrong, it is read within its bounds.
TEST(Cubin, DamageIsRefusedOrRead) {
    const std::string good = elfOf(program());
    for (size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(readCubin(good.substr(0, size), {"one"}));
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        // Exactly as large as the bytes, so that a sanitizer sees what is read beyond.
        std::vector<char> bytes(good.begin(), good.end());
        for (int n = 0; n < 3; ++n) bytes[random() % bytes.size()] = static_cast<char>(random());
        const auto read = readCubin({bytes.data(), bytes.size()}, {"one", "two"});
        if (read) {
            EXPECT_EQ(read->size(), 2u);
        }
    }
}

// Differences

/// The length of the longest common subsequence.
int common(const Lines& a, const Lines& b) {
    std::vector<std::vector<int>> t(a.size() + 1, std::vector<int>(b.size() + 1));
    for (size_t i = 0; i < a.size(); ++i) {
        for (size_t j = 0; j < b.size(); ++j)
            t[i + 1][j + 1] = a[i] == b[j] ? t[i][j] + 1 : std::max(t[i][j + 1], t[i + 1][j]);
    }
    return t[a.size()][b.size()];
}

/// Both sides are there, line by line in order; returns how many lines are the same.
int expectWhole(const std::vector<DiffLine>& diff, const Lines& a, const Lines& b) {
    int nextA = 0, nextB = 0, same = 0;
    for (const DiffLine& line : diff) {
        const bool ofA = line.kind != DiffKind::added, ofB = line.kind != DiffKind::removed;
        EXPECT_EQ(line.a, ofA ? nextA++ : -1);
        EXPECT_EQ(line.b, ofB ? nextB++ : -1);
        if (!ofA || !ofB) continue;
        EXPECT_EQ(a[static_cast<size_t>(line.a)], b[static_cast<size_t>(line.b)]);
        ++same;
    }
    EXPECT_EQ(static_cast<size_t>(nextA), a.size());
    EXPECT_EQ(static_cast<size_t>(nextB), b.size());
    return same;
}

TEST(LineDiff, IsWholeAndTheShortest) {
    std::mt19937 random(1);
    for (int i = 0; i < 5000; ++i) {
        const unsigned letters = 1 + random() % 4;
        Lines a(random() % 12), b(random() % 12);
        for (Lines* side : {&a, &b}) {
            for (std::string& line : *side) line = std::string(1, 'a' + random() % letters);
        }
        EXPECT_EQ(expectWhole(diffLines(a, b), a, b), common(a, b));
        if (HasFailure()) break;
    }
}

TEST(LineDiff, TextsWithNothingInCommonComeToAnEnd) {
    Lines a(9000), b(8000);
    for (size_t i = 0; i < a.size(); ++i) a[i] = "a" + std::to_string(i);
    for (size_t i = 0; i < b.size(); ++i) b[i] = "b" + std::to_string(i);
    EXPECT_EQ(expectWhole(diffLines(a, b), a, b), 0);
}

TEST(LineDiff, HunksJoinWhereTheirSurroundingsMeet) {
    Lines a(40);
    for (size_t i = 0; i < a.size(); ++i) a[i] = std::to_string(i);
    Lines b = a;
    b[10] = b[14] = b[30] = "x";
    const auto diff = diffLines(a, b);
    const auto hunks = hunksOf(diff, 3);
    ASSERT_EQ(hunks.size(), 2u);
    EXPECT_EQ(diff[hunks[0].begin].a, 7);
    EXPECT_EQ(diff[hunks[0].end - 1].a, 17);
    EXPECT_EQ(diff[10], (DiffLine{DiffKind::removed, 10, -1}));
    EXPECT_EQ(diff[11], (DiffLine{DiffKind::added, -1, 10}));
    EXPECT_TRUE(hunksOf(diffLines(a, a), 3).empty());
}

}  // namespace
}  // namespace rayscope
