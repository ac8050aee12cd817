#include "renderer/cpu/packet_use.h"

#include <atomic>
#include <stdexcept>

#include "renderer/choices/sources.h"
#include "renderer/cpu/cpu_engines.h"
#include "renderer/cpu/path_lengths.h"
#include "renderer/cpu/pieces.h"
#include "renderer/cpu/thread_counters.h"

namespace rayscope {

PacketUse packetUse(const Settings& settings, CpuCore& core, const Camera& camera, int width,
                    int height, int samples, const std::stop_token& stop) {
    std::vector<Pixel> pixels(static_cast<size_t>(width) * height);
    const Film film{width, height, pixels.data()};
    LaunchParams<float> launch =
        launchParams<float>(settings, core.scene.scene(), camera, film, {samples});
    const BuildRequest request = core.requestFor(core.derived(settings), kBuiltIn);
    if (const std::string problem = editedProblem(request.program, settings.source);
        !problem.empty())
        throw std::runtime_error(problem);
    auto compiled = compiledUnlessStopped(request.program, sourcesOf(request), stop);
    if (!compiled) return {};
    const HostKernel kernel({request, *std::move(compiled)});
    ThreadPool& pool = *core.pool;
    CpuEngines engines;
    const RenderRectangle<float> render =
        engines.prepare(kernel, settings.hierarchy, core.scene, pool.size(), launch);
    const Pieces pieces(settings.variant.order, width, height);
    std::atomic<int> next{0};
    std::vector<ThreadCounters> counters(static_cast<size_t>(pool.size()));
    pool.run([&](int thread) {
        LaunchParams<float> mine = launch;
        mine.counters = counters[static_cast<size_t>(thread)].values;
        while (!stop.stop_requested()) {
            const Pieces::Range piece = pieces.take(next, kPiecePixels);
            if (piece.count == 0) return;
            pieces.eachRectangle(piece, [&](int x0, int y0, int x1, int y1) {
                mine.x0 = x0;
                mine.y0 = y0;
                mine.x1 = x1;
                mine.y1 = y1;
                render(mine, thread);
            });
        }
    });
    if (stop.stop_requested()) return {};
    const PacketSteps steps = engines.packetSteps();
    PacketUse use{kernel.variant().lanes == PacketLanes::sixteen ? 16 : 8, steps.closest, 0,
                  steps.shadow, 0};
    for (const ThreadCounters& c : counters) {
        use.rays += c.values[1];
        use.shadowRays += c.values[2];
    }
    return use;
}

}  // namespace rayscope
