#include "renderer/cpu/apart_kernel.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "renderer/base/timeline.h"

namespace rayscope {

namespace {

/// Copies the pixels [begin, end) of Pieces from one film to another of the same size.
void copyPieces(const PassPlan& plan, int end, const Pixel* from, Pixel* to) {
    const auto copy = [&](int x0, int y0, int x1, int y1) {
        for (int y = y0; y < y1; ++y) {
            const std::size_t first = static_cast<std::size_t>(y) * plan.width + x0;
            std::copy_n(from + first, x1 - x0, to + first);
        }
    };
    Pieces(plan.order, plan.width, plan.height).each(plan.begin, end, copy);
}

/// A wave's memory of each thread, in the arena that it works in.
unsigned char* layWaves(const Variant& v, int threads, ArenaParts& given, ArenaParts& work,
                        std::vector<CpuWaveMemory>& waves) {
    const PathBytes bytes = pathBytes(v);
    for (int i = 0; i < threads; ++i) {
        CpuWaveMemory m{};
        m.paths =
            layOut(bytes, kPathsOfWave, work.take<unsigned char>(blockBytes(bytes, kPathsOfWave)));
        for (int*& list : m.list) list = work.take<int>(kPathsOfWave);
        for (unsigned*& keys : m.keys) keys = work.take<unsigned>(kPathsOfWave);
        waves.push_back(m);
    }
    return reinterpret_cast<unsigned char*>(given.take<CpuWaveMemory>(waves.size()));
}

unsigned char* layPackets(int threads, ArenaParts& given, ArenaParts& work,
                          std::vector<PacketMemory>& packets) {
    for (int i = 0; i < threads; ++i) {
        Pixel* const radiance = work.take<Pixel>(std::size_t{2} * kPacketPaths);
        packets.push_back({{}, radiance, radiance + kPacketPaths, work.take<PacketSteps>(1)});
    }
    return reinterpret_cast<unsigned char*>(given.take<PacketMemory>(packets.size()));
}

}  // namespace

bool ApartKernel::busy() const {
    using enum ApartProcess::State;
    return process_ && (process_->state() == busy || process_->state() == loading);
}

/// The process, and the memory of its threads.
void ApartKernel::start(int threads) {
    process_.reset();
    process_ = std::make_unique<ApartProcess>(compiled_, threads);
    threads_ = threads;
    ArenaParts given(process_->given(), process_->givenBytes());
    ArenaParts work(process_->work(), process_->workBytes());
    std::vector<CpuWaveMemory> waves;
    std::vector<PacketMemory> packets;
    memory_ = nullptr;
    if (variant_.engine == Engine::wavefront)
        memory_ = layWaves(variant_, threads, given, work, waves);
    else if (variant_.engine == Engine::packets)
        memory_ = layPackets(threads, given, work, packets);
    process_->given().reserve(givenEnd_ = given.end());
    process_->work().reserve(workEnd_ = work.end());
    if (!waves.empty()) std::memcpy(memory_, waves.data(), waves.size() * sizeof waves[0]);
    if (!packets.empty())
        std::copy(packets.begin(), packets.end(), reinterpret_cast<PacketMemory*>(memory_));
    given_ = {};
    width_ = height_ = 0;
}

/// Whether the process is idle. A pass that was begun before is given up: nobody knows what has
/// become of its film meanwhile.
bool ApartKernel::ready(int threads, double waitMs, double stallMs) {
    if (!process_ || threads != threads_) start(threads);
    if (process_->wait(waitMs, stallMs) == ApartProcess::State::ended) dead_ = process_->end();
    return process_->state() == ApartProcess::State::idle;
}

Result<HostSamples> ApartKernel::sample(const std::function<void()>& work) {
    if (!process_ || busy()) return Failure{"the edited kernel is not ready"};
    const ApartProcess* const sampled = process_.get();
    process_->setSampled(true);
    work();
    if (process_.get() != sampled || process_->state() != ApartProcess::State::idle)
        return Failure{dead_.empty() ? "the edited kernel was started anew"
                                     : "the edited kernel " + dead_};
    process_->setSampled(false);
    return process_->samples();
}

/// The arrays that packets read beside the scene. The structure may be a part of that.
void ApartKernel::givePackets(const PacketScene& packets, const unsigned char* scene,
                              std::size_t bytes, const PacketBlocks& blocks, ArenaParts& parts) {
    const auto copied = [&](const auto& array) {
        using Element = std::remove_cvref_t<decltype(array[0])>;
        auto* const copy = parts.take<Element>(array.size());
        process_->given().reserve(parts.end());
        std::copy(array.begin(), array.end(), copy);
        return copy;
    };
    packets_ = packets;
    packets_.bounds = copied(blocks.bounds);
    packets_.records = copied(blocks.records);
    packets_.rowEnds = copied(blocks.rowEnds);
    const auto* const structure = static_cast<const unsigned char*>(packets.structure);
    const bool inScene = structure >= scene && structure <= scene + bytes;
    packets_.structure = inScene ? scene_ + (structure - scene) : copied(blocks.tree);
}

/// The scene, as the kernel reads it, if it is not there yet, and the orders.
template <class Real>
void ApartKernel::give(const Work<Real>& work) {
    HostScene& scene = *work.scene;
    LaunchParams<Real> launch = work.launch;
    launch.scene = scene.packed(variant_, work.hierarchy);
    PacketScene packets;
    if constexpr (sizeof(Real) == 4) {
        if (variant_.engine == Engine::packets)
            packets = work.engines->packetScene(variant_, work.hierarchy, scene, launch);
    }
    const PacketBlocks& blocks = work.engines->packets();
    const Given wanted{scene.packedNumber(), blocks.spheresOf, blocks.treeOf, blocks.hierarchy};
    if (!(given_ == wanted)) {
        const std::size_t bytes = scene.packedBytes();
        ArenaParts parts(process_->given(), givenEnd_);
        auto* const copy = parts.take<unsigned char>(bytes);
        process_->given().reserve(parts.end());
        std::memcpy(copy, launch.scene, bytes);
        scene_ = copy;
        if (packets.structure != nullptr) givePackets(packets, launch.scene, bytes, blocks, parts);
        given_ = wanted;
    }
    launch.scene = scene_;
    launch.film = filmOf(launch.width, launch.height);
    if (variant_.film == FilmSums::fixed)
        launch.sums = reinterpret_cast<Fixed*>(launch.film + std::size_t(width_) * height_);
    ApartOrders& orders = process_->orders();
    orders.plan = work.plan;
    orders.inDouble = sizeof(Real) == 8;
    if constexpr (sizeof(Real) == 8)
        orders.doubleLaunch = launch;
    else
        orders.singleLaunch = launch;
    orders.memory = memory_;
    orders.memoryBytes = variant_.engine == Engine::wavefront ? sizeof(CpuWaveMemory)
                         : variant_.engine == Engine::packets ? sizeof(PacketMemory)
                                                              : 0;
    if (variant_.engine != Engine::packets) return;
    for (int i = 0; i < threads_; ++i) reinterpret_cast<PacketMemory*>(memory_)[i].scene = packets_;
}

/// The film in the arena, with its sums in fixed point behind it.
Pixel* ApartKernel::filmOf(int width, int height) {
    const std::size_t pixels = static_cast<std::size_t>(width) * height;
    ArenaParts parts(process_->work(), workEnd_);
    Pixel* const film = parts.take<Pixel>(pixels);
    if (width == width_ && height == height_) return film;
    Fixed* const sums = reinterpret_cast<Fixed*>(film + pixels);
    const std::size_t count = variant_.film == FilmSums::fixed ? 3 * pixels : 0;
    process_->work().reserve(parts.end() + count * sizeof(Fixed));
    std::fill_n(sums, count, Fixed{0});
    width_ = width;
    height_ = height;
    return film;
}

template <class Real>
std::optional<ApartKernel::Done> ApartKernel::render(const Work<Real>& work) {
    if (!dead_.empty() || !ready(work.threads, work.waitMs, work.stallMs)) return {};
    give(work);
    const Zone zone("apart");
    Pixel* const film = filmOf(work.plan.width, work.plan.height);
    copyPieces(work.plan, work.plan.end, work.film, film);
    ThreadCounters* const counters = process_->orders().counters;
    std::fill_n(counters, threads_, ThreadCounters{});
    process_->orders().plan.start = Clock::now();
    process_->begin();
    const ApartProcess::State state = process_->wait(work.waitMs, work.stallMs);
    if (state == ApartProcess::State::ended) dead_ = process_->end();
    if (state != ApartProcess::State::idle) return {};
    Done done{process_->pass(), {counters, counters + threads_}};
    copyPieces(work.plan, done.pass.next, film, work.film);
    return done;
}

template std::optional<ApartKernel::Done> ApartKernel::render(const Work<float>&);
template std::optional<ApartKernel::Done> ApartKernel::render(const Work<double>&);

}  // namespace rayscope
