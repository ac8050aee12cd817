#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "renderer/backend/renderer.h"
#include "renderer/choices/axes.h"
#include "renderer/cpu/builds.h"
#include "renderer/cpu/cpu_session.h"
#include "renderer/cpu/cpu_simulator.h"
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

/// Why the processor has no packets of these lanes; empty if it has.
std::string lacksLanes(PacketLanes lanes) {
    const int widest = widestPackets();
    if (widest == 0)
        return "engine=packets: this processor has neither AVX2 nor AVX-512 (engine=megakernel)";
    if (lanes == PacketLanes::sixteen && widest < 16)
        return "lanes=16: this processor has no AVX-512 (lanes=8)";
    return {};
}

class CpuRenderer : public Renderer {
public:
    DeviceInfo device() const override {
        const int threads = core_->pool ? core_->pool->size() : coreCount();
        return {fmt::format("{}, {} thread{}", processor_, threads, threads == 1 ? "" : "s"),
                cpuBuild(Opt::native).flags};
    }

    void setScene(const SharedScene& scene) override { core_->scene.set(scene); }
    void moveSpheres(const MovedScene& scene) override { core_->scene.follow(scene); }
    void adjustSphere(int number, const Sphere& sphere) override {
        core_->scene.adjust(number, sphere);
    }
    void giveHierarchy(const SharedBvh& built) override { core_->scene.giveHierarchy(built); }

    std::string unsupported(const Settings& settings) const override {
        if (settings.backend != Backend::cpu) return "backend=cuda: this is the cpu backend";
        const Variant& v = settings.variant;
        if (v.engine == Engine::packets) {
            const std::string lacks = lacksLanes(settings.lanes);
            if (!lacks.empty()) return lacks;
        }
        if (v.accel == Accel::embree && !hasEmbree())
            return "accel=embree: this program was built without Embree (accel=bvh)";
        const bool plain = v.engine == Engine::megakernel && v.path == Path::loop &&
                           v.sceneLayout == SceneLayout::soa && v.random != Random::shared &&
                           !isOfTriangles(core_->scene.outline());
        if (!v.countRays && !plain)
            return "on the CPU all rays are counted but with path=loop and scene_layout=soa, and "
                   "with triangles";
        return rayscope::unsupported(settings, core_->scene.outline());
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
        if (settings.variant.engine == Engine::packets) {
            paths.packets = packetUse(settings, core_->scene, camera, width, height, samples,
                                      *core_->pool, stop);
        }
        return paths;
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
