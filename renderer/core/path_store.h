#pragma once

#include "renderer/core/random.h"
#include "renderer/core/shapes.h"

// The only code that knows how paths are laid out in memory between the stages of Engine::wavefront
// and Engine::hybrid. Rays and hits are addressed by slot, the rest of a path by its index. The two
// are the same unless the CPU packs the live rays.

namespace rayscope {

/// Ray::from of a path that has ended.
inline constexpr int kEnded = -2;

/// Record::compact. direction.x is kNoDirection if the path has ended.
template <class Real>
struct CompactRay {
    Vec3<Real> origin, direction;
};
template <class Real>
inline constexpr Real kNoDirection = 2;

/// Record::wide.
template <class Real>
struct WideHit {
    Vec3<Real> position, normal;
    Hit<Real> hit;
};

/// The radiance that a path has gathered, and the weight of what is still to come.
template <class Real>
struct Sample {
    Vec3<Real> radiance, throughput;
};

/// The arrays of a wave; those that the variant does not need are null.
struct PathMemory {
    unsigned char *rays, *hits, *samples;
    unsigned* random;
    unsigned char* sampled;  ///< PathState::sampled
    ShapeId* from;           ///< Ray::from of compact rays that are packed
    unsigned char* alive;    ///< by slot; Compaction::host
    int capacity;            ///< in paths: the stride between arrays of components
};

/// Bytes per path in each array of PathMemory; 0: there is no such array.
struct PathBytes {
    int ray, hit, sample, random, sampled, from, alive;
};

/// True if a ray must know the shape that it leaves, in order not to hit it again at once.
constexpr RAYSCOPE_FN bool knowsFrom(const Variant& v) {
    return (v.traits.features & (kLarge | kTriangles)) != 0;
}

/// True if the variant stores hits: between two kernels, or because the next ray's `from` is read
/// from the last hit.
constexpr RAYSCOPE_FN bool keepsHits(const Variant& v) {
    return v.stages != Stages::fused || v.engine == Engine::hybrid ||
           (v.record == Record::compact && knowsFrom(v));
}

/// Bytes per path in each array. They are the same for arrays of structs and structs of arrays.
constexpr RAYSCOPE_FN PathBytes pathBytes(const Variant& v) {
    const int real = v.precision == Precision::float64 ? 8 : 4;
    const bool wide = v.record == Record::wide;
    const bool hybrid = v.engine == Engine::hybrid;
    PathBytes b{};
    b.ray = wide ? 7 * real : 6 * real;
    b.hit = !keepsHits(v) ? 0 : wide ? 8 * real : 2 * real;
    b.sample = 6 * real;
    b.random = 4;
    b.sampled = v.lightSampling ? 1 : 0;
    b.from = hybrid && !wide && knowsFrom(v) ? 4 : 0;
    b.alive = !hybrid && v.compaction == Compaction::host ? 1 : 0;
    return b;
}

constexpr RAYSCOPE_FN int total(const PathBytes& b) {
    return b.ray + b.hit + b.sample + b.random + b.sampled + b.from + b.alive;
}

template <class Real, Variant V>
struct PathStore {
    const PathMemory& memory;

    static constexpr bool kStructs =
        V.engine == Engine::hybrid || V.stateLayout == StateLayout::aos;
    static constexpr bool kWide = V.record == Record::wide;
    static constexpr bool kReferences =
        V.engine == Engine::wavefront && V.access == Access::reference;

    template <class T>
    RAYSCOPE_FN static T* as(unsigned char* array) {
        return reinterpret_cast<T*>(array);
    }
    /// Array `k` of consecutive arrays of components, each of `capacity` elements.
    RAYSCOPE_FN Real* component(unsigned char* arrays, int k) const {
        return as<Real>(arrays) + static_cast<long long>(k) * memory.capacity;
    }
    /// A vector from the three arrays from `k` on.
    RAYSCOPE_FN Vec3<Real> vector(unsigned char* arrays, int k, int i) const {
        return {component(arrays, k)[i], component(arrays, k + 1)[i], component(arrays, k + 2)[i]};
    }
    RAYSCOPE_FN void setVector(unsigned char* arrays, int k, int i, Vec3<Real> value) const {
        component(arrays, k)[i] = value.x;
        component(arrays, k + 1)[i] = value.y;
        component(arrays, k + 2)[i] = value.z;
    }
    /// An element of the array of integers that follows `k` arrays of components.
    RAYSCOPE_FN int& integer(unsigned char* arrays, int k, int i) const {
        return reinterpret_cast<int*>(component(arrays, k))[i];
    }

    RAYSCOPE_FN Ray<Real>& rayRecord(int slot) const { return as<Ray<Real>>(memory.rays)[slot]; }

    RAYSCOPE_FN WideHit<Real>& wideHit(int slot) const {
        return as<WideHit<Real>>(memory.hits)[slot];
    }
    RAYSCOPE_FN Hit<Real>& hitRecord(int slot) const {
        return kWide ? wideHit(slot).hit : as<Hit<Real>>(memory.hits)[slot];
    }
    /// A copy, or with Access::reference the record itself.
    RAYSCOPE_FN decltype(auto) hit(int slot) const {
        if constexpr (kReferences) {
            return hitRecord(slot);
        } else if constexpr (kStructs) {
            return Hit<Real>{hitRecord(slot)};
        } else {
            constexpr int kFirst = kWide ? 6 : 0;
            return Hit<Real>{component(memory.hits, kFirst)[slot],
                             integer(memory.hits, kFirst + 1, slot)};
        }
    }
    RAYSCOPE_FN void setHit(int slot, const Hit<Real>& hit) const {
        if constexpr (kStructs) {
            hitRecord(slot) = hit;
        } else {
            constexpr int kFirst = kWide ? 6 : 0;
            component(memory.hits, kFirst)[slot] = hit.distance;
            integer(memory.hits, kFirst + 1, slot) = hit.shape;
        }
    }

