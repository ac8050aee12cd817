#include "renderer/code/host_mix.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "renderer/code/words.h"

namespace rayscope {

namespace {

/// Mnemonics without the V of AVX that begin with one of the words. The first rule that has one
/// holds.
struct MnemonicRule {
    HostKind kind;
    std::string_view words;  ///< with a space before and after each; "=": the whole mnemonic
};

constexpr MnemonicRule kMnemonicRules[] = {
    {HostKind::other,
     " zeroupper zeroall endbr nop fnop ud2 hlt pause cpuid rdtsc prefetch "
     "lfence mfence sfence cld std ldmxcsr stmxcsr fldcw fnstcw xgetbv "},
    {HostKind::branch, " j loop "},
    {HostKind::call, " call ret leave "},
    {HostKind::gather, " gather scatter pgather pscatter "},
    {HostKind::division, " div idiv sqrt rsqrt rcp fdiv fidiv fsqrt "},
    {HostKind::mask,
     " kadd kand kmov knot kor kortest kshift ktest kunpck kxnor kxor movmsk pmovmsk "
     "pmovm2 pmovb2m pmovw2m pmovd2m pmovq2m "},
    {HostKind::conversion,
     " cvt round rndscale pmovsx pmovzx pmovqd pmovqw pmovqb pmovdw pmovdb pmovwb "
     "pmovsqd pmovsqw pmovsqb pmovsdw pmovsdb pmovswb pmovusqd pmovusqw "
     "pmovusqb pmovusdw pmovusdb pmovuswb "},
    {HostKind::move,
     " pshuf punpck pblend pbroadcast pinsr pextr palign perm pslldq psrldq pack "
     "pcompress pexpand shuf unpck blend broadcast insert extract align compress "
     "expand "},
    // moves: those to and from memory are loads and stores
    {HostKind::move,
     " mov lddqu maskmov pmaskmov cmov xchg =push =pop cbw cwde cdqe cwd cdq cqo fld fild "
     "fst fist fxch "},
    {HostKind::integers,
     " =add =sub =mul =imul mulx =inc =dec =neg =not =and =or =xor andn shl shr sal "
     "sar rol ror rcl rcr shld shrd =cmp cmpxchg xadd =test bt bs lzcnt tzcnt popcnt "
     "=adc =sbb adcx adox lea bextr bls bzhi pdep pext set crc32 andp orp xorp gf2p "
     "aes clmul =cmps scas stos lods "},
    {HostKind::integers, " p ternlog dbpsadbw "},
};

bool begins(std::string_view words, std::string_view mnemonic) {
    while (!words.empty()) {
        words = trimmed(words);
        const std::size_t end = std::min(words.find(' '), words.size());
        std::string_view word = words.substr(0, end);
        words.remove_prefix(end);
        if (word.empty()) break;
        if (word.front() == '=' ? mnemonic == word.substr(1) : mnemonic.starts_with(word))
            return true;
    }
    return false;
}

/// Without what stands before the mnemonic.
std::string_view withoutPrefixes(std::string_view text) {
    for (;;) {
        text = trimmed(text);
        const std::string_view word = text.substr(0, text.find(' '));
        constexpr std::string_view kPrefixes =
            " lock rep repz repe repnz repne bnd notrack data16 cs ds es ss fs gs xacquire "
            "xrelease "
            "addr32 rex rex.W ";
        const std::string framed = " " + std::string(word) + " ";
        if (word.size() == text.size() || kPrefixes.find(framed) == kPrefixes.npos) return text;
        text.remove_prefix(word.size());
    }
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

HostWidth registerWidth(std::string_view operands) {
    if (has(operands, "zmm") || has(operands, "ZMMWORD")) return HostWidth::bits512;
    if (has(operands, "ymm") || has(operands, "YMMWORD")) return HostWidth::bits256;
    if (has(operands, "xmm") || has(operands, "XMMWORD")) return HostWidth::bits128;
    return HostWidth::scalar;
}

bool endsWithOne(std::string_view mnemonic, std::string_view a, std::string_view b,
                 std::string_view c) {
    return mnemonic.ends_with(a) || mnemonic.ends_with(b) || mnemonic.ends_with(c);
}

/// It works on the lowest number of a register.
bool isScalar(std::string_view mnemonic) {
    if (mnemonic.starts_with("cvt"))
        return has(mnemonic, "ss") || has(mnemonic, "sd") || has(mnemonic, "si");
    if (mnemonic == "movd" || mnemonic == "movq") return true;
    // p: integers in vectors; the others name what they put into all of a register
    for (const std::string_view vector : {"p", "broadcast", "insert", "extract"}) {
        if (mnemonic.starts_with(vector)) return false;
    }
    return endsWithOne(mnemonic, "ss", "sd", "sh");
}

/// Loads and stores among moves: whether memory is the first operand or another.
HostKind moveKind(std::string_view mnemonic, std::string_view operands) {
    if (mnemonic == "push") return HostKind::store;
    if (mnemonic == "pop") return HostKind::load;
    const std::size_t bracket = operands.find('[');
    if (bracket == operands.npos) return HostKind::move;
    if (begins(" fst fist ", mnemonic)) return HostKind::store;
    return operands.find(',') < bracket || begins(" fld fild ", mnemonic) ? HostKind::load
                                                                          : HostKind::store;
}

bool readsWhole(std::string_view mnemonic) {
    return begins(" mov lddqu maskmov pmaskmov =push =pop broadcast pbroadcast fld fild fst fist ",
                  mnemonic);
}

}  // namespace

const char* nameOf(HostKind kind) {
    constexpr const char* names[kHostKinds] = {"FP arithmetic",   "division, root", "conversion",
                                               "integers, bits",  "load",           "store",
                                               "gather, scatter", "move, shuffle",  "mask",
                                               "branch",          "call, return",   "other"};
    return names[static_cast<std::size_t>(kind)];
}

const char* nameOf(HostWidth width) {
    constexpr const char* names[kHostWidths] = {"scalar", "128 bits", "256 bits", "512 bits"};
    return names[static_cast<std::size_t>(width)];
}

HostClass hostClass(std::string_view instruction) {
    const std::string_view text = withoutPrefixes(instruction);
    std::string_view mnemonic = operationOf(text);
    const std::string_view operands = trimmed(text.substr(std::min(mnemonic.size(), text.size())));
    if (mnemonic.starts_with('v') && !mnemonic.starts_with("ver")) mnemonic.remove_prefix(1);
    HostClass one;
    const bool address = mnemonic.starts_with("lea") && mnemonic != "leave";
    const bool pads = mnemonic.starts_with("nop") || mnemonic.starts_with("prefetch");
    one.memory =
        (has(operands, "[") && !address && !pads) || mnemonic == "push" || mnemonic == "pop";
    one.stack = one.memory && has(operands, "[rsp");
    const auto rule = std::ranges::find_if(
        kMnemonicRules, [&](const MnemonicRule& r) { return begins(r.words, mnemonic); });
    // "addps" begins with no word, and "comiss" with none either
    if (rule != std::end(kMnemonicRules))
        one.kind = rule->kind;
    else if (endsWithOne(mnemonic, "ps", "pd", "ph") || endsWithOne(mnemonic, "ss", "sd", "sh") ||
             (mnemonic.starts_with('f') && mnemonic != "femms"))
        one.kind = HostKind::floats;
    if (one.kind == HostKind::move && readsWhole(mnemonic)) one.kind = moveKind(mnemonic, operands);
    if (one.kind == HostKind::branch || one.kind == HostKind::call || one.kind == HostKind::other)
        return one;
    if (!isScalar(mnemonic)) one.width = registerWidth(operands);
    return one;
}

void HostMix::add(const HostClass& one) {
    ++count[static_cast<std::size_t>(one.kind)][static_cast<std::size_t>(one.width)];
    memory += one.memory;
    stack += one.stack;
}

HostMix& HostMix::operator+=(const HostMix& other) {
    for (std::size_t k = 0; k < kHostKinds; ++k) {
        for (std::size_t w = 0; w < kHostWidths; ++w) count[k][w] += other.count[k][w];
    }
    memory += other.memory;
    stack += other.stack;
    return *this;
}

int HostMix::of(HostKind kind) const {
    const auto& row = count[static_cast<std::size_t>(kind)];
    return std::accumulate(row.begin(), row.end(), 0);
}

int HostMix::of(HostWidth width) const {
    int sum = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(HostKind::branch); ++k)
        sum += count[k][static_cast<std::size_t>(width)];
    return sum;
}

int HostMix::total() const {
    int sum = 0;
    for (std::size_t k = 0; k < kHostKinds; ++k) sum += of(static_cast<HostKind>(k));
    return sum;
}

}  // namespace rayscope
