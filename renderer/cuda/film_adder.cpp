#include "renderer/cuda/film_adder.h"

#include <stdexcept>
#include <utility>

#include "renderer/base/leftovers.h"
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
    leave(std::move(compiling_));
}

void FilmAdder::load() {
    const Result<CompiledKernel> compiled = compiling_.get();
    if (!compiled)
        throw std::runtime_error("the kernel that adds films does not compile:\n" +
                                 compiled.reason());
    library_ = {*compiled, "the kernel that adds films"};
}

void FilmAdder::add(Pixel* film, const Pixel* more, int pixels) {
    constexpr int kThreads = 256;
    if (compiling_.valid()) load();
    void* arguments[] = {&film, &more, &pixels};
    check(cudaLaunchKernel(library_.kernel(0), dim3((pixels + kThreads - 1) / kThreads),
                           dim3(kThreads), arguments, 0, nullptr),
          "add a film");
}

}  // namespace rayscope
