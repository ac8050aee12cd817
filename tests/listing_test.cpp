// What is read of PTX, SASS and a compiler's log. Needs neither GPU nor toolkit.

#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/code/compile_errors.h"
#include "renderer/code/instruction_mix.h"
#include "renderer/code/ptx.h"
#include "renderer/code/sass.h"

namespace rayscope {
namespace {

using Lines = std::vector<std::string>;

// PTX

const char* const kPtx = R"(.version 9.0
.target sm_90
.const .align 16 .b8 rayscopeScene[64];
.global .align 4 .u32 _ZN8rayscope5kWarpE = 32;
.global .align 4 .u32 shared = 1;
	.file	1 "renderer/core/path.h"

.weak .entry _Z3oneItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEvv(
	.param .u64 _Z3oneItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEvv_param_0
)
{
	.local .align 4 .b8 	__local_depot0[16];
	.reg .pred 	%p<3>;
	.reg .f32 	%f<5>;
	.loc	1 12 9
	ld.param.u64 	%rd1, [_Z3oneItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEvv_param_0];
	ld.global.v2.f32 	{%f1, %f2}, [%rd1];
	fma.rn.f32 	%f3, %f1, %f2, 0f3F800000;
	rsqrt.approx.ftz.f32 	%f4, %f3;
	setp.lt.f32 	%p1, %f4, 0f00000000;
	@%p1 bra 	$L__BB0_2;
	cvt.rn.f64.f32 	%fd1, %f4;
	add.f64 	%fd2, %fd1, %fd1;
$L__BB0_2:
	call.uni (retval0), 
	_Z4evenSceneViewItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEE, 
	(
	param0
	);
	st.shared.f32 	[%r1], %f4;
	ret;

}
.weak .entry _Z3twov()
{
	mov.u64 	%rd1, shared;
	ret;

}
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,78

	}
)";
const std::vector<KernelSymbol> kSymbols{
    {"_Z3oneItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEvv", "one"}, {"_Z3twov", "two"}};

bool has(const Lines& lines, const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(text) != std::string::npos;
    });
}

TEST(Ptx, KernelsAreApartAndNamesShort) {
    const Lines one = ptxOf(kPtx, kSymbols, 0), two = ptxOf(kPtx, kSymbols, 1);
    EXPECT_TRUE(has(one, ".weak .entry one("));
    EXPECT_TRUE(has(one, "[one_param_0]"));
    EXPECT_TRUE(has(one, ".local .align 4 .b8"));
    EXPECT_TRUE(has(one, "_Z4evenSceneViewIVEE, "));
    EXPECT_FALSE(has(one, ".entry two"));
    EXPECT_TRUE(has(two, ".weak .entry two()"));
    EXPECT_TRUE(has(two, ".u32 shared = 1;"));
    EXPECT_FALSE(has(two, "fma"));
    for (const Lines* lines : {&one, &two}) {
        EXPECT_TRUE(has(*lines, "rayscopeScene"));
        EXPECT_FALSE(has(*lines, "kWarp"));
        for (const char* forDebuggers : {".loc\t", ".file", "info_string", ".b8 95"})
            EXPECT_FALSE(has(*lines, forDebuggers)) << forDebuggers;
    }
}

TEST(Ptx, KeysForgetNumbersOfRegistersAndLabels) {
    EXPECT_EQ(ptxKey("\tadd.f32 \t%f12, %f3, 0f3F800000;"),
              ptxKey("\tadd.f32 \t%f1, %f30, 0f3F800000;"));
    EXPECT_EQ(ptxKey("\t@%p1 bra \t$L__BB0_2;"), ptxKey("\t@%p7 bra \t$L__BB0_46;"));
    EXPECT_EQ(ptxKey("\t.reg .pred \t%p<3>;"), ptxKey("\t.reg .pred \t%p<98>;"));
    EXPECT_NE(ptxKey("\tadd.f32 \t%f1, %f2, 0f3F800000;"),
              ptxKey("\tadd.f32 \t%f1, %f2, 0f40000000;"));
    EXPECT_NE(ptxKey("\tadd.f32 \t%f1, %f2;"), ptxKey("\tadd.f32 \t%r1, %f2;"));
    EXPECT_NE(ptxKey("\tld.global.f32 \t%f1, [%rd1+4];"),
              ptxKey("\tld.global.f32 \t%f1, [%rd1+8];"));
}

