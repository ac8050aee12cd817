#include "renderer/code/instruction_mix.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "renderer/code/sass.h"
#include "renderer/code/words.h"

namespace rayscope {

namespace {

using Kind = InstructionKind;

struct Names {
    Kind kind;
    std::string_view words;  ///< with a space before and after each
};

/// By operation, up to its first dot.
constexpr Names kSass[] = {
    {Kind::fp32,
     " FADD FADD32I FCHK FFMA FFMA32I FMNMX FMNMX3 FMUL FMUL32I FSEL FSET FSETP FSWZADD "
     "FADD2 FFMA2 FMUL2 "},
    {Kind::fp64, " DADD DFMA DMNMX DMUL DSET DSETP "},
    {Kind::fp16, " HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 HMMA "},
    {Kind::integer,
     " BMSK BREV FLO IABS IADD IADD2 IADD3 IADD32I IDP IDP4A IMAD IMMA IMNMX IMUL IMUL32I ISCADD "
     "ISCADD32I ISETP ISET LEA LOP LOP3 LOP32I POPC SHF SHL SHR SGXT VABSDIFF VABSDIFF4 VIADD "
     "VIADDMNMX VIMNMX VIMNMX3 PLOP3 PSETP UBMSK UBREV UFLO UIADD3 UIMAD UIMNMX UISETP ULEA ULOP "
     "ULOP3 UPOPC USHF USHL USHR USGXT UPLOP3 UPSETP UVIADD UVIMNMX "},
    {Kind::special, " MUFU "},
    {Kind::conversion,
     " F2F F2FP F2I F2IP F2UI FRND I2F I2FP I2I I2IP I2UI UF2FP UF2F UI2F UI2FP "},
    {Kind::move,
     " CS2R CS2UR MOV MOV32I MOVM P2R PRMT R2P R2UR S2R S2UR SEL UMOV UP2UR UPRMT UR2UP "
     "USEL "},
    {Kind::warp, " CREDUX MATCH REDUX SHFL VOTE VOTEU WARPSYNC ELECT "},
    {Kind::global, " ATOM ATOMG CCTL LD LDG LDGSTS QSPC RED REDG ST STG "},
    {Kind::local, " LDL STL CCTLL "},
    {Kind::shared, " ATOMS LDS LDSM STS STSM "},
    {Kind::constant, " LDC LDCU ULDC "},
    {Kind::control,
     " ACQBULK BAR BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL DEPBAR ENDCOLLECTIVE ERRBAR EXIT "
     "JMP "
     "JMX JMXU KILL MEMBAR NANOSLEEP RET RPCMOV RTT SYNCS UCGABAR_ARV WARPARRIVE YIELD "},
};

constexpr Names kPtx[] = {
    {Kind::special, " cos ex2 lg2 rsqrt sin tanh "},
    {Kind::conversion, " cvt "},
    {Kind::move, " cvta mov prmt selp slct "},
    {Kind::warp, " activemask elect match redux shfl vote "},
    {Kind::control, " bar barrier bra brkpt brx call exit fence membar nanosleep ret trap "},
};

template <size_t N>
std::optional<Kind> lookUp(const Names (&table)[N], std::string_view word) {
    const std::string framed = " " + std::string(word) + " ";
    for (const Names& row : table) {
        if (row.words.find(framed) != row.words.npos) return row.kind;
    }
    return {};
}

std::string_view baseOf(std::string_view operation) {
    return operation.substr(0, operation.find('.'));
}

bool hasPart(std::string_view operation, std::string_view part) {
    for (size_t at = operation.find('.'); at != operation.npos; at = operation.find('.', at + 1)) {
        const std::string_view rest = operation.substr(at + 1);
        if (rest.substr(0, rest.find_first_of(".:")) == part) return true;
    }
    return false;
}

Kind sassKind(std::string_view operation) {
    // A multiply-add by one plus zero: the compiler's way to move data through an idle pipe.
    if (operation.starts_with("IMAD.MOV")) return Kind::move;
    return lookUp(kSass, baseOf(operation)).value_or(Kind::other);
}

/// The kind of ld, st, atom and red.
Kind memoryKind(std::string_view operation) {
    if (hasPart(operation, "param") || hasPart(operation, "const")) return Kind::constant;
    if (hasPart(operation, "local")) return Kind::local;
    return hasPart(operation, "shared") ? Kind::shared : Kind::global;
}

Kind ptxKind(std::string_view operation) {
    const std::string_view base = baseOf(operation);
    for (const std::string_view memory : {"ld", "ldu", "st", "atom", "red"}) {
        if (base == memory) return memoryKind(operation);
    }
    if (const auto kind = lookUp(kPtx, base)) return *kind;
    if (hasPart(operation, "approx")) return Kind::special;
    if (hasPart(operation, "f64")) return Kind::fp64;
    if (hasPart(operation, "f32")) return Kind::fp32;
    return hasPart(operation, "f16") || hasPart(operation, "f16x2") ? Kind::fp16 : Kind::integer;
}

/// False for directives, labels, braces, comments, and all lines of a call but its first.
bool isPtxInstruction(std::string_view line) {
    if (line.starts_with("call")) return true;
    return line.ends_with(';') && line.find_first_of(".{})/") != 0;
}

}  // namespace

const char* nameOf(InstructionKind kind) {
    constexpr const char* names[kInstructionKinds] = {
        "FP32",          "FP64",      "FP16",    "integer",       "special function",
        "conversion",    "move",      "warp",    "global memory", "local memory",
        "shared memory", "constants", "control", "other"};
    return names[static_cast<size_t>(kind)];
}

int InstructionMix::total() const {
    return std::accumulate(count.begin(), count.end(), 0);
}

InstructionMix sassMix(const std::vector<std::string>& lines) {
    InstructionMix mix;
    for (const std::string& line : lines) {
        const std::string_view instruction = instructionOf(line);
        if (!instruction.empty())
            ++mix.count[static_cast<size_t>(sassKind(operationOf(instruction)))];
    }
    return mix;
}

InstructionMix ptxMix(const std::vector<std::string>& lines) {
    InstructionMix mix;
    for (const std::string& line : lines) {
        const std::string_view text = trimmed(line);
        if (isPtxInstruction(text)) ++mix.count[static_cast<size_t>(ptxKind(operationOf(text)))];
    }
    return mix;
}

}  // namespace rayscope
