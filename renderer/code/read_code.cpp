#include "renderer/code/read_code.h"

#include <algorithm>
#include <utility>

#include "renderer/backend/host_object.h"
#include "renderer/code/disassemble.h"
#include "renderer/code/host_code.h"
#include "renderer/code/ptx.h"
#include "renderer/code/sass.h"

namespace rayscope {

namespace {

/// The kernels' symbols, and their names as identifiers.
std::vector<KernelSymbol> named(const KernelCode& code, const std::vector<std::string>& symbols) {
    std::vector<KernelSymbol> result;
    for (size_t i = 0; i < symbols.size(); ++i) {
        result.push_back({symbols[i], code.kernels[i].name});
        std::replace(result.back().name.begin(), result.back().name.end(), ' ', '_');
    }
    return result;
}

void addPtx(ReadCode& read) {
    const Result<KernelPtx> ptx = kernelPtx(read.wish);
    if (!ptx) {
        read.problem = ptx.reason();
        return;
    }
    const std::vector<KernelSymbol> kernels = named(read.code, ptx->symbols);
    for (size_t i = 0; i < kernels.size(); ++i) {
        Listing listing{ptxOf(ptx->text, kernels, i), {}, {}, {}};
        for (const std::string& line : listing.lines) listing.keys.push_back(ptxKey(line));
        listing.mix = ptxMix(listing.lines);
        read.ptx.push_back(std::move(listing));
    }
}

/// Of a CPU.
void addAssembly(ReadCode& read, const std::string& disassembly) {
    const Result<HostObject> object = readHostObject(read.code.cubin);
    if (!object) {
        read.noSass = object.reason();
        return;
    }
    const Result<LineTable> lines = readLineTable(read.code.cubin);
    for (KernelFacts& kernel : read.code.kernels) {
        const std::vector<HostFunctionCode> functions =
            hostFunctions(disassembly, *object, kernel.symbol);
        Listing& listing = read.sass.emplace_back();
        listing.lines = hostListing(functions, lines ? *lines : LineTable{});
        for (const std::string& line : listing.lines) listing.keys.push_back(hostKey(line));
        listing.hostMix = mixOf(functions);
        kernel.stackBytes = stackBytes(functions);
    }
}

void addSass(ReadCode& read, const std::function<bool()>& goOn) {
    const Result<Disassembly> sass = disassemble(read.code.cubin, goOn);
    if (!sass) {
        read.noSass = sass.reason();
        return;
    }
    read.tool = sass->tool;
    if (read.host()) return addAssembly(read, sass->text);
    const std::vector<KernelSymbol> kernels = named(read.code, read.code.symbols());
    for (size_t i = 0; i < kernels.size(); ++i) {
        Listing listing{sassOf(sass->text, kernels, i), {}, {}, {}};
        for (const std::string& line : listing.lines) listing.keys.push_back(sassKey(line));
        listing.mix = sassMix(listing.lines);
        read.sass.push_back(std::move(listing));
    }
}

const Listing* find(const ReadCode& read, const std::string& kernel, CodeForm form) {
    const std::vector<Listing>& listings = read.listings(form);
    for (size_t i = 0; i < listings.size(); ++i) {
        if (read.code.kernels[i].name == kernel) return &listings[i];
    }
    return nullptr;
}

/// The kinds that have no width.
bool isPlain(HostKind kind) {
    return kind == HostKind::branch || kind == HostKind::call || kind == HostKind::other;
}

}  // namespace

const char* nameOf(CodeForm form, bool host) {
    if (form == CodeForm::source) return "source";
    if (form == CodeForm::ptx) return "PTX";
    return host ? "assembly" : "SASS";
}

std::vector<MixRow> mixRows(const Listing& listing, bool host) {
    std::vector<MixRow> rows;
    if (!host) {
        for (size_t k = 0; k < kInstructionKinds; ++k) {
            const auto kind = static_cast<InstructionKind>(k);
            rows.push_back({nameOf(kind), listing.mix[kind]});
        }
        return rows;
    }
    const HostMix& mix = listing.hostMix;
    for (size_t k = 0; k < kHostKinds; ++k) {
        const auto kind = static_cast<HostKind>(k);
        if (isPlain(kind)) {
            rows.push_back({nameOf(kind), mix.of(kind)});
            continue;
        }
        for (size_t w = 0; w < kHostWidths; ++w) {
            const auto width = static_cast<HostWidth>(w);
            rows.push_back({std::string(nameOf(kind)) + ", " + nameOf(width), mix.of(kind, width)});
        }
    }
    rows.push_back({"of these with memory", mix.memory});
    rows.push_back({"of these on the stack", mix.stack});
    return rows;
}

std::string targetOf(const KernelCode& code) {
    return code.host() ? "x86-64" : "sm_" + std::to_string(code.architecture);
}

ReadCode readFacts(const CodeWish& wish) {
    ReadCode read;
    read.wish = wish;
    Result<KernelCode> code = kernelCode(wish);
    if (code)
        read.code = *std::move(code);
    else
        read.problem = code.reason();
    return read;
}

ReadCode readCode(const CodeWish& wish, const std::function<bool()>& goOn) {
    ReadCode read = readFacts(wish);
    read.files = kernelFiles(wish);
    if (read.problem.empty() && !read.host()) addPtx(read);
    if (read.problem.empty()) addSass(read, goOn);
    return read;
}

ReadCode readMachineCode(KernelCode code, const std::function<bool()>& goOn) {
    ReadCode read;
    read.code = std::move(code);
    addSass(read, goOn);
    return read;
}

KernelDiff diffKernel(const ReadCode& a, const ReadCode& b, const std::string& kernel,
                      CodeForm form) {
    KernelDiff diff{find(a, kernel, form), find(b, kernel, form), {}};
    const std::vector<std::string> none;
    diff.lines =
        diffLines(diff.a != nullptr ? diff.a->keys : none, diff.b != nullptr ? diff.b->keys : none);
    return diff;
}

std::vector<std::string> kernelNames(const ReadCode* a, const ReadCode& b) {
    std::vector<std::string> names;
    for (const ReadCode* side : {&b, a}) {
        if (side == nullptr) continue;
        for (const KernelFacts& kernel : side->code.kernels) {
            if (std::find(names.begin(), names.end(), kernel.name) == names.end())
                names.push_back(kernel.name);
        }
    }
    return names;
}

}  // namespace rayscope
