#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/choices/state.h"

namespace rayscope {

/// What the command line says, as it was written; every command takes these.
struct Options {
    std::string file;  ///< a screenshot, state or scene to begin with
    std::string scene;
    std::string backend = "auto";
    std::vector<std::string> set;
    std::string size;
    int spp = 0;
    int depth = 0;
    int threads = -1;
    std::uint32_t seed = 0;
    double exposure = 0;
    std::string toneMapper;
    std::string kernels;
    int device = 0;  ///< the GPU, by CUDA's number
    /// Samples a pass on the CPU where nothing else is asked for; 0: few, as the viewer needs.
    int cpuSamples = 0;
};

/// "1280x720"; each side from 1 to 16384.
bool parseSize(const std::string& text, int& width, int& height);

/// Applies assignments to settings whose backend stays; returns an empty string or a sentence.
std::string applyAssignments(const std::vector<std::string>& assignments, Settings& settings);

/// A request that has been understood: what to render, with what.
struct Request {
    State state;
    int width, height, spp;
    std::unique_ptr<Renderer> renderer;  ///< for state.settings.backend, with the scene set
    std::string noCuda;                  ///< why there is no CUDA; empty where there is
    std::chrono::steady_clock::time_point opened;  ///< just before the device was opened
};

/// Wrong words on the command line (exit code 2) and things that fail (exit code 1).
struct Refusal {
    int exitCode;
    std::string sentence;
};

/// The scene and the settings for a backend, whether this machine has a device for it or not; where
/// the options name no backend.
std::variant<State, Refusal> understandWithoutDevice(const Options& options, Backend backend);

/// Looks everything up: the scene, the backend, the settings, whether they go together.
std::variant<Request, Refusal> understand(const Options& options);

}  // namespace rayscope
