#include "renderer/cpu/cpu_engines.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/base/free_memory.h"
#include "renderer/cpu/packet_tree.h"
#include "renderer/cpu/programs.h"

namespace rayscope {

namespace {

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

/// Calls visit(begins, i) for each sphere, in order: whether a row begins with it.
template <class Visit>
void eachInRows(const std::vector<Sphere>& spheres, Visit visit) {
    const auto same = [&](size_t i, int axis) {
        return static_cast<float>(spheres[i].center[axis]) ==
               static_cast<float>(spheres[i - 1].center[axis]);
    };
    for (size_t i = 0; i < spheres.size(); ++i)
        visit(i % kScanned == 0 || !same(i, 1) || !same(i, 2), i);
}

/// PacketScene::rowEnds
std::vector<int> rowEndsOf(const std::vector<Sphere>& spheres) {
    std::vector<int> ends(spheres.size());
    int row = 0;
    eachInRows(spheres, [&](bool begins, size_t i) {
        const int number = static_cast<int>(i);
        if (begins) row = i % kScanned == 0 ? number : row + 1;
        ends[static_cast<size_t>(row)] = number + 1;
    });
    return ends;
}

}  // namespace

bool hasRows(const Scene& scene) {
    size_t rows = 0;
    eachInRows(scene.spheres, [&](bool begins, size_t) { rows += begins; });
    return 2 * rows <= scene.spheres.size();
}

void WaveBlock::reserve(const PathBytes& bytes) {
    bytes_.resize(blockBytes(bytes, kPathsOfWave));
    for (std::vector<int>& list : lists_) list.resize(kPathsOfWave);
    for (std::vector<unsigned>& keys : keys_) keys.resize(kPathsOfWave);
}

CpuWaveMemory WaveBlock::memory(const PathBytes& bytes) {
    return {layOut(bytes, kPathsOfWave, bytes_.data()),
            {lists_[0].data(), lists_[1].data()},
            {keys_[0].data(), keys_[1].data()}};
}

template <class Real>
RenderRectangle<Real> CpuEngines::prepare(const HostKernel& kernel, Hierarchy hierarchy,
                                          HostScene& scene, int threads,
                                          LaunchParams<Real>& launch) {
    const Variant& v = kernel.variant();
    const auto render = kernel.object().function<RenderKernel<Real>>(Stage::whole);
    launch.scene = scene.packed(v, hierarchy);
    if (v.engine == Engine::wavefront) {
        wavesUse_.isNow();
        waves_.resize(std::max<size_t>(waves_.size(), threads));
        const PathBytes bytes = pathBytes(v);
        for (WaveBlock& block : waves_) block.reserve(bytes);
        return [=, this](const LaunchParams<Real>& rectangle, int thread) {
            const CpuWaveMemory memory = waves_[thread].memory(bytes);
            render(rectangle, &memory);
        };
    }
    if (wavesUse_.isLongAgo()) release();
    if (v.film == FilmSums::fixed) {
        sums_.resize(size_t{3} * launch.width * launch.height);
        launch.sums = sums_.data();
    }
    if constexpr (sizeof(Real) == 4) {
        if (v.engine == Engine::packets) {
            packets_.radiance.resize(std::max<size_t>(packets_.radiance.size(), threads));
            for (std::vector<Pixel>& radiance : packets_.radiance)
                radiance.resize(2 * kPacketPaths);
            packets_.steps.resize(packets_.radiance.size());
            const PacketScene packed = packetScene(v, hierarchy, scene, launch);
            return [=, this](const LaunchParams<float>& rectangle, int thread) {
                Pixel* const radiance = packets_.radiance[thread].data();
                const PacketMemory memory{packed, radiance, radiance + kPacketPaths,
                                          &packets_.steps[thread]};
                render(rectangle, &memory);
            };
        }
    }
    return [render](const LaunchParams<Real>& rectangle, int) { render(rectangle, nullptr); };
}

PacketScene CpuEngines::packetScene(const Variant& v, Hierarchy hierarchy, HostScene& scene,
                                    const LaunchParams<float>& launch) {
    const SceneParams<float>& p = launch.params;
    const bool walls = v.traits.features & kWalls;
    const void* structure =
        launch.scene + p.paddedCount * sphereBytes<float>(SceneLayout::soa, walls);
    const std::uint64_t version = scene.scene().version();
    if (packets_.spheresOf != version) {
        packets_.bounds.clear();
        for (const Sphere& s : scene.scene()->spheres)
            packets_.bounds.push_back(boundsOf(s, p.tMin));
        packets_.records = recordsOf(launch.scene, p, walls);
        packets_.rowEnds = rowEndsOf(scene.scene()->spheres);
        packets_.spheresOf = version;
    }
    if (v.accel == Accel::bvh) {
        if (packets_.treeOf != version || packets_.hierarchy != hierarchy) {
            packets_.tree = packetTree(structure, p.paddedCount);
            packets_.treeOf = version;
            packets_.hierarchy = hierarchy;
        }
        structure = packets_.tree.data();
    }
    return {.count = p.sphereCount,
            .padded = p.paddedCount,
            .structure = structure,
            .bounds = packets_.bounds.data(),
            .records = packets_.records.data(),
            .rowEnds = packets_.rowEnds.data(),
            .emits = lightCount(scene.scene()) > 0};
}

PacketSteps CpuEngines::packetSteps() const {
    PacketSteps sum;
    for (const PacketSteps& s : packets_.steps) {
        sum.closest += s.closest;
        sum.shadow += s.shadow;
    }
    return sum;
}

void CpuEngines::exchangeMemory(CpuEngines& other) {
    const auto bytesOf = [](const std::vector<WaveBlock>& waves) {
        return waves.empty() ? 0 : waves[0].size();
    };
    if (waves_.size() == other.waves_.size() && bytesOf(waves_) == bytesOf(other.waves_))
        std::swap(waves_, other.waves_);
    if (packets_.radiance.size() == other.packets_.radiance.size())
        std::swap(packets_.radiance, other.packets_.radiance);
    if (sums_.size() == other.sums_.size()) std::swap(sums_, other.sums_);
}

void CpuEngines::release() {
    freeMemory(waves_);
    freeMemory(sums_);
}

template RenderRectangle<float> CpuEngines::prepare(const HostKernel&, Hierarchy, HostScene&, int,
                                                    LaunchParams<float>&);
template RenderRectangle<double> CpuEngines::prepare(const HostKernel&, Hierarchy, HostScene&, int,
                                                     LaunchParams<double>&);

}  // namespace rayscope
