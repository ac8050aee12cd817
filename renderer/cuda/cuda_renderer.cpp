#include <exception>
#include <memory>
#include <utility>

#include "renderer/backend/renderer.h"
#include "renderer/cuda/cuda_core.h"
#include "renderer/cuda/cuda_session.h"
#include "renderer/cuda/cuda_simulator.h"
#include "renderer/cuda/cupti.h"
#include "renderer/cuda/path_lengths.h"
#include "renderer/cuda/running_twins.h"

namespace rayscope {

namespace {

class CudaRenderer : public Renderer {
public:
    explicit CudaRenderer(CudaDevice device)
        : core_(std::make_shared<CudaCore>(std::move(device))) {}

    DeviceInfo device() const override { return core_->device.info; }
    void useThread() override { core_->useThread(); }
    void setScene(const SharedScene& scene) override { core_->setScene(scene); }
    void moveSpheres(const MovedScene& scene) override { core_->moveSpheres(scene); }
    void adjustSphere(int number, const Sphere& sphere) override {
        core_->adjustSphere(number, sphere);
    }
    void giveHierarchy(const SharedBvh& built) override { core_->scene.giveHierarchy(built); }
    std::string unsupported(const Settings& settings) const override {
        return core_->unsupported(settings);
    }
    std::unique_ptr<Session> open(Film& film) override {
        return std::make_unique<CudaSession>(core_, film);
    }
    Result<std::unique_ptr<Simulator>> simulate(const Simulation& simulation,
                                                const Bodies& start) override {
        core_->useThread();
        return makeCudaSimulator(core_, simulation, start);
    }
    PathLengths pathLengths(const Settings& settings, const Camera& camera, int width, int height,
                            int samples, const std::stop_token& stop) override {
        core_->useThread();
        return cudaPathLengths(core_->device, core_->scene, settings, camera, width, height,
                               samples, stop);
    }
    PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width, int height,
                          int samples, const std::stop_token& stop) override {
        core_->useThread();
        return cudaPixelTimes(core_->device, core_->scene, settings, camera, width, height, samples,
                              stop);
    }
    Result<std::unique_ptr<CounterReader>> counterReader(
        const std::vector<std::string>& metrics) override {
        core_->useThread();
        return openCounterReader(core_->device.number, metrics);
    }
    Result<std::vector<KernelCounts>> countInstructions(
        const std::string& kernel, const std::function<void()>& work) override {
        core_->useThread();
        return rayscope::countInstructions(core_->device.number, kernel, work);
    }
    Result<std::vector<std::uint64_t>> countByTwins(const KernelTwins& twins,
                                                    const std::function<void()>& work) override {
        core_->useThread();
        return rayscope::countByTwins(twins, work);
    }
    Result<StallSamples> sampleStalls(double milliseconds,
                                      const std::function<void()>& work) override {
        core_->useThread();
        return rayscope::sampleStalls(1e-3 * milliseconds * core_->device.info.limits.clock, work);
    }

private:
    std::shared_ptr<CudaCore> core_;
};

}  // namespace

Result<std::unique_ptr<Renderer>> makeCudaRenderer(int number) {
    Result<CudaDevice> device = openDevice(number);
    if (!device) return device.failure();
    try {
        return std::unique_ptr<Renderer>(std::make_unique<CudaRenderer>(*std::move(device)));
    } catch (const std::exception& error) {
        return Failure{error.what()};
    }
}

}  // namespace rayscope
