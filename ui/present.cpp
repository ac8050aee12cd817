#include "ui/present.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace rayscope {

namespace {

std::string readShader(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error(fmt::format(
            "cannot read the shader {}: start rayscope where its shaders folder lies, or reinstall "
            "it",
            path));
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

/// `define` goes behind the first line, which is the version.
unsigned compile(GLenum stage, const std::string& path, const std::string& define) {
    std::string source = readShader(path);
    if (!define.empty()) source.insert(source.find('\n') + 1, "#define " + define + "\n");
    const char* text = source.c_str();
    const unsigned shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    GLint compiled = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled != 0) return shader;
    char log[2048] = "";
    glGetShaderInfoLog(shader, sizeof log, nullptr, log);
    glDeleteShader(shader);
    throw std::runtime_error(fmt::format("{} does not compile: {}", path, log));
}

unsigned link(const std::string& folder, const std::string& define) {
    const unsigned vertex = compile(GL_VERTEX_SHADER, folder + "/present.vert", "");
    const unsigned fragment = compile(GL_FRAGMENT_SHADER, folder + "/present.frag", define);
    const unsigned program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked != 0) return program;
    char log[2048] = "";
    glGetProgramInfoLog(program, sizeof log, nullptr, log);
    glDeleteProgram(program);
    throw std::runtime_error(fmt::format("the shaders in {} do not link: {}", folder, log));
}

int place(unsigned program, const char* name) {
    return glGetUniformLocation(program, name);
}

}  // namespace

Presenter::Presenter(const std::string& folder)
    : full_(link(folder, "")), withPrevious_(link(folder, "WITH_PREVIOUS")) {
    glCreateVertexArrays(1, &vertices_);
}

Presenter::~Presenter() {
    glDeleteVertexArrays(1, &vertices_);
    glDeleteProgram(full_);
    glDeleteProgram(withPrevious_);
}

void Presenter::draw(const FilmTextures& textures, const DisplayTransform& display,
                     const View& view, Size framebuffer) const {
    glViewport(0, 0, framebuffer.width, framebuffer.height);
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    const unsigned program = textures.full ? full_ : withPrevious_;
    glUseProgram(program);
    glBindTextureUnit(0, textures.film);
    glBindTextureUnit(1, textures.previous);
    glUniform1i(place(program, "film"), 0);
    glUniform1i(place(program, "previous"), 1);
    glUniform1i(place(program, "ready"), textures.ready ? 1 : 0);
    glUniform1f(place(program, "exposure"),
                static_cast<float>(display.exposure * std::exp2(view.exposure)));
    glUniform1f(place(program, "offset"), static_cast<float>(display.offset));
    glUniform1f(place(program, "gamma"), static_cast<float>(display.gamma));
    glUniform1i(place(program, "toneMapper"), static_cast<int>(view.toneMapper));
    glBindVertexArray(vertices_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
    glUseProgram(0);
}

}  // namespace rayscope
