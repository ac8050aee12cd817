// What is read of the objects that a CPU's kernels are compiled into: functions, lines, assembly
// and its differences. Needs g++ and objdump; clang++ where it is installed.

#include "renderer/code/host_code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "renderer/backend/function_name.h"
#include "renderer/code/code_report.h"
#include "renderer/code/code_verdict.h"
#include "renderer/code/disassemble.h"
#include "renderer/code/line_diff.h"
#include "renderer/code/read_code.h"
#include "tests/host_compiler.h"

namespace rayscope {
namespace {

/// A kernel that inlines weight(), which inlines square(), and calls far(); lonely() is not called.
const char* const kProgram = R"(namespace shop {
inline float square(float x) {
    return x * x + 1.5f;
}
inline float weight(float x, float y) {
    return square(x) / y;
}
__attribute__((noinline)) float far(float x) {
    asm volatile("" : "+x"(x));
    return x + 4;
}
}
extern "C" float lonely(float x) { return x - 3; }
extern "C" float kernel(float x, float y) {
    const float w = shop::weight(x, y);
    return w - shop::far(w);
}
)";

/// "square@3 weight@6 kernel@15": the functions and lines through which an instruction came.
std::string wayOf(const LineTable& table, int place) {
    std::string way;
    for (; place >= 0; place = table.places[static_cast<std::size_t>(place)].caller) {
        const SourcePlace& p = table.places[static_cast<std::size_t>(place)];
        way += (way.empty() ? "" : " ") +
               functionName(table.functions[static_cast<std::size_t>(p.function)]) + "@" +
               std::to_string(p.line);
    }
    return way;
}

/// The ways of a function's instructions with this mnemonic.
std::vector<std::string> waysOf(const std::string& object, const std::string& symbol,
                                const std::string& mnemonic) {
    const auto text = disassemble(object);
    const auto read = readHostObject(object);
    const auto lines = readLineTable(object);
    std::vector<std::string> ways;
    if (!text || !read || !lines) return ways;
    for (const HostFunctionCode& function : hostFunctions(text->text, *read, symbol)) {
        for (const HostInstruction& one : function.instructions) {
            if (one.text.starts_with(mnemonic))
                ways.push_back(wayOf(*lines, lines->placeAt(function.symbol, one.address)));
        }
    }
    return ways;
}

struct Listed {
    std::vector<std::string> lines, keys;
    HostMix mix;
};
Listed listed(const std::string& object, const std::string& symbol) {
    const auto text = disassemble(object);
    const auto read = readHostObject(object);
    if (!text || !read) return {};
    const auto functions = hostFunctions(text->text, *read, symbol);
    Listed result{hostListing(functions, {}), {}, mixOf(functions)};
    for (const std::string& line : result.lines) result.keys.push_back(hostKey(line));
    return result;
}

/// Changed lines of two objects' kernels.
int changes(const std::string& a, const std::string& b) {
    const auto diff = diffLines(listed(a, "kernel").keys, listed(b, "kernel").keys);
    return static_cast<int>(std::ranges::count_if(
        diff, [](const DiffLine& line) { return line.kind != DiffKind::same; }));
}

using Words = std::vector<std::string>;

TEST(HostLines, TellInlinedCallsInBothVersionsOfDwarf) {
    for (const char* compiler : {"g++", "clang++"}) {
        if (findProgram(compiler, {}).empty()) continue;
        for (const char* version : {"-gdwarf-4", "-gdwarf-5"}) {
            SCOPED_TRACE(std::string(compiler) + version);
            const std::string object = compiledForHost(kProgram, {version}, compiler);
            EXPECT_EQ(waysOf(object, "kernel", "mulss"), Words{"square@3 weight@6 kernel@15"});
            EXPECT_EQ(waysOf(object, "kernel", "divss"), Words{"weight@6 kernel@15"});
            EXPECT_EQ(waysOf(object, "kernel", "subss"), Words{"kernel@16"});
            EXPECT_EQ(waysOf(object, "kernel", "call"), Words{"kernel@16"});
            EXPECT_EQ(waysOf(object, "lonely", "ret").size(), 1u);
        }
    }
}