    /// The shape that the ray in this slot leaves; for a compact ray, the one hit last.
    RAYSCOPE_FN ShapeId from(int slot, bool first) const {
        if constexpr (kWide) {
            return kStructs ? rayRecord(slot).from : integer(memory.rays, 6, slot);
        } else if constexpr (!knowsFrom(V)) {
            return kNoShape;
        } else if constexpr (V.engine == Engine::hybrid) {
            return memory.from[slot];
        } else {
            return first ? kNoShape : hit(slot).shape;
        }
    }

    /// A copy, or with Access::reference the wide record itself. A compact record lacks `from`, so
    /// then it is a copy in any case. `first`: it is a camera ray.
    RAYSCOPE_FN decltype(auto) ray(int slot, bool first) const {
        if constexpr (kReferences && kWide) {
            return rayRecord(slot);
        } else if constexpr (kStructs && kWide) {
            return Ray<Real>{rayRecord(slot)};
        } else if constexpr (kStructs) {
            const CompactRay<Real> r = as<CompactRay<Real>>(memory.rays)[slot];
            return Ray<Real>{r.origin, r.direction, from(slot, first)};
        } else {
            return Ray<Real>{vector(memory.rays, 0, slot), vector(memory.rays, 3, slot),
                             from(slot, first)};
        }
    }
    RAYSCOPE_FN void setRay(int slot, const Ray<Real>& ray) const {
        if constexpr (kStructs && kWide) {
            rayRecord(slot) = ray;
        } else if constexpr (kStructs) {
            as<CompactRay<Real>>(memory.rays)[slot] = {ray.origin, ray.direction};
            if constexpr (pathBytes(V).from > 0) memory.from[slot] = ray.from;
        } else {
            setVector(memory.rays, 0, slot, ray.origin);
            setVector(memory.rays, 3, slot, ray.direction);
            if constexpr (kWide) integer(memory.rays, 6, slot) = ray.from;
        }
    }

    RAYSCOPE_FN bool ended(int slot) const {
        if constexpr (kWide) return from(slot, false) == kEnded;
        const Real x = kStructs ? as<CompactRay<Real>>(memory.rays)[slot].direction.x
                                : component(memory.rays, 3)[slot];
        return x == kNoDirection<Real>;
    }
    RAYSCOPE_FN void end(int slot) const {
        if constexpr (kStructs && kWide) {
            rayRecord(slot).from = kEnded;
        } else if constexpr (kWide) {
            integer(memory.rays, 6, slot) = kEnded;
        } else if constexpr (kStructs) {
            as<CompactRay<Real>>(memory.rays)[slot].direction.x = kNoDirection<Real>;
        } else {
            component(memory.rays, 3)[slot] = kNoDirection<Real>;
        }
    }

    /// Record::wide: the position of a hit, and the outward normal there.
    RAYSCOPE_FN Vec3<Real> position(int slot) const {
        return kStructs ? wideHit(slot).position : vector(memory.hits, 0, slot);
    }
    RAYSCOPE_FN Vec3<Real> normal(int slot) const {
        return kStructs ? wideHit(slot).normal : vector(memory.hits, 3, slot);
    }
    RAYSCOPE_FN void setPlace(int slot, Vec3<Real> position, Vec3<Real> normal) const {
        if constexpr (kStructs) {
            wideHit(slot).position = position;
            wideHit(slot).normal = normal;
        } else {
            setVector(memory.hits, 0, slot, position);
            setVector(memory.hits, 3, slot, normal);
        }
    }

    RAYSCOPE_FN Sample<Real>& sampleRecord(int path) const {
        return as<Sample<Real>>(memory.samples)[path];
    }
    RAYSCOPE_FN Vec3<Real> radiance(int path) const { return colour(0, path); }
    RAYSCOPE_FN Vec3<Real> throughput(int path) const { return colour(1, path); }
    RAYSCOPE_FN void setRadiance(int path, Vec3<Real> value) const { setColour(0, path, value); }
    RAYSCOPE_FN void setThroughput(int path, Vec3<Real> value) const { setColour(1, path, value); }

    RAYSCOPE_FN GeneratorOf<V>& random(int path) const {
        return reinterpret_cast<GeneratorOf<V>&>(memory.random[path]);
    }
    RAYSCOPE_FN bool sampled(int path) const {
        if constexpr (V.lightSampling) return memory.sampled[path] != 0;
        return false;
    }
    RAYSCOPE_FN void setSampled(int path, bool value) const {
        if constexpr (V.lightSampling) memory.sampled[path] = value;
    }

private:
    /// 0: radiance, 1: throughput.
    RAYSCOPE_FN Vec3<Real> colour(int which, int path) const {
        if constexpr (V.sampleLayout == SampleLayout::split) {
            return vector(memory.samples, 3 * which, path);
        } else {
            return colours(which, path);
        }
    }
    RAYSCOPE_FN void setColour(int which, int path, Vec3<Real> value) const {
        if constexpr (V.sampleLayout == SampleLayout::split) {
            setVector(memory.samples, 3 * which, path, value);
        } else {
            colours(which, path) = value;
        }
    }
    RAYSCOPE_FN Vec3<Real>& colours(int which, int path) const {
        Vec3<Real>* const all = as<Vec3<Real>>(memory.samples);
        if constexpr (V.sampleLayout == SampleLayout::aos) return all[2 * path + which];
        return all[static_cast<long long>(which) * memory.capacity + path];
    }
};

}  // namespace rayscope
