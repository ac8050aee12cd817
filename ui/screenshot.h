#pragma once

#include <string>
#include <variant>
#include <vector>

#include "renderer/core/types.h"
#include "renderer/state.h"
#include "ui/window.h"

namespace rayscope {

struct SavedFile {
    std::string path;
};

/// Writes a film (rows from the top) as a PNG that carries the state. The file or a sentence.
std::variant<SavedFile, std::string> savePicture(std::vector<Pixel> pixels, Size size,
                                                 const State& state);

/// Writes what the back buffer holds, panels and all; before it is swapped.
std::variant<SavedFile, std::string> saveWindow(Size framebuffer, const State& state);

}  // namespace rayscope
