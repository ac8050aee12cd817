#pragma once

#include <sys/types.h>

#include <string>

#include "renderer/backend/instruction_counts.h"
#include "renderer/base/result.h"
#include "renderer/compile/program.h"
#include "renderer/cpu/apart_protocol.h"
#include "renderer/cpu/shared_arena.h"

namespace rayscope {

/// Whether runEditedKernelsBy() has named a program.
bool editedKernelsRun();

/// A process that runs an edited kernel, with the rights to compute and nothing else. It is killed
/// with this object.
class ApartProcess {
public:
    enum class State { loading, idle, busy, ended };

    /// Starts it; the kernel is loaded meanwhile. Throws std::runtime_error.
    ApartProcess(const CompiledKernel& kernel, int threads);
    ~ApartProcess();
    ApartProcess(const ApartProcess&) = delete;
    ApartProcess& operator=(const ApartProcess&) = delete;

    const SharedArena& given() const { return given_; }
    const SharedArena& work() const { return work_; }
    SharedArena& given() { return given_; }
    SharedArena& work() { return work_; }
    ApartOrders& orders() { return *reinterpret_cast<ApartOrders*>(given_.data()); }
    /// Bytes at the beginning of the arenas that are taken.
    std::size_t givenBytes() const { return givenBytes_; }
    std::size_t workBytes() const { return workBytes_; }

    State state() const { return state_; }
    /// Begins the pass of the orders. It is idle.
    void begin();
    /// Waits while it is loading or busy, but at most so long. It is killed if a pass does not get
    /// on for `stallMs`.
    State wait(double ms, double stallMs);
    /// Why it has ended, as what follows "its kernel".
    const std::string& end() const { return end_; }

    /// What it says of the last pass, made plausible.
    struct Pass {
        int next;
        WorkTime time;
    };
    Pass pass() const;

    /// Whether passes from now on are sampled. It is idle.
    void setSampled(bool sampled);
    /// Where threads were in those since then. It may say anything.
    Result<HostSamples> samples() const;

private:
    ApartReport& report() const { return *reinterpret_cast<ApartReport*>(work_.data()); }
    void spawn(const std::string& program);
    void layOut(const CompiledKernel& kernel, int threads);
    void hear();
    bool stalls(double stallMs);
    void finish(std::string why);
    std::string whyItEnded(int status) const;

    SharedArena given_, work_;
    std::size_t givenBytes_ = 0, workBytes_ = 0;
    pid_t process_ = -1;
    int channel_ = -1;
    State state_ = State::loading;
    std::string end_;
    Clock::time_point began_;              ///< the pass, or loading
    double wallMs_ = 0, processorMs_ = 0;  ///< of the last pass, as seen from here
    double workAtBegin_ = 0;               ///< the process's processor time, ms
    int lastNext_ = 0;
    Clock::time_point movedOn_;  ///< when a thread last took pixels, as far as was seen,
    double workAtMove_ = 0;      ///< and the process's processor time then, ms
};

}  // namespace rayscope
