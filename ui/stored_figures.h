#pragma once

#include <string>

#include "renderer/choices/axes.h"

namespace rayscope {

/// What another machine measured, from assets/figures (scripts/stored_figures.py), to stand beside
/// what this one cannot run. Both are sentences that name the machine; empty where nothing is
/// stored.

/// "NVIDIA H200, vt9: 0.22x of the defaults".
std::string storedFigure(const Axis& axis, int value);
/// "NVIDIA H200: 32,335 Mrays/s".
std::string storedFigure(const std::string& ladder, const std::string& rung);

}  // namespace rayscope