TEST(HostLines, AreAsAddr2lineSays) {
    const std::string object = compiledForHost(kProgram);
    const auto read = readHostObject(object);
    const auto table = readLineTable(object);
    ASSERT_TRUE(read && table);
    const TemporaryFile file(object, ".so");
    for (const char* symbol : {"kernel", "lonely"}) {
        const HostFunction& function = *read->named(symbol);
        for (const HostFunctionCode& code :
             hostFunctions(disassemble(object)->text, *read, function.symbol)) {
            for (const HostInstruction& one : code.instructions) {
                const auto said = runProgram({findProgram("addr2line", {}), "-e", file.path(),
                                              fmt::format("{:#x}", one.address)},
                                             4096, {});
                ASSERT_TRUE(said);
                const int place = table->placeAt(code.symbol, one.address);
                ASSERT_GE(place, 0);
                const int line = table->places[static_cast<std::size_t>(place)].line;
                EXPECT_NE(said->text.find(":" + std::to_string(line)), std::string::npos)
                    << said->text << " at " << one.text;
            }
        }
    }
}

TEST(HostLines, AnyBytesAreRead) {
    EXPECT_FALSE(readHostLines(""));
    EXPECT_FALSE(readHostObject("no object"));
    const std::string object = compiledForHost(kProgram);
    ASSERT_FALSE(object.empty());
    std::mt19937 random(7);
    for (int i = 0; i < 400; ++i) {
        std::string damaged = object;
        if (i % 4 == 0) damaged.resize(random() % damaged.size());
        for (int k = 0; k < 20 && !damaged.empty(); ++k)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        const auto lines = readHostLines(damaged);
        EXPECT_TRUE(lines || !lines.reason().empty());
        (void)readHostKernels(damaged, {"kernel"});
    }
}

TEST(HostCode, ListsWhatTheKernelRuns) {
    // directly, and through the table of functions
    for (const char* visibility : {"-fvisibility=hidden", "-fvisibility=default"}) {
        const Listed kernel = listed(compiledForHost(kProgram, {visibility}), "kernel");
        ASSERT_FALSE(kernel.lines.empty());
        EXPECT_EQ(kernel.lines[0], "kernel:");
        EXPECT_EQ(std::ranges::count(kernel.lines, "far:"), 1);
        EXPECT_EQ(std::ranges::count(kernel.lines, "lonely:"), 0);
        const auto called = [](const std::string& line) { return line.ends_with("call far"); };
        EXPECT_TRUE(std::ranges::any_of(kernel.lines, called));
    }
}

TEST(HostCode, ListingsSayWhereInstructionsAreFrom) {
    const std::string object = compiledForHost(kProgram);
    const auto functions =
        hostFunctions(disassemble(object)->text, *readHostObject(object), "kernel");
    const auto lines = hostListing(functions, *readLineTable(object));
    const auto division = std::ranges::find_if(
        lines, [](const std::string& line) { return line.find("divss") != line.npos; });
    ASSERT_NE(division, lines.end());
    EXPECT_TRUE(division->ends_with(".cpp:6")) << *division;
    EXPECT_EQ(hostKey(*division), "divss xmm,xmm") << "the source line is no difference";
    int count = 0;
    for (const auto& [place, mix] : mixByPlace(functions, *readLineTable(object)))
        count += mix.total();
    EXPECT_EQ(count, mixOf(functions).total());
}

TEST(HostCode, MixIsCountedByKindAndWidth) {
    // asm is not checked against -march: g++ hands it on as it is
    const std::string object = compiledForHost(R"(asm(R"x(
        .text
        .globl kernel
        .type kernel, @function
    kernel:
        vmovups (%rdi), %ymm0
        vaddps %ymm0, %ymm0, %ymm1
        vfmadd231ps (%rsi), %ymm0, %ymm1
        vmulss %xmm0, %xmm0, %xmm2
        vsqrtps %zmm0, %zmm3
        divss %xmm0, %xmm1
        vpaddd %xmm0, %xmm0, %xmm0
        vgatherdps %ymm2, (%rdi,%ymm3,4), %ymm4
        vcmpps $1, %zmm0, %zmm1, %k1
        kortestw %k1, %k1
        cvttss2si %xmm0, %eax
        addl $1, %eax
        movq 8(%rsp), %rcx
        movl %eax, (%rdi)
        vshufps $0, %xmm0, %xmm0, %xmm0
        je 1f
        call kernel
    1:  ret
        .size kernel, .-kernel
    )x");)");
    const HostMix mix = listed(object, "kernel").mix;
    using enum HostKind;
    using enum HostWidth;
    EXPECT_EQ(mix.of(floats, bits256), 2) << "an addition and a multiply-add from memory";
    EXPECT_EQ(mix.of(floats, scalar), 1);
    EXPECT_EQ(mix.of(floats, bits512), 1) << "a comparison into a mask";
    EXPECT_EQ(mix.of(division, bits512), 1);
    EXPECT_EQ(mix.of(division, scalar), 1);
    EXPECT_EQ(mix.of(integers, bits128), 1);
    EXPECT_EQ(mix.of(integers, scalar), 1);
    EXPECT_EQ(mix.of(gather, bits256), 1);
    EXPECT_EQ(mix.of(mask), 1);
    EXPECT_EQ(mix.of(conversion, scalar), 1);
    EXPECT_EQ(mix.of(load, bits256), 1);
    EXPECT_EQ(mix.of(load, scalar), 1);
    EXPECT_EQ(mix.of(store, scalar), 1);
    EXPECT_EQ(mix.of(move, bits128), 1);
    EXPECT_EQ(mix.of(branch), 1);
    EXPECT_EQ(mix.of(call), 2);
    EXPECT_EQ(mix.total(), 18);
    EXPECT_EQ(mix.memory, 5) << "a load, an operand, a gather, a load and a store";
    EXPECT_EQ(mix.stack, 1);
    EXPECT_EQ(mix.of(bits512), 2);
}