TEST(Ptx, MixCountsInstructions) {
    const InstructionMix mix = ptxMix(ptxOf(kPtx, kSymbols, 0));
    using enum InstructionKind;
    EXPECT_EQ(mix[fp32], 2);  // fma, setp
    EXPECT_EQ(mix[fp64], 1);
    EXPECT_EQ(mix[special], 1);
    EXPECT_EQ(mix[conversion], 1);
    EXPECT_EQ(mix[global], 1);
    EXPECT_EQ(mix[shared], 1);
    EXPECT_EQ(mix[constant], 1);  // ld.param
    EXPECT_EQ(mix[control], 3);   // bra, call, ret
    EXPECT_EQ(mix.total(), 11);
}

// SASS

/// As nvdisasm --print-code writes it.
const char* const kNvdisasm = R"sass(
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
	.elftype	@"ET_EXEC"


//--------------------- .text._Z3twov             --------------------------
	.section	.text._Z3twov,"ax",@progbits
	.align	128
        .global         _Z3twov
        .type           _Z3twov,@function
_Z3twov:
.text._Z3twov:
        /*0000*/                   EXIT ;
.L_x_9:
        /*0010*/                   BRA `(.L_x_9);
        /*0020*/                   NOP;
.L_x_10:


//--------------------- .text._Z3oneItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEvv ---------------
	.section	.text._Z3oneItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEvv,"ax",@progbits
	.align	128
_Z3oneItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEvv:
.text._Z3oneItlNS_7VariantEL3E2NS_6TraitsELj71ELi9ELj0EEEEvv:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   IMAD.MOV.U32 R4, RZ, RZ, 0x3f800000 ;
        /*0020*/                   ULDC.64 UR4, c[0x0][0x208] ;
        /*0030*/                   LDG.E.64 R2, desc[UR4][R2.64] ;
        /*0040*/                   BSSY B0, `(.L_x_0) ;
        /*0050*/                   FFMA.FTZ R0, R2.reuse, R3, R4 ;
        /*0060*/                   MUFU.RSQ R5, R0 ;
        /*0070*/                   FSETP.GEU.FTZ.AND P0, PT, R5, RZ, PT ;
        /*0080*/               @!P0 BRA `(.L_x_0) ;
        /*0090*/                   F2F.F64.F32 R6, R5 ;
        /*00a0*/                   DADD R6, R6, R6 ;
.L_x_0:
        /*00b0*/                   BSYNC B0 ;
        /*00c0*/                   STS [R4], R5 ;
        /*00d0*/                   STL [R1], R5 ;
        /*00e0*/                   IADD3 R0, P1, R0, UR4, RZ ;
        /*00f0*/                   EXIT ;
.L_x_1:
        /*0100*/                   BRA `(.L_x_1);
        /*0110*/                   NOP;
        /*0120*/                   NOP;
.L_x_2:
)sass";

/// As cuobjdump --dump-sass does.
const char* const kCuobjdump = R"sass(
	code for sm_90
		Function : _Z3twov
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   EXIT ;              /* 0x000000000000794d */
                                                       /* 0x000fea0003800000 */
        /*0010*/                   BRA 0x10;           /* 0xfffffffc00fc7947 */
                                                       /* 0x000fc0000383ffff */
        /*0020*/                   NOP;                /* 0x0000000000007918 */
                                                       /* 0x000fc00000000000 */
		..........
)sass";

TEST(Sass, LinesAreInstructionsAndLabels) {
    const Lines one = sassOf(kNvdisasm, kSymbols, 0);
    ASSERT_EQ(one.size(), 19u);
    EXPECT_EQ(one.front(), "0000  LDC R1, c[0x0][0x28]");
    EXPECT_EQ(one[8], "0080  @!P0 BRA `(.L_x_0)");
    EXPECT_EQ(one[11], ".L_x_0:");
    EXPECT_EQ(one.back(), "0100  BRA `(.L_x_1)");
    EXPECT_EQ(sassOf(kNvdisasm, kSymbols, 1),
              (Lines{"0000  EXIT", ".L_x_9:", "0010  BRA `(.L_x_9)"}));
    EXPECT_EQ(sassOf(kCuobjdump, kSymbols, 1), (Lines{"0000  EXIT", "0010  BRA 0x10"}));
    EXPECT_TRUE(sassOf("nvdisasm error   : Unrecognized operation\n", kSymbols, 0).empty());
}

