// PTX that counts its blocks, and the blocks of machine code.

#include "renderer/code/counting_twin.h"

#include <gtest/gtest.h>

#include <random>

#include "renderer/code/machine_blocks.h"
#include "renderer/code/words.h"

namespace rayscope {
namespace {

// --- Blocks of PTX -----------------------------------------------------------------------------

/// A function, and two kernels, of which one calls it.
constexpr std::string_view kByHand = R"(.version 9.0
.target sm_90
.address_size 64

.const .align 16 .b8 table[16];
.func (.param .b32 out) twice (.param .b32 in);
.func (.param .b32 out) twice (.param .b32 in)
{
	.reg .b32 %r<3>;
	.loc 2 7 1
	ld.param.u32 %r1, [in];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [out], %r2;
	ret;
}
.visible .entry loops(
	.param .u64 loops_param_0
)
.maxntid 128, 1, 1
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.loc 1 10 3
	mov.u32 %r1, 0;
	{ // callseq 0, 0
	.param .b32 param0;
	st.param.b32 [param0], %r1;
	.loc 1 11 3
	.param .b32 retval0;
	call.uni (retval0),
	twice,
	(
	param0
	);
	ld.param.b32 %r3, [retval0];
	} // callseq 0
$L__BB0_1:
	.pragma "nounroll";
	.loc 1 12 3
	.loc 2 30 5, function_name $L__info_string0, inlined_at 1 12 3
	add.s32 %r1, %r1, 1;
	setp.lt.s32 %p1, %r1, 7;
	@%p1 bra $L__BB0_1;
	.loc 1 13 3
	mov.u32 %r4, %r1;
	$L_list: .branchtargets
	$L__BB0_2,
	$L__BB0_3;
	brx.idx %r4, $L_list;
$L__BB0_2:
	.loc 1 0 3
	mov.u32 %r5, 1; bra.uni $L__BB0_3;
$L__BB0_3:
	@%p1 exit;
	ret;
}
.visible .entry another()
{
	ret;
}
	.file	1 "a.cu"
	.file	2 "/home/me/b.h"
)";

TEST(CountingTwin, BlocksBeginAtLabelsAndBehindBranches) {
    const auto twin = countingTwin(kByHand, {"b.h"});
    ASSERT_TRUE(twin) << twin.reason();
    EXPECT_EQ(twin->blocks, 8);
    ASSERT_EQ(twin->kernels.size(), 3u);
    using Blocks = std::map<InlinedLine, std::map<int, int>>;
    const InlinedLine ten{{"a.cu", 10}}, eleven{{"a.cu", 11}}, thirteen{{"a.cu", 13}};
    const InlinedLine inlined{{"b.h", 30}, {"a.cu", 12}};
    EXPECT_EQ(twin->kernels.at("").blocks, (Blocks{{{{"b.h", 7}}, {{0, 4}}}}));
    EXPECT_EQ(twin->kernels.at("loops").blocks,
              (Blocks{{ten, {{1, 2}}},
                      {eleven, {{1, 2}}},
                      {inlined, {{2, 3}}},
                      {thirteen, {{3, 2}, {4, 2}, {5, 1}, {6, 1}}}}));
    EXPECT_EQ(twin->kernels.at("loops").calls, (std::set<InlinedLine>{eleven}));
    EXPECT_TRUE(twin->kernels.at("another").blocks.empty()) << "it has no lines";
}

TEST(CountingTwin, NothingElseChanges) {
    const auto twin = countingTwin(kByHand, {"b.h"});
    ASSERT_TRUE(twin);
    std::string rest;
    for (const std::string_view line : linesOf(twin->ptx)) {
        if (line.find("rayscope") == line.npos) rest += line;
    }
    std::string before;
    for (const std::string_view line : linesOf(kByHand)) before += line;
    const auto squeezed = [](std::string text) {
        std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
        return text;
    };
    EXPECT_EQ(squeezed(rest), squeezed(before));
    EXPECT_NE(
        twin->ptx.find(".address_size 64\n.visible .global .align 8 .u64 rayscopeBlocks[16];"),
        std::string::npos);
}

TEST(CountingTwin, WhatIsNoProgramIsRefusedOrLeftAlone) {
    EXPECT_EQ(countingTwin("", {})->blocks, 0);
    EXPECT_EQ(countingTwin("no PTX\n", {})->ptx, "no PTX\n");
    const std::string text(kByHand);
    for (size_t size = 0; size < text.size(); ++size) {
        const auto twin = countingTwin(text.substr(0, size), {});
        EXPECT_LE(twin ? twin->blocks : 0, 8) << size;
    }
    EXPECT_FALSE(countingTwin(text.substr(0, text.find("callseq")), {}));
}

// --- Blocks of machine code --------------------------------------------------------------------

/// An instruction with such a word at its beginning.
std::string words(std::initializer_list<std::uint64_t> instructions) {
    std::string code;
    for (const std::uint64_t first : instructions) {
        const std::uint64_t both[2] = {first, 0x000fc00003800000};
        code.append(reinterpret_cast<const char*>(both), sizeof both);
    }
    return code;
}

constexpr std::uint64_t kPlain = 0x0000000102037221;

void expectBlocks(const std::string& code, const std::vector<int>& blocks) {
    const std::vector<MachineInstruction> all = machineInstructions(code);
    ASSERT_EQ(all.size(), blocks.size());
    for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].address, 16 * i);
        EXPECT_EQ(all[i].block, blocks[i]) << i;
    }
}

TEST(MachineBlocks, BranchesOfBothEncodings) {
    // ADD, BSSY to 5, ADD, @P0 BRA to 2, ADD, BSYNC, ADD, EXIT, BRA to itself, NOP
    expectBlocks(
        words({kPlain, 0x0000003000017945, kPlain, 0xffffffe000000947, kPlain, 0x0000000000017941,
               kPlain, 0x000000000000794d, 0xfffffff000007947, 0x0000000000007918}),
        {0, 0, 1, 1, 2, 3, 4, 4});
    expectBlocks(
        words({kPlain, 0x0000003000017945, kPlain, 0xfffffffc00f80947, kPlain, 0x0000000000017941,
               kPlain, 0x000000000000794d, 0xfffffffc00fc7947, 0x0000000000007918}),
        {0, 0, 1, 1, 2, 3, 4, 4});
}

TEST(MachineBlocks, FunctionsAreCalled) {
    // CALL.REL to 3, ADD, EXIT, ADD, RET, BRA to itself
    const auto all = machineInstructions(words({0x0000000000087944, kPlain, 0x000000000000794d,
                                                kPlain, 0xfffffffc02ec7950, 0xfffffffc00fc7947}));
    ASSERT_EQ(all.size(), 5u);
    EXPECT_EQ(all[0].calls, 48u);
    EXPECT_EQ(all[1].calls, 0u);
    EXPECT_TRUE(all[4].returns);
    EXPECT_EQ(all[3].block, 1) << "the called function begins there";
}

TEST(MachineBlocks, AnyBytesAreRead) {
    std::mt19937 random(1);
    for (size_t size = 0; size < 400; ++size) {
        std::string code(size, '\0');
        for (char& c : code) c = static_cast<char>(random());
        EXPECT_LE(machineInstructions(code).size(), size / 16);
    }
    EXPECT_TRUE(machineInstructions(words({0x0000000000007918})).empty());
}

}  // namespace
}  // namespace rayscope
