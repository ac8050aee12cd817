#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "renderer/backend/session.h"
#include "renderer/cpu/apart_process.h"
#include "renderer/cpu/cpu_engines.h"

namespace rayscope {

/// A kernel that was compiled from edited sources. Its code never is in this process: another one
/// runs it, on memory that both share, and starts with the first pass.
class ApartKernel {
public:
    ApartKernel(CompiledKernel compiled, const Variant& variant)
        : compiled_(std::move(compiled)), variant_(variant) {}

    /// What a pass reads and writes.
    template <class Real>
    struct Work {
        PassPlan plan;
        LaunchParams<Real> launch;  ///< but for what lies in shared memory
        HostScene* scene = nullptr;
        Hierarchy hierarchy{};
        CpuEngines* engines = nullptr;
        Pixel* film = nullptr;  ///< to which the pass adds
        int threads = 0;        ///< of the process
        double waitMs = 0;      ///< at most
        double stallMs = 0;     ///< ApartProcess::wait()
    };
    /// A pass that is done: its pixels are in the film.
    struct Done {
        ApartProcess::Pass pass;
        std::vector<ThreadCounters> counters;
    };
    /// Renders pieces of a pass. Nothing where that takes longer than may be waited, and the film
    /// is as before; what is then done later is given up. Or the kernel is dead(). Throws
    /// std::runtime_error where there is no memory or no process.
    template <class Real>
    std::optional<Done> render(const Work<Real>& work);

    /// Why it has been ended, as what follows "its kernel"; it does not run again. Empty if it may.
    const std::string& dead() const { return dead_; }
    /// Whether it is at a pass, or has just been started.
    bool busy() const;
    /// Ends the process; the next pass starts one.
    void rest() { process_.reset(); }
    bool hasProcess() const { return process_ != nullptr; }

    /// Where its threads are while `work` renders. It has rendered before and is not at a pass.
    Result<HostSamples> sample(const std::function<void()>& work);

private:
    /// What lies in the arena that is only read.
    struct Given {
        unsigned scene = 0;  ///< HostScene::packedNumber(); 0: nothing
        std::uint64_t spheres = 0, tree = 0;
        Hierarchy hierarchy{};
        bool operator==(const Given&) const = default;
    };

    bool ready(int threads, double waitMs, double stallMs);
    void start(int threads);
    template <class Real>
    void give(const Work<Real>& work);
    void givePackets(const PacketScene& packets, const unsigned char* scene, std::size_t bytes,
                     const PacketBlocks& blocks, ArenaParts& parts);
    Pixel* filmOf(int width, int height);

    const CompiledKernel compiled_;
    const Variant variant_;
    std::string dead_;
    std::unique_ptr<ApartProcess> process_;
    // of the process:
    int threads_ = 0;
    unsigned char* memory_ = nullptr;         ///< of threads, in the arena that is only read
    std::size_t givenEnd_ = 0, workEnd_ = 0;  ///< what is fixed
    Given given_;
    const unsigned char* scene_ = nullptr;
    PacketScene packets_;
    int width_ = 0, height_ = 0;
};

}  // namespace rayscope
