#include "ui/present.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

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

/// Of a log that may go on for pages.
std::string firstLine(const char* log) {
    const std::string text = log;
    return text.substr(0, text.find_first_of("\r\n"));
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
    throw std::runtime_error(fmt::format("{} does not compile: {}", path, firstLine(log)));
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
    throw std::runtime_error(
        fmt::format("the shaders in {} do not link: {}", folder, firstLine(log)));
}

int place(unsigned program, const char* name) {
    return glGetUniformLocation(program, name);
}

}  // namespace

void Presenter::Picture::resize(Size wanted) {
    if (texture != 0 && size == wanted) return;
    release();
    glCreateTextures(GL_TEXTURE_2D, 1, &texture);
    glTextureStorage2D(texture, 1, GL_RGBA8, wanted.width, wanted.height);
    glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(texture, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(texture, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glClearTexImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glCreateFramebuffers(1, &framebuffer);
    glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, texture, 0);
    size = wanted;
}

void Presenter::Picture::release() {
    if (framebuffer != 0) glDeleteFramebuffers(1, &framebuffer);
    if (texture != 0) glDeleteTextures(1, &texture);
    texture = framebuffer = 0;
}

Presenter::Presenter(const std::string& folder)
    : full_(link(folder, "")), withPrevious_(link(folder, "WITH_PREVIOUS")) {
    glCreateVertexArrays(1, &vertices_);
    previous_.resize({1, 1});
}

Presenter::~Presenter() {
    picture_.release();
    previous_.release();
    glDeleteVertexArrays(1, &vertices_);
    glDeleteProgram(full_);
    glDeleteProgram(withPrevious_);
}

void Presenter::draw(const FilmView& film, const DisplayTransform& display, const View& view,
                     Size framebuffer) {
    const bool another = film.film != developed_.film;
    if (another && shown_) std::swap(picture_, previous_);
    if (another) shown_ = false;
    if (film.texture != 0 && film.ready) {
        picture_.resize(film.size);
        const bool changed = another || !shown_ || film.upload != developed_.upload ||
                             !(display == display_) || !(view == view_);
        if (changed) develop(film, display, view);
        shown_ = true;
    }
    developed_ = film;
    display_ = display;
    view_ = view;
    // The picture's rows count from the top, the window's from the bottom.
    const Picture& source = shown_ ? picture_ : previous_;
    const bool fits = source.size == framebuffer;
    glBlitNamedFramebuffer(source.framebuffer, 0, 0, 0, source.size.width, source.size.height, 0,
                           framebuffer.height, framebuffer.width, 0, GL_COLOR_BUFFER_BIT,
                           fits ? GL_NEAREST : GL_LINEAR);
    glViewport(0, 0, framebuffer.width, framebuffer.height);
}

void Presenter::develop(const FilmView& film, const DisplayTransform& display,
                        const View& view) const {
    glBindFramebuffer(GL_FRAMEBUFFER, picture_.framebuffer);
    glViewport(0, 0, film.size.width, film.size.height);
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    const unsigned program = film.full ? full_ : withPrevious_;
    glUseProgram(program);
    glBindTextureUnit(0, film.texture);
    glBindTextureUnit(1, previous_.texture);
    glUniform1i(place(program, "film"), 0);
    glUniform1i(place(program, "previous"), 1);
    glUniform1f(place(program, "exposure"),
                static_cast<float>(display.exposure * std::exp2(view.exposure)));
    glUniform1f(place(program, "offset"), static_cast<float>(display.offset));
    glUniform1f(place(program, "gamma"), static_cast<float>(display.gamma));
    glUniform1i(place(program, "toneMapper"), static_cast<int>(view.toneMapper));
    glBindVertexArray(vertices_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
    glUseProgram(0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

}  // namespace rayscope
