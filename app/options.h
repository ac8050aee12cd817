#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/base/result.h"
#include "renderer/choices/state.h"
#include "renderer/devices/device_list.h"

namespace rayscope {

/// The options that all commands which render take, as they were written.
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
    std::vector<std::string> kernels;  ///< DIR or NAME=DIR of each
    bool offersKernels = false;        ///< edited kernels that a file carries need no folder yet
    DeviceList device;
    /// Default samples per pass on the CPU; 0: as few as the viewer needs.
    int cpuSamples = 0;
};

/// Of commands whose work can go on later.
struct KeepOptions {
    std::string checkpoint;  ///< file; empty: none, but of several ranks
    std::string resume;      ///< file to go on from
    double every = 60;       ///< seconds between checkpoints
};

/// "1280x720"; each side from 1 to 16384.
bool parseSize(const std::string& text, int& width, int& height);
/// What is said of another text.
std::string wrongSize(const std::string& text);

/// Fails if an axis is assigned twice.
Result<void> checkSetOnce(const std::vector<std::string>& assignments);

/// Applies assignments to settings, whose backend stays. Other axes give way, as in assignAll().
Result<void> applyAssignments(const std::vector<std::string>& assignments, Settings& settings);

/// What the options ask for: what to render, and with what.
struct Request {
    State state;
    int width, height, spp;
    std::unique_ptr<Renderer> renderer;  ///< for state.settings.backend, with the scene set
    std::string noCuda;                  ///< why there is no CUDA; empty if there is
    std::chrono::steady_clock::time_point opened;  ///< just before the device was opened
};

/// Why a command does not run: wrong usage (exit code 2) or a failure (exit code 1).
struct Refusal {
    int exitCode;
    std::string sentence;
};

/// Of a scene or a ladder that is not found: a name, which has no dot and no slash, is misspelt;
/// else a file is missing, or all files of the program are.
Refusal notFound(const std::string& nameOrPath, const std::string& sentence);

/// What --device stands for. Of several ranks on a machine that have named nothing, each has the
/// next GPU.
DeviceList devicesOf(const DeviceList& device);

/// The number for CUDA of the first GPU of these.
int gpuOf(const DeviceList& device);

/// A refusal if --device names a GPU beside the CPU ("cpu" of --backend or of a file) or the other
/// way round, or there is no CUDA. `noCuda`: why; else empty.
std::optional<Refusal> checkDevice(const DeviceList& device, const std::string& backend,
                                   const std::string& noCuda);

/// The scene and the settings for a backend, in place of the options' own, whether or not this
/// machine has a device for it.
std::variant<State, Refusal> stateFor(const Options& options, Backend backend);

/// Applies the words of --kernels: DIR or NAME=DIR. Returns what kernels are compiled from where
/// nothing else is set: the folder without a name, or what the program was built with.
std::variant<int, Refusal> useKernels(const std::vector<std::string>& words);

/// Whether one of these assignments, axis=value, is of the axis.
bool names(const std::vector<std::string>& assignments, std::string_view axis);

/// Finds the scene, the renderer and the settings that the options ask for; a refusal if they do
/// not go together. `later`: assignments that are then made to copies of the settings, such as the
/// two sides of a comparison. Where one would make the engine that commands begin with give way,
/// all begin with the defaults.
std::variant<Request, Refusal> makeRequest(const Options& options,
                                           const std::vector<std::vector<std::string>>& later = {});

}  // namespace rayscope
