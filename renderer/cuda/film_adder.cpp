#include "renderer/cuda/film_adder.h"

#include <stdexcept>

#include "renderer/base/timeline.h"
#include "renderer/choices/sources.h"
#include "renderer/cuda/cache.h"
#include "renderer/cuda/check.h"

namespace rayscope {

namespace {

Result<CompiledKernel> compileFilmKernel(int architecture) {
    nameThread("compiler");
    const Zone zone("compile");
    return compileCached(KernelCache(KernelCache::defaultFolder()), filmProgram(architecture),
                         embeddedKernelSources());
}

}  // namespace

KernelProgram filmProgram(int architecture) {
    Variant precise;
    precise.math = Math::precise;
    return {
        kFilmSource, {{Stage::whole, "rayscope::addFilm"}}, compileFlags(precise, architecture)};
}

FilmAdder::FilmAdder(int architecture)
    : compiling_(std::async(std::launch::async, compileFilmKernel, architecture)) {}

FilmAdder::~FilmAdder() {
    if (library_ != nullptr) warn(cudaLibraryUnload(library_), "unload the kernel of films");
}

void FilmAdder::load() {
    const Result<CompiledKernel> compiled = compiling_.get();
    if (!compiled)
        throw std::runtime_error("the kernel that adds films does not compile:\n" +
                                 compiled.reason());
    check(cudaLibraryLoadData(&library_, compiled->code.data(), nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
          "load the kernel that adds films");
    check(cudaLibraryGetKernel(&kernel_, library_, compiled->functions[0].loweredName.c_str()),
          "find the kernel that adds films in its machine code");
}

void FilmAdder::add(Pixel* film, const Pixel* more, int pixels) {
    constexpr int kThreads = 256;
    if (compiling_.valid()) load();
    void* arguments[] = {&film, &more, &pixels};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_),
                           dim3((pixels + kThreads - 1) / kThreads), dim3(kThreads), arguments, 0,
                           nullptr),
          "add a film");
}

}  // namespace rayscope
