#include "renderer/cuda/film_adder.h"

#include <stdexcept>
#include <utility>

#include "renderer/cuda/check.h"

namespace rayscope {

KernelProgram filmProgram(int architecture) {
    Variant precise;
    precise.math = Math::precise;
    return {&nvrtcCompiler(),
            kFilmSource,
            {{Stage::whole, "rayscope::addFilm"}},
            compileFlags(precise, architecture)};
}

FilmAdder::FilmAdder(int architecture) {
    builder_.request({.program = filmProgram(architecture)});
}

void FilmAdder::load(const BuildResult& built) {
    if (!built.kernel)
        throw std::runtime_error("the kernel that adds films does not compile:\n" +
                                 built.kernel.reason());
    library_ = {*built.kernel, "the kernel that adds films"};
}

bool FilmAdder::ready() {
    if (!library_.loaded()) {
        if (const std::optional<BuildResult> built = builder_.take()) load(*built);
    }
    return library_.loaded();
}

void FilmAdder::add(Pixel* film, Pixel* rest, Pixel* more, int pixels, bool empties) {
    constexpr int kThreads = 256;
    while (!ready()) builder_.wait(std::chrono::seconds(1));
    void* arguments[] = {&film, &rest, &more, &pixels, &empties};
    check(cudaLaunchKernel(library_.kernel(0), dim3((pixels + kThreads - 1) / kThreads),
                           dim3(kThreads), arguments, 0, nullptr),
          "add a film");
}

}  // namespace rayscope