TEST(HostCode, InstructionsThatLookLikeOthers) {
    using enum HostKind;
    using enum HostWidth;
    const auto is = [](const char* text, HostKind kind, HostWidth width = scalar) {
        const HostClass one = hostClass(text);
        EXPECT_EQ(one.kind, kind) << text << ": " << nameOf(one.kind);
        EXPECT_EQ(one.width, width) << text;
    };
    is("movss xmm0,DWORD PTR [rax+0x4]", load);
    is("movss DWORD PTR [rsp+0xc],xmm4", store);
    is("movaps xmm1,xmm2", move, bits128);
    is("vbroadcastss ymm0,DWORD PTR [rip+0x10]", load, bits256);
    is("vbroadcastss zmm0,xmm1", move, bits512);
    is("cmpss xmm0,xmm1,0x1", floats);
    is("cmp rax,rbx", integers);
    is("andps xmm0,xmm1", integers, bits128);
    is("and eax,0x1", integers);
    is("add DWORD PTR [rdi],0x1", integers);
    is("comiss xmm0,xmm1", floats);
    is("vpabsd xmm0,xmm1", integers, bits128);
    is("pmovmskb eax,xmm0", mask, bits128);
    is("vpmovzxbd ymm0,QWORD PTR [rax]", conversion, bits256);
    is("vpermps ymm0,ymm1,ymm2", move, bits256);
    is("pshufd xmm0,xmm1,0x0", move, bits128);
    is("cvtdq2ps xmm0,xmm1", conversion, bits128);
    is("cvtss2sd xmm0,xmm1", conversion);
    is("rsqrtss xmm0,xmm1", division);
    is("idiv ecx", division);
    is("lea rax,[rdi+rsi*4]", integers);
    is("leave", call);
    is("lock cmpxchg QWORD PTR [rdi],rdx", integers);
    is("rep stos QWORD PTR es:[rdi],rax", integers);
    is("nop WORD PTR cs:[rax+rax*1+0x0]", other);
    is("notrack jmp rax", branch);
    is("popcnt eax,ebx", integers);
    is("push rbx", store);
    is("vzeroupper", other);
    is("cdqe", move);
    is("vroundss xmm0,xmm0,xmm1,0x9", conversion);
    is("fdiv st,st(1)", division);
    is("", other);
    EXPECT_FALSE(hostClass("lea rax,[rsp+0x8]").memory);
    EXPECT_TRUE(hostClass("vaddps ymm0,ymm1,YMMWORD PTR [rsp+0x20]").stack);
}

TEST(HostCode, AddressesAndRegistersAreNoDifferences) {
    const std::string program = kProgram;
    const std::string before = "extern \"C\" int other(int x) { return x * 3 + 1; }\n" + program;
    std::string changed = program;
    changed.replace(changed.find("x + 4"), 5, "x * x");
    const std::string a = compiledForHost(program);
    const std::string moved = compiledForHost(before, {"-falign-functions=256"});
    ASSERT_FALSE(a.empty() || moved.empty());
    EXPECT_NE(readHostObject(a)->named("kernel")->address,
              readHostObject(moved)->named("kernel")->address);
    EXPECT_EQ(changes(a, moved), 0);
    EXPECT_GE(changes(a, compiledForHost(changed)), 2) << "in the function that it calls";
    EXPECT_EQ(hostKey("1040  jne 1060"), hostKey("2080  jne 20f0   ; path.h:3"));
    EXPECT_EQ(hostKey("10  vaddps ymm1,ymm2,ymm13"), hostKey("20  vaddps ymm0,ymm3,ymm4"));
    EXPECT_NE(hostKey("10  vaddps ymm1,ymm2,ymm3"), hostKey("20  vaddps xmm0,xmm3,xmm4"));
    EXPECT_EQ(hostKey("10  mov r12d,DWORD PTR [rsp+0x40]"), "mov r32,DWORD PTR [rsp]");
    EXPECT_EQ(hostKey("10  movss xmm0,DWORD PTR [rip+0xedf]"), "movss xmm,DWORD PTR [rip]");
    EXPECT_NE(hostKey("10  mov eax,DWORD PTR [rdi+0x8]"),
              hostKey("10  mov eax,DWORD PTR [rdi+0x4]"));
    EXPECT_EQ(hostKey("10  call scatter"), "call scatter");
    EXPECT_NE(hostKey("10  call scatter"), hostKey("10  call miss"));
}

