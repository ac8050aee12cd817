#include "ui/present.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "renderer/film/false_color.h"
#include "ui/gl_zones.h"

namespace rayscope {

namespace {

/// The line between two pictures.
constexpr int kLinePixels = 2;
constexpr float kLineColor[] = {.92f, .93f, .94f, 1};
/// Where nothing has been traced yet.
constexpr float kNothingColor[] = {0, 0, 0, 1};

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

using Defines = std::vector<const char*>;

/// Throws what the compiler or the linker says where it has failed.
void check(unsigned object, GLenum what, const std::string& failed, decltype(glGetShaderiv) get,
           decltype(glGetShaderInfoLog) getLog, decltype(glDeleteShader) forget) {
    GLint done = 0;
    get(object, what, &done);
    if (done != 0) return;
    char log[2048] = "";
    getLog(object, sizeof log, nullptr, log);
    forget(object);
    throw std::runtime_error(fmt::format("{}: {}", failed, firstLine(log)));
}

/// Definitions go behind the first line, which is the version.
unsigned compile(GLenum stage, const std::string& path, const Defines& defines) {
    std::string source = readShader(path);
    for (const char* name : defines) {
        source.insert(source.find('\n') + 1, fmt::format("#define {}\n", name));
    }
    const char* text = source.c_str();
    const unsigned shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    check(shader, GL_COMPILE_STATUS, path + " does not compile", glGetShaderiv, glGetShaderInfoLog,
          glDeleteShader);
    return shader;
}

unsigned link(const std::string& folder, const Defines& defines) {
    const unsigned vertex = compile(GL_VERTEX_SHADER, folder + "/present.vert", {});
    const unsigned fragment = compile(GL_FRAGMENT_SHADER, folder + "/present.frag", defines);
    const unsigned program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    check(program, GL_LINK_STATUS, fmt::format("the shaders in {} do not link", folder),
          glGetProgramiv, glGetProgramInfoLog, glDeleteProgram);
    return program;
}

int place(unsigned program, const char* name) {
    return glGetUniformLocation(program, name);
}

}  // namespace

Columns columnsOf(Size picture, Size window) {
    // Of a film of a part of the window's size, rounded to whole pixels: what it was divided by.
    double least = 0, most = std::numeric_limits<double>::infinity();
    for (const auto& [part, whole] :
         {std::pair(picture.width, window.width), std::pair(picture.height, window.height)}) {
        least = std::max(least, whole / (part + .5));
        if (part > 1) most = std::min(most, whole / (part - .5));
    }
    if (least <= most) return {0, window.width};
    const double width = static_cast<double>(picture.width) * window.height / picture.height;
    const int left = static_cast<int>(std::lround((window.width - width) / 2));
    return {left, left + std::max(1, static_cast<int>(std::lround(width)))};
}

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
    keepFence();
    glCreateFramebuffers(1, &framebuffer);
    glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, texture, 0);
    size = wanted;
}

void Presenter::Picture::copy(const Picture& other) {
    resize(other.size);
    glCopyImageSubData(other.texture, GL_TEXTURE_2D, 0, 0, 0, 0, texture, GL_TEXTURE_2D, 0, 0, 0, 0,
                       size.width, size.height, 1);
}

void Presenter::Picture::release() {
    if (framebuffer != 0) glDeleteFramebuffers(1, &framebuffer);
    if (texture != 0) glDeleteTextures(1, &texture);
    texture = framebuffer = 0;
}

Presenter::Presenter(const std::string& folder)
    : full_(link(folder, {})),
      withPrevious_(link(folder, {"WITH_PREVIOUS"})),
      difference_(link(folder, {"WITH_PREVIOUS", "DIFFERENCE"})),
      numbers_(link(folder, {"MAP"})) {
    glCreateVertexArrays(1, &vertices_);
    for (Slide* slide : {&slide_, &pinned_, &differences_, &maps_}) slide->previous.resize({1, 1});
}

Presenter::~Presenter() {
    for (Slide* slide : {&slide_, &pinned_, &differences_, &maps_}) {
        slide->picture.release();
        slide->previous.release();
    }
    glDeleteVertexArrays(1, &vertices_);
    if (map_.texture != 0) glDeleteTextures(1, &map_.texture);
    for (unsigned program : {full_, withPrevious_, difference_, numbers_}) glDeleteProgram(program);
}

void Presenter::draw(const FilmView& film, const DisplayTransform& display, const View& view,
                     Size framebuffer) {
    beside_ = false;
    show(pictureOf(slide_, {.film = film, .display = display, .view = view}), framebuffer);
}

void Presenter::draw(FilmView a, FilmView b, const DisplayTransform& display, const View& view,
                     const Pinned& pinned, int wipe, Size framebuffer,
                     const std::optional<double>& noise) {
    // Films that began together with another camera appear together.
    a.ready = b.ready = a.ready && b.ready;
    if (!beside_) {  // until A has a picture of its own
        const Picture& now = slide_.shown ? slide_.picture : slide_.previous;
        pinned_.shown = false;
        pinned_.previous.copy(now);
        differences_.shown = false;
    }
    beside_ = true;
    if (pinned.showing == Showing::difference) {
        Recipe recipe{
            b, a, display, view, fullScaleOf(pinned, display, view, noise), pinned.withSign};
        recipe.film.ready &= a.size == b.size;
        show(pictureOf(differences_, recipe), framebuffer);
    } else {
        const Picture& left = pictureOf(pinned_, {.film = a, .display = display, .view = view});
        const Picture& right = pictureOf(slide_, {.film = b, .display = display, .view = view});
        if (pinned.showing == Showing::split)
            showSplit(left, right, wipe, framebuffer);
        else
            show(pinned.showing == Showing::a ? left : right, framebuffer);
    }
}

