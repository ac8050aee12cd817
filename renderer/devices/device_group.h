#pragma once

#include <memory>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/base/thread_pool.h"

namespace rayscope {

/// One of several devices.
struct GroupMember {
    Backend backend = Backend::cpu;
    std::unique_ptr<Renderer> renderer;
    std::string problem{};  ///< why it is done without; empty: it takes part

    bool works() const { return problem.empty(); }
    /// makeRemoteFilm()'s number.
    int number() const;
    /// "NVIDIA H200 (GPU 1)", "AMD EPYC, 2 threads"
    std::string name() const;
    /// "GPU 1", "CPU"
    std::string label() const;
};

/// What the sessions of a group share.
struct DeviceGroup {
    explicit DeviceGroup(std::vector<GroupMember> all);

    /// What a member traces when the group is asked for these settings: those of its backend, and
    /// of its part of the CPU's threads.
    Settings settingsOf(std::size_t member, const Settings& settings) const;

    /// The first member that is of the same GPU; itself if it is the only one, or a CPU.
    std::size_t firstOfDevice(std::size_t member) const;

    /// There are GPUs and CPUs among those that work.
    bool mixed() const;

    std::vector<GroupMember> members;
    const Backend backend;  ///< of the settings that it is asked for: the first member's
    std::size_t lead = 0;   ///< has the film
    SharedScene scene;
    ThreadPool crew;  ///< a thread for each member
};

/// Renders with several devices at once: each traces samples of its own, as many as it is fast,
/// which are added to the film of the first. Samples are numbered as those of a single device, so
/// that the picture is the same but for the order in which floats are added.
///
/// The first device's backend is the group's. It does by itself what is no picture: paths are
/// recorded and bodies are moved there.
std::unique_ptr<Renderer> makeGroup(std::vector<GroupMember> members);

}  // namespace rayscope