TEST(HostCode, EqualObjectsHaveEqualDigests) {
    const std::string object = compiledForHost(kProgram);
    const auto code = hostKernelCode(object, "g++", {{"kernel", "kernel"}, {"other", "lonely"}});
    ASSERT_TRUE(code) << code.reason();
    EXPECT_TRUE(code->host());
    EXPECT_EQ(targetOf(*code), "x86-64");
    EXPECT_GT(code->kernels[0].code.codeBytes, 0);
    EXPECT_NE(code->kernels[0].code.digest, code->kernels[1].code.digest);
    // names of files do not count
    const auto again =
        hostKernelCode(compiledForHost(kProgram, {"-fdebug-prefix-map=/tmp=/elsewhere"}), "g++",
                       {{"kernel", "kernel"}});
    const auto other =
        hostKernelCode(compiledForHost(kProgram, {"-O0"}), "g++", {{"kernel", "kernel"}});
    ASSERT_TRUE(again && other);
    EXPECT_EQ(code->kernels[0].code.digest, again->kernels[0].code.digest);
    EXPECT_NE(code->kernels[0].code.digest, other->kernels[0].code.digest);
    EXPECT_EQ(compareCode({}, *again, {}, *again).relation, CodeRelation::noise);
    EXPECT_EQ(compareCode({}, *again, {}, *other).relation, CodeRelation::different);
    EXPECT_FALSE(hostKernelCode(object, "g++", {{"kernel", "missing"}}));
}

TEST(HostCode, ReportsAreThoseOfAGpuInOtherWords) {
    std::string changed = kProgram;
    changed.replace(changed.find("x + 4"), 5, "x * x");
    const auto read = [](const std::string& program) {
        ReadCode code = readMachineCode(
            *hostKernelCode(compiledForHost(program), "g++ 12", {{"megakernel", "kernel"}}));
        code.wish.scene = Scene{};
        return code;
    };
    const ReadCode a = read(kProgram), b = read(changed);
    ASSERT_EQ(a.sass.size(), 1u) << a.noSass;
    const std::string table = tableOf(a);
    EXPECT_NE(table.find("x86-64  g++ 12"), std::string::npos) << table;
    EXPECT_NE(table.find("instructions of assembly (objdump)"), std::string::npos) << table;
    EXPECT_NE(table.find("division, root, scalar"), std::string::npos) << table;
    const std::string diff = unifiedDiff(a, b, CodeForm::sass, "");
    EXPECT_NE(diff.find("\n-"), std::string::npos) << diff;
    EXPECT_NE(diff.find("mulss"), std::string::npos) << diff;
    EXPECT_EQ(unifiedDiff(a, a, CodeForm::sass, ""), "");
    const nlohmann::json json = toJson(a);
    const nlohmann::json& kernel = json["kernels"][0];
    EXPECT_EQ(kernel["assembly_mix"]["division, root"]["scalar"], 1);
    EXPECT_EQ(kernel["instructions"], a.sass[0].hostMix.total());
    EXPECT_FALSE(kernel.contains("ptx_mix"));
    EXPECT_NE(tableOf(a, b, compareCode({}, a.code, {}, b.code)).find("machine code differs"),
              std::string::npos);
}

TEST(HostCode, SaysWhichPackageHasObjdump) {
    const std::string object = compiledForHost(kProgram), path = std::getenv("PATH");
    setenv("PATH", "", 1);
    const auto none = disassemble(object);
    setenv("PATH", path.c_str(), 1);
    ASSERT_FALSE(none);
    EXPECT_NE(none.reason().find("binutils"), std::string::npos);
    const auto stopped = disassemble(object, [] { return false; });
    EXPECT_TRUE(stopped || stopped.reason().find("stopped") != std::string::npos);
}

}  // namespace
}  // namespace rayscope
