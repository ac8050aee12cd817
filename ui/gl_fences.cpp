#include "ui/gl_fences.h"

#include <glad/gl.h>

#include <array>
#include <string_view>

namespace rayscope {

namespace {

/// Of some seconds.
constexpr std::size_t kKept = 256;

bool isLlvmpipe() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return name != nullptr && std::string_view(name).find("llvmpipe") != std::string_view::npos;
}

}  // namespace

/// Of the one context that the program draws with, and destroyed with it.
void keepFence() {
    static const bool wanted = isLlvmpipe();
    static std::array<GLsync, kKept> kept{};
    static std::size_t next = 0;
    if (!wanted) return;
    glDeleteSync(kept[next]);  // at first none, which OpenGL ignores
    kept[next] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    next = (next + 1) % kKept;
}

}  // namespace rayscope
