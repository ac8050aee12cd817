#include "renderer/cpu/cpu_engines.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/base/free_memory.h"
#include "renderer/cpu/builds.h"
#include "renderer/cpu/packet_tree.h"

namespace rayscope {

namespace {

/// Paths of a wave: enough for a few pixels even of the largest pass, and few enough that a wave
/// stays in the second-level cache.
constexpr int kPathsOfWave = 4096;

/// Index of the smallest of kCpuFeatures that covers the scene. Walls change the layout, so they
/// must match.
int featureSet(unsigned features) {
    if (features & kWalls) return 2;
    return (features & ~kCpuFeatures[0]) == 0 ? 0 : 1;
}

/// CpuWaveVariant::features
int waveFeatures(unsigned features) {
    if ((features & kTriangles) == 0) return featureSet(features);
    return kCpuFeatureSets + (features & kPlaces ? 2 : features & kWalls ? 1 : 0);
}

template <class Real>
const CpuKernels<Real>& kernels(Opt opt) {
    const CpuBuild build = cpuBuild(opt);
    if constexpr (sizeof(Real) == 4)
        return build.float32;
    else
        return build.float64;
}

template <class Real>
CpuKernel<Real> chooseKernel(const Settings& settings, const CpuVariant& v, unsigned features) {
    const CpuKernels<Real>& table = kernels<Real>(settings.opt);
    if (features & kTriangles) {
        const bool pictures = features & kPictures;
        const bool places = features & kPlaces;
        return table.meshes[index(CpuMeshVariant{v.layout, v.features == 2, pictures, places})];
    }
    if (settings.variant.engine == Engine::regeneration)
        return table.regeneration[index(CpuRegenerationVariant{v.layout, v.features})];
    return settings.variant.countRays ? table.kernels[index(v)] : table.uncounted[v.features];
}

SphereBounds boundsOf(const Sphere& s, double tMin) {
    const double center2 = glm::dot(s.center, s.center), radius2 = s.radius * s.radius;
    const double slack = kSquareSlack * (center2 + radius2);
    return {static_cast<float>(center2 - radius2 - slack),
            static_cast<float>(tMin - 1.001 * std::sqrt(radius2 + slack))};
}

/// Of the spheres of a scene packed as SceneLayout::soa; at least one, as lanes that hit none read
/// the first.
std::vector<PacketRecord> recordsOf(const unsigned char* packed, const SceneParams<float>& params,
                                    bool walls) {
    const auto at = [&](int field, int sphere) {
        return reinterpret_cast<const float*>(packed)[field * params.paddedCount + sphere];
    };
    const int material = geometryFields(walls);
    std::vector<PacketRecord> records(std::max<size_t>(1, params.paddedCount));
    for (int i = 0; i < params.paddedCount; ++i) {
        const auto of = [&](int field) { return at(material + field, i); };
        const auto normal = [&](int field) { return walls ? at(field, i) : 0; };
        records[i] = {{at(kX, i), at(kY, i), at(kZ, i), walls ? at(kScale, i) : of(kInverseRadius)},
                      {of(kAlbedoR), of(kAlbedoG), of(kAlbedoB), of(kRoughness)},
                      {of(kIndex), of(kKind)},
                      {of(kEmissionR), of(kEmissionG), of(kEmissionB)},
                      {normal(kNormalX), normal(kNormalY), normal(kNormalZ)}};
    }
    return records;
}

/// PacketScene::rowEnds. A row takes a loop of its own; empty where rows are too short for that to
/// pay.
std::vector<int> rowEndsOf(const std::vector<PacketRecord>& records, int spheres) {
    std::vector<int> ends(static_cast<size_t>(spheres));
    int row = 0, rows = 0;
    for (int i = 0; i < spheres; ++i) {
        const auto same = [&](int axis) {
            return records[i].sphere[axis] == records[i - 1].sphere[axis];
        };
        const bool begins = i % kScanned == 0;
        if (begins || !same(1) || !same(2)) {
            row = begins ? i : row + 1;
            ++rows;
        }
        ends[row] = i + 1;
    }
    if (2 * rows > spheres) ends.clear();
    return ends;
}

}  // namespace

void WaveBlock::reserve(const PathBytes& bytes) {
    bytes_.resize(blockBytes(bytes, kPathsOfWave));
    list_.resize(kPathsOfWave);
}

CpuWaveMemory WaveBlock::memory(const PathBytes& bytes, bool list, bool fused) {
    return {layOut(bytes, kPathsOfWave, bytes_.data()), list ? list_.data() : nullptr, fused};
}

template <class Real>
RenderRectangle<Real> CpuEngines::prepare(const Settings& settings, HostScene& scene, int threads,
                                          LaunchParams<Real>& launch) {
    const Variant& v = settings.variant;
    if (v.engine == Engine::wavefront) return prepareWaves(settings, scene, threads, launch);
    if (wavesUse_.isLongAgo()) release();
    if constexpr (sizeof(Real) == 4) {
        if (v.engine == Engine::packets) return preparePackets(settings, scene, threads, launch);
    }
    const CpuVariant variant{v.path, v.sceneLayout, featureSet(scene.traits().features),
                             v.random == Random::shared};
    launch.scene = scene.packed<Real>(variant.layout, v.accel, settings.hierarchy, v.triangle);
    const CpuKernel<Real> kernel = chooseKernel<Real>(settings, variant, scene.traits().features);
    return [kernel](const LaunchParams<Real>& rectangle, int) { kernel(rectangle); };
}

/// Engine::wavefront: every thread has a wave of its own.
template <class Real>
RenderRectangle<Real> CpuEngines::prepareWaves(const Settings& settings, HostScene& scene,
                                               int threads, LaunchParams<Real>& launch) {
    const Variant& v = settings.variant;
    const CpuWaveVariant variant{v.stateLayout, v.sceneLayout,
                                 waveFeatures(scene.traits().features)};
    launch.scene = scene.packed<Real>(variant.scene, v.accel, settings.hierarchy, v.triangle);
    wavesUse_.isNow();
    waves_.resize(std::max<size_t>(waves_.size(), threads));
    const PathBytes bytes = pathBytes(cpuWave(variant, v.precision));
    for (WaveBlock& block : waves_) block.reserve(bytes);
    const CpuWaveKernel<Real> kernel = kernels<Real>(settings.opt).waves[index(variant)];
    const bool list = v.compaction == Compaction::host, fused = v.stages == Stages::fused;
    return [=, this](const LaunchParams<Real>& rectangle, int thread) {
        kernel(rectangle, waves_[thread].memory(bytes, list, fused));
    };
}

/// Engine::packets: every thread keeps the radiance of some thousand paths.
RenderRectangle<float> CpuEngines::preparePackets(const Settings& settings, HostScene& scene,
                                                  int threads, LaunchParams<float>& launch) {
    launch.scene =
        scene.packed<float>(SceneLayout::soa, settings.variant.accel, settings.hierarchy);
    const SceneParams<float>& p = launch.params;
    const unsigned features = scene.traits().features;
    const bool walls = features & kWalls;
    const void* structure =
        launch.scene + p.paddedCount * sphereBytes<float>(SceneLayout::soa, walls);
    const std::uint64_t version = scene.scene().version();
    if (packets_.spheresOf != version) {
        packets_.bounds.clear();
        for (const Sphere& s : scene.scene()->spheres)
            packets_.bounds.push_back(boundsOf(s, p.tMin));
        packets_.records = recordsOf(launch.scene, p, walls);
        packets_.rowEnds = rowEndsOf(packets_.records, p.sphereCount);
        packets_.spheresOf = version;
    }
    if (settings.variant.accel == Accel::bvh) {
        if (packets_.treeOf != version || packets_.hierarchy != settings.hierarchy) {
            packets_.tree = packetTree(structure, p.paddedCount);
            packets_.treeOf = version;
            packets_.hierarchy = settings.hierarchy;
        }
        structure = packets_.tree.data();
    }
    packets_.radiance.resize(std::max<size_t>(packets_.radiance.size(), threads));
    for (std::vector<Pixel>& radiance : packets_.radiance) radiance.resize(2 * kPacketPaths);
    packets_.steps.resize(packets_.radiance.size());
    const bool byRows = settings.scan == Scan::rows && !packets_.rowEnds.empty();
    const PacketScene packed{.count = p.sphereCount,
                             .padded = p.paddedCount,
                             .structure = structure,
                             .bounds = packets_.bounds.data(),
                             .records = packets_.records.data(),
                             .rowEnds = byRows ? packets_.rowEnds.data() : nullptr,
                             .emits = lightCount(scene.scene()) > 0,
                             .fastScan = settings.scan != Scan::each};
    const PacketVariant variant{featureSet(features), settings.variant.accel == Accel::grid,
                                settings.variant.numbers == Numbers::lcg};
    const PacketKernel kernel = packetBuild(settings.lanes).kernels->kernels[index(variant)];
    const bool refill = settings.laneRefill, queue = settings.variant.lightQueue;
    const bool hits = settings.lanesTake == LanesTake::hits;
    return [=, this](const LaunchParams<float>& rectangle, int thread) {
        Pixel* const radiance = packets_.radiance[thread].data();
        kernel(rectangle, {packed, radiance, radiance + kPacketPaths, refill, hits, queue,
                           &packets_.steps[thread]});
    };
}

PacketSteps CpuEngines::packetSteps() const {
    PacketSteps sum;
    for (const PacketSteps& s : packets_.steps) {
        sum.closest += s.closest;
        sum.shadow += s.shadow;
    }
    return sum;
}

void CpuEngines::release() {
    freeMemory(waves_);
}

template RenderRectangle<float> CpuEngines::prepare(const Settings&, HostScene&, int,
                                                    LaunchParams<float>&);
template RenderRectangle<double> CpuEngines::prepare(const Settings&, HostScene&, int,
                                                     LaunchParams<double>&);

}  // namespace rayscope
