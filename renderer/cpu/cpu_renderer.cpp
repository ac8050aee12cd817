#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "renderer/backend/renderer.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/host_compiler.h"
#include "renderer/cpu/apart_process.h"
#include "renderer/cpu/cpu_session.h"
#include "renderer/cpu/cpu_simulator.h"
#include "renderer/cpu/hot_sampler.h"
#include "renderer/cpu/packet_use.h"
#include "renderer/cpu/path_lengths.h"

namespace rayscope {

namespace {

std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

/// Why the processor does not run this; empty if it does.
std::string lacksInstructions(const Variant& v) {
    const int level = processorLevel();
    if (v.engine == Engine::packets && level < 3)
        return "engine=packets: this processor has neither AVX2 nor AVX-512 (engine=megakernel)";
    if (v.engine == Engine::packets && v.lanes == PacketLanes::sixteen && level < 4)
        return "lanes=16: this processor has no AVX-512 (lanes=8)";
    const bool wide = v.engine != Engine::packets && v.opt == Opt::native;
    if (wide && v.vectors == Vectors::bits512 && level < 4)
        return "vectors=512: this processor has no AVX-512 (vectors=widest)";
    if (wide && v.vectors == Vectors::bits256 && level < 3)
        return "vectors=256: this processor has no AVX2 (vectors=widest)";
    return {};
}

/// Why a kernel that is edited does not run apart; empty if it does.
std::string lacksProcess(const Variant& v) {
    if (v.accel == Accel::embree)
        return "accel=embree: edited kernels run in a process of their own, which has no Embree "
               "(accel=bvh, or source=built_in)";
    if (!editedKernelsRun()) return "source: this program runs no edited kernels on a CPU";
    return missingCompiler(v.compiler);
}

/// "x86-64-v4: AVX-512"
std::string instructionSet() {
    constexpr const char* kSets[] = {"x86-64", "x86-64-v2: SSE4.2", "x86-64-v3: AVX2",
                                     "x86-64-v4: AVX-512"};
    return kSets[processorLevel() - 1];
}

std::string compilerOrNone() {
    if (const auto version = hostCompiler(HostCompiler::gcc).version();
        version && missingCompiler(HostCompiler::gcc).empty())
        return *version;
    if (missingCompiler(HostCompiler::clang).empty())
        return *hostCompiler(HostCompiler::clang).version();
    return "no C++ compiler: prebuilt kernels only (install g++)";
}

class CpuRenderer : public Renderer {
public:
    DeviceInfo device() const override {
        const int threads = core_->pool ? core_->pool->size() : coreCount();
        return {fmt::format("{}, {} thread{}", processor_, threads, threads == 1 ? "" : "s"),
                fmt::format("{}, {}", instructionSet(), compilerOrNone())};
    }

    void setScene(const SharedScene& scene) override { core_->setScene(scene); }
    void moveSpheres(const MovedScene& scene) override {
        core_->scene.follow(scene);
        if (core_->scene.outline().spheres.size() <= kMaxBakedSpheres) core_->takeScene();
    }
    void adjustSphere(int number, const Sphere& sphere) override {
        core_->scene.adjust(number, sphere);
        core_->takeScene();
    }
    void giveHierarchy(const SharedBvh& built) override { core_->scene.giveHierarchy(built); }

    std::string unsupported(const Settings& settings) const override {
        if (settings.backend != Backend::cpu) return "backend=cuda: this is the cpu backend";
        const Variant& v = settings.variant;
        if (std::string lacks = lacksInstructions(v); !lacks.empty()) return lacks;
        if (v.accel == Accel::embree && !hasEmbree())
            return "accel=embree: this program was built without Embree (accel=bvh)";
        if (std::string clash = rayscope::unsupported(settings, core_->scene.outline());
            !clash.empty())
            return clash;
        return settings.source == kBuiltIn ? lacksCompiler(core_->derived(settings), core_->baked)
                                           : lacksProcess(v);
    }

    std::unique_ptr<Session> open(Film& film) override {
        return std::make_unique<CpuSession>(core_, film);
    }

    Result<std::unique_ptr<Simulator>> simulate(const Simulation& simulation,
                                                const Bodies& start) override {
        return makeCpuSimulator(core_, simulation, start);
    }

    PathLengths pathLengths(const Settings& settings, const Camera& camera, int width, int height,
                            int samples, const std::stop_token& stop) override {
        core_->usePool(settings.threads);
        PathLengths paths = cpuPathLengths(settings, core_->scene.scene(), camera, width, height,
                                           samples, *core_->pool, stop);
        if (settings.variant.engine == Engine::packets)
            paths.packets = packetUse(settings, *core_, camera, width, height, samples, stop);
        return paths;
    }

    Result<HostSamples> sampleHost(const std::function<void()>& work) override {
        if (!core_->last) return Failure{"no kernel has been launched yet"};
        if (core_->last->apart() != nullptr) return core_->last->apart()->sample(work);
        const auto function = core_->last->object().function<RenderKernel<float>>(Stage::whole);
        return samplePool(*core_->pool, reinterpret_cast<const void*>(function), work);
    }

    PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width, int height,
                          int samples, const std::stop_token& stop) override {
        core_->usePool(settings.threads);
        return cpuPixelTimes(settings, core_->scene.scene(), camera, width, height, samples,
                             *core_->pool, stop);
    }

private:
    std::string processor_ = processorName();
    std::shared_ptr<CpuCore> core_ = std::make_shared<CpuCore>();
};

}  // namespace

std::unique_ptr<Renderer> makeCpuRenderer() {
    return std::make_unique<CpuRenderer>();
}

}  // namespace rayscope