TEST(Sass, KeysForgetAddressesRegistersAndHints) {
    const auto expectSame = [](const char* a, const char* b) { EXPECT_EQ(sassKey(a), sassKey(b)); };
    const auto expectOther = [](const char* a, const char* b) {
        EXPECT_NE(sassKey(a), sassKey(b));
    };
    expectSame("0050  FFMA.FTZ R0, R2.reuse, R3, R4", "1230  FFMA.FTZ R10, R2, R31, R4");
    expectSame("0080  @!P0 BRA `(.L_x_0)", "0090  @!P3 BRA 0x1240");
    expectSame("0040  BSSY B0, `(.L_x_0)", "0040  BSSY B7, `(.L_x_9)");
    expectSame(".L_x_0:", ".L_x_17:");
    expectOther("0000  FADD R1, R2, RZ", "0000  FADD R1, R2, R3");
    expectOther("0000  LDC R1, c[0x0][0x28]", "0000  LDC R1, c[0x0][0x2c]");
    expectOther("0000  @!P0 BRA `(.L_x_0)", "0000  @P0 BRA `(.L_x_0)");
}

TEST(Sass, MixCountsInstructions) {
    const InstructionMix mix = sassMix(sassOf(kNvdisasm, kSymbols, 0));
    using enum InstructionKind;
    EXPECT_EQ(mix[constant], 2);
    EXPECT_EQ(mix[move], 1);  // IMAD.MOV
    EXPECT_EQ(mix[global], 1);
    EXPECT_EQ(mix[fp32], 2);
    EXPECT_EQ(mix[special], 1);
    EXPECT_EQ(mix[conversion], 1);
    EXPECT_EQ(mix[fp64], 1);
    EXPECT_EQ(mix[shared], 1);
    EXPECT_EQ(mix[local], 1);
    EXPECT_EQ(mix[integer], 1);
    EXPECT_EQ(mix[control], 5);  // BSSY, BRA, BSYNC, EXIT, BRA
    EXPECT_EQ(mix[other], 0);
}

// Logs

TEST(CompileErrors, HaveFileLineAndMessage) {
    const std::string log =
        "renderer/core/path.h(3): error: expected an expression\n"
        "  int broken = ;\n               ^\n\n"
        "renderer/core/shade.h(12): warning #177-D: variable \"x\" was declared but never used\n"
        "renderer/core/a(b).h(40): error #20-D: identifier \"y\" is undefined\n"
        "megakernel.cu(1): catastrophic error: cannot open source file \"none.h\"\n"
        "2 errors detected in the compilation of \"renderer/cuda/kernels/megakernel.cu\".\n";
    const std::vector<CompileError> expected{
        {"renderer/core/path.h", 3, "expected an expression"},
        {"renderer/core/a(b).h", 40, "identifier \"y\" is undefined"},
        {"megakernel.cu", 1, "cannot open source file \"none.h\""}};
    EXPECT_EQ(errorsIn(log), expected);
    const std::string ofHost =
        "In file included from main.cpp:1:\n"
        "renderer/core/path.h: In function \u2018int f()\u2019:\n"
        "renderer/core/path.h:3:14: error: expected an expression\n"
        "   3 | int broken = ;\n     |              ^\n"
        "renderer/core/shade.h:12:5: warning: unused variable \u2018error: x\u2019 [-Wunused]\n"
        "renderer/core/a(b).h:40: error: identifier \"y\" is undefined\n"
        "megakernel.cu:1:10: fatal error: cannot open source file \"none.h\"\n"
        "compilation terminated.\n: error: nowhere\ncc1plus: error: no place\n";
    EXPECT_EQ(errorsIn(ofHost), expected);
    EXPECT_EQ(describe(expected[0]), "renderer/core/path.h:3: expected an expression");
    EXPECT_TRUE(errorsIn("ptxas info    : 0 bytes gmem\n").empty());
}

}  // namespace
}  // namespace rayscope
