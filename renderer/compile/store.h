#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "renderer/base/timeline.h"
#include "renderer/compile/builder.h"

namespace rayscope {

/// Kernels that are loaded, most recently used first. One that is missing is built in the
/// background while the last good one goes on. `Loaded` has request(), and `launches`.
template <class Loaded>
class KernelStore {
public:
    /// Whether a kernel, perhaps of another variant, can render what is asked for.
    using Usable = std::function<bool(const Loaded&)>;
    /// Throws std::runtime_error.
    using Load = std::function<std::shared_ptr<Loaded>(BuildResult built)>;

    explicit KernelStore(Load load) : load_(std::move(load)) {}

    struct Wish {
        std::string refused{};  ///< why the kernel does not run here and is not built; or empty
        Usable usable;
        KernelTry trial{};       ///< KernelBuilder::request()
        bool postponed = false;  ///< it is not built yet
    };

    /// The kernel that renders.
    struct Choice {
        std::shared_ptr<Loaded> active;
        bool ready = false;      ///< `active` is the kernel last asked for
        std::string compileLog;  ///< why the kernel last asked for does not compile; else empty
    };

    /// Chooses the kernel to launch now: that of the request, else the one so far if it is usable,
    /// else the most recently used one that is. If there is none, waits for the compiler for up to
    /// leftMs, from which it subtracts the time, and returns false if there still is none.
    bool choose(const BuildRequest& request, const Wish& wish, Choice& choice, double& leftMs) {
        using Milliseconds = std::chrono::duration<double, std::milli>;
        const bool building = want(request, wish, choice);
        if (keepUsable(wish.usable, choice)) return true;
        if (!building) return false;
        const auto start = std::chrono::steady_clock::now();
        builder_.wait(Milliseconds(std::clamp(leftMs, 0., kLongestWait)));
        leftMs -= Milliseconds(std::chrono::steady_clock::now() - start).count();
        want(request, wish, choice);
        return keepUsable(wish.usable, choice);
    }

    /// The first loaded kernel for which this is true, or nullptr.
    const Loaded* loaded(const Usable& is) const {
        const auto found =
            std::ranges::find_if(kernels_, [&](const auto& kernel) { return is(*kernel); });
        return found == kernels_.end() ? nullptr : found->get();
    }

    /// A kernel that was loaded does not run: from now on it counts as one that does not compile,
    /// for this reason.
    void giveUp(const Loaded& kernel, const std::string& reason) {
        fail(kernel.request(), reason);
        std::erase_if(kernels_, [&](const auto& k) { return k.get() == &kernel; });
    }

    /// Takes a kernel that was built elsewhere, to be used until a better one is there.
    void add(std::shared_ptr<Loaded> kernel) { kernels_.push_back(std::move(kernel)); }

private:
    /// Kernels that stay loaded, so that switching back and forth is immediate; about 150 KB each.
    static constexpr size_t kLoadedKernels = 24;
    static constexpr double kLongestWait = 1e9;

    struct Failed {
        BuildRequest request;
        std::string log;
    };

    /// The kernel, moved to the front, or nullptr.
    std::shared_ptr<Loaded> find(const BuildRequest& request) {
        for (auto k = kernels_.begin(); k != kernels_.end(); ++k) {
            if (!((*k)->request() == request)) continue;
            kernels_.splice(kernels_.begin(), kernels_, k);
            return kernels_.front();
        }
        return nullptr;
    }

    void fail(const BuildRequest& request, const std::string& log) {
        failed_.push_front({request, log});
        if (failed_.size() > kLoadedKernels) failed_.pop_back();
    }

    /// Why it could not be built; empty if nobody has tried.
    std::string failureOf(const BuildRequest& request) const {
        const auto known = std::ranges::find(failed_, request, &Failed::request);
        return known == failed_.end() ? std::string() : known->log;
    }

    /// Loads the kernel that the builder has finished, if any.
    void takeBuilt() {
        std::optional<BuildResult> result = builder_.take();
        if (!result || find(result->request) != nullptr) return;
        if (!result->kernel) return fail(result->request, result->kernel.reason());
        const BuildRequest request = result->request;
        try {
            const Zone zone("load kernel");
            kernels_.push_front(load_(*std::move(result)));
        } catch (const std::runtime_error& error) {
            fail(request, error.what());
        }
        if (kernels_.size() > kLoadedKernels) kernels_.pop_back();
    }

    /// Makes the kernel active if it is loaded, else asks for it. Returns true while it is being
    /// built.
    bool want(const BuildRequest& request, const Wish& wish, Choice& choice) {
        takeBuilt();
        const std::shared_ptr<Loaded> found = find(request);
        choice.ready = found && wish.usable(*found);
        if (choice.ready) choice.active = found;
        choice.compileLog = found ? std::string() : failureOf(request);
        if (choice.compileLog.empty() && !found) choice.compileLog = wish.refused;
        if (found || !choice.compileLog.empty() || wish.postponed) return false;
        builder_.request(request, wish.trial);
        return true;
    }

    /// Keeps the active kernel if it is usable, else activates the most recently used one that is.
    bool keepUsable(const Usable& usable, Choice& choice) const {
        if (choice.active && usable(*choice.active)) return true;
        for (const std::shared_ptr<Loaded>& k : kernels_) {
            if (k->launches == 0 || !usable(*k)) continue;
            choice.active = k;
            return true;
        }
        return false;
    }

    Load load_;
    std::list<std::shared_ptr<Loaded>> kernels_;
    std::list<Failed> failed_;  ///< not built again; newest first
    KernelBuilder builder_;
};

}  // namespace rayscope
