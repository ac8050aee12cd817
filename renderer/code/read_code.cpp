#include "renderer/code/read_code.h"

#include <algorithm>
#include <utility>

#include "renderer/code/disassemble.h"
#include "renderer/code/ptx.h"
#include "renderer/code/sass.h"

namespace rayscope {

namespace {

std::vector<std::string> without(std::vector<std::string> names, const std::string& name) {
    std::erase(names, name);
    return names;
}

Listing ptxListing(const KernelPtx& ptx, const std::string& symbol) {
    Listing listing{ptxOf(ptx.text, without(ptx.symbols, symbol)), {}, {}};
    for (const std::string& line : listing.lines) listing.keys.push_back(ptxKey(line, ptx.symbols));
    listing.mix = ptxMix(listing.lines);
    return listing;
}

Listing sassListing(const std::string& text, const std::vector<std::string>& symbols,
                    const std::string& symbol) {
    Listing listing{sassOf(text, without(symbols, symbol)), {}, {}};
    for (const std::string& line : listing.lines) listing.keys.push_back(sassKey(line));
    listing.mix = sassMix(listing.lines);
    return listing;
}

void addPtx(ReadCode& read) {
    auto found = kernelPtx(read.wish);
    if (std::string* problem = std::get_if<std::string>(&found)) {
        read.problem = std::move(*problem);
        return;
    }
    const KernelPtx& ptx = std::get<KernelPtx>(found);
    for (const std::string& symbol : ptx.symbols) read.ptx.push_back(ptxListing(ptx, symbol));
}

void addSass(ReadCode& read, const std::function<bool()>& goOn) {
    auto found = disassemble(read.code.cubin, goOn);
    if (std::string* problem = std::get_if<std::string>(&found)) {
        read.noSass = std::move(*problem);
        return;
    }
    const Disassembly& disassembly = std::get<Disassembly>(found);
    const std::vector<std::string> symbols = read.code.symbols();
    for (const std::string& symbol : symbols)
        read.sass.push_back(sassListing(disassembly.text, symbols, symbol));
    read.tool = disassembly.tool;
}

const Listing* find(const ReadCode& read, const std::string& kernel, CodeForm form) {
    const std::vector<Listing>& listings = read.listings(form);
    for (size_t i = 0; i < listings.size(); ++i) {
        if (read.code.kernels[i].name == kernel) return &listings[i];
    }
    return nullptr;
}

}  // namespace

ReadCode readCode(const CodeWish& wish, const std::function<bool()>& goOn) {
    ReadCode read;
    read.wish = wish;
    read.files = kernelFiles(wish);
    auto code = kernelCode(wish);
    if (std::string* problem = std::get_if<std::string>(&code)) {
        read.problem = std::move(*problem);
        return read;
    }
    read.code = std::get<KernelCode>(std::move(code));
    addPtx(read);
    if (read.problem.empty()) addSass(read, goOn);
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
