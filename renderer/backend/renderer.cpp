#include "renderer/backend/renderer.h"

namespace rayscope {

void Renderer::useThread() {}

void Renderer::moveSpheres(const MovedScene& scene) {
    setScene(scene.now());
}

void Renderer::giveHierarchy(const SharedBvh&) {}

Result<std::unique_ptr<Simulator>> Renderer::simulate(const Simulation&, const Bodies&) {
    return Failure{"this backend simulates nothing: use backend=cpu or backend=cuda"};
}

Result<std::unique_ptr<CounterReader>> Renderer::counterReader(const std::vector<std::string>&) {
    return Failure{"the hardware counters shown here are a GPU's: use backend=cuda"};
}

Result<std::vector<KernelCounts>> Renderer::countInstructions(const std::string&,
                                                              const std::function<void()>&) {
    return Failure{"instructions are counted one by one on a GPU only: use backend=cuda"};
}

Result<std::vector<std::uint64_t>> Renderer::countByTwins(const KernelTwins&,
                                                          const std::function<void()>&) {
    return Failure{"kernels count their blocks on a GPU only: use backend=cuda"};
}

Result<StallSamples> Renderer::sampleStalls(double, const std::function<void()>&) {
    return Failure{"what warps wait for is sampled on a GPU only: use backend=cuda"};
}

Result<HostSamples> Renderer::sampleHost(const std::function<void()>&) {
    return Failure{"this backend has no threads whose places could be sampled"};
}

}  // namespace rayscope
