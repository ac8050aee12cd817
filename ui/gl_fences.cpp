#include "ui/gl_fences.h"

#include <glad/gl.h>

#include <array>
#include <string_view>

namespace rayscope {

namespace {

/// Those of some seconds, of the one context that the program draws with.
std::array<GLsync, 256> kept{};
std::size_t oldest = 0;

bool isLlvmpipe() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return name != nullptr && std::string_view(name).find("llvmpipe") != std::string_view::npos;
}

}  // namespace

void keepFence() {
    static const bool wanted = isLlvmpipe();
    if (!wanted) return;
    glDeleteSync(kept[oldest]);  // at first none, which OpenGL ignores
    kept[oldest] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    oldest = (oldest + 1) % kept.size();
}

void forgetFences() {
    kept = {};
}

}  // namespace rayscope