void Presenter::drawMap(const CostMap& map, long number, Size framebuffer) {
    if (number != map_.upload) {
        const Size size{map.width, map.height};
        if (map_.texture == 0 || !(size == map_.size)) {
            if (map_.texture != 0) glDeleteTextures(1, &map_.texture);
            glCreateTextures(GL_TEXTURE_2D, 1, &map_.texture);
            glTextureStorage2D(map_.texture, 1, GL_R32F, size.width, size.height);
        }
        glTextureSubImage2D(map_.texture, 0, 0, 0, size.width, size.height, GL_RED, GL_FLOAT,
                            map.values.data());
        map_.size = size;
        map_.upload = number;
    }
    show(pictureOf(maps_, {.film = map_, .fullScale = map.fullScale, .numbers = true}),
         framebuffer);
}

/// The picture's rows count from the top, the window's from the bottom.
void Presenter::show(const Picture& picture, Size framebuffer) const {
    const bool fits = picture.size == framebuffer;
    const auto [left, right] = columnsOf(picture.size, framebuffer);
    if (left > 0) glClearNamedFramebufferfv(0, GL_COLOR, 0, kNothingColor);
    glBlitNamedFramebuffer(picture.framebuffer, 0, 0, 0, picture.size.width, picture.size.height,
                           left, framebuffer.height, right, 0, GL_COLOR_BUFFER_BIT,
                           fits ? GL_NEAREST : GL_LINEAR);
    glViewport(0, 0, framebuffer.width, framebuffer.height);
    keepFence();
}

void Presenter::showSplit(const Picture& left, const Picture& right, int wipe,
                          Size framebuffer) const {
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, wipe, framebuffer.height);
    show(left, framebuffer);
    glScissor(wipe, 0, framebuffer.width - wipe, framebuffer.height);
    show(right, framebuffer);
    glScissor(wipe - kLinePixels / 2, 0, kLinePixels, framebuffer.height);
    glClearNamedFramebufferfv(0, GL_COLOR, 0, kLineColor);
    keepFence();
    glDisable(GL_SCISSOR_TEST);
}

const Presenter::Picture& Presenter::pictureOf(Slide& slide, const Recipe& recipe) {
    const Recipe& made = slide.made;
    const bool another =
        recipe.film.film != made.film.film || recipe.pinned.film != made.pinned.film;
    if (another && slide.shown) std::swap(slide.picture, slide.previous);
    if (another) slide.shown = false;
    if (recipe.film.texture != 0 && recipe.film.ready) {
        slide.picture.resize(recipe.film.size);
        if (!slide.shown || !(recipe == made)) develop(slide, recipe);
        slide.shown = true;
    }
    slide.made = recipe;
    return slide.shown ? slide.picture : slide.previous;
}

void Presenter::develop(const Slide& slide, const Recipe& recipe) const {
    const FilmView& film = recipe.film;
    const bool two = recipe.pinned.texture != 0;
    glBindFramebuffer(GL_FRAMEBUFFER, slide.picture.framebuffer);
    glViewport(0, 0, film.size.width, film.size.height);
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    const unsigned program = recipe.numbers ? numbers_
                             : two          ? difference_
                             : film.full    ? full_
                                            : withPrevious_;
    glUseProgram(program);
    glBindTextureUnit(0, film.texture);
    glBindTextureUnit(1, slide.previous.texture);
    glUniform1i(place(program, "film"), 0);
    glUniform1i(place(program, "previous"), 1);
    const auto [left, right] = columnsOf(slide.previous.size, film.size);
    glUniform1f(place(program, "previousWidth"),
                static_cast<float>(right - left) / static_cast<float>(film.size.width));
    glUniform1f(place(program, "exposure"),
                static_cast<float>(recipe.display.exposure * std::exp2(recipe.view.exposure)));
    glUniform1f(place(program, "offset"), static_cast<float>(recipe.display.offset));
    glUniform1f(place(program, "gamma"), static_cast<float>(recipe.display.gamma));
    glUniform1i(place(program, "toneMapper"), static_cast<int>(recipe.view.toneMapper));
    if (two || recipe.numbers) {
        const ColorRamp& ramp = recipe.withSign ? kSigned : kMagnitude;
        glUniform1f(place(program, "fullScale"), static_cast<float>(recipe.fullScale));
        glUniform3fv(place(program, "ramp"), static_cast<int>(ramp.size()), ramp[0].data());
    }
    if (two) {
        glBindTextureUnit(2, recipe.pinned.texture);
        glUniform1i(place(program, "pinned"), 2);
        glUniform1i(place(program, "withSign"), recipe.withSign ? 1 : 0);
    }
    glBindVertexArray(vertices_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
    glUseProgram(0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    keepFence();
}

double fullScaleOf(const Pinned& pinned, const DisplayTransform& display, const View& view,
                   const std::optional<double>& noise) {
    if (noise && *noise > 0) return std::exp2(kNoiseStops - pinned.gain) * *noise;
    return std::exp2(-pinned.gain - view.exposure) / display.exposure;
}

}  // namespace rayscope
