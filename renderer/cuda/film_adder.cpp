#include "renderer/cuda/film_adder.h"

#include <stdexcept>
#include <utility>

#include "renderer/cuda/check.h"

namespace rayscope {

KernelProgram filmProgram(int architecture) {
    Variant precise;
    precise.math = Math::precise;
    return {
        &nvrtcCompiler(), kFilmSource, {{Stage::whole, "rayscope::addFilm"}}, compileFlags(precise, architecture)};
}

FilmAdder::FilmAdder(int architecture) {
    builder_.request({.program = filmProgram(architecture)});
}

void FilmAdder::load() {
    std::optional<BuildResult> built;
    while (!(built = builder_.take())) builder_.wait(std::chrono::seconds(1));
    if (!built->kernel)
        throw std::runtime_error("the kernel that adds films does not compile:\n" +
                                 built->kernel.reason());
    library_ = {*built->kernel, "the kernel that adds films"};
}

void FilmAdder::add(Pixel* film, const Pixel* more, int pixels) {
    constexpr int kThreads = 256;
    if (!library_.loaded()) load();
    void* arguments[] = {&film, &more, &pixels};
    check(cudaLaunchKernel(library_.kernel(0), dim3((pixels + kThreads - 1) / kThreads),
                           dim3(kThreads), arguments, 0, nullptr),
          "add a film");
}

}  // namespace rayscope
