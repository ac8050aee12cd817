#pragma once

#include "renderer/core/camera_ray.h"
#include "renderer/core/shade.h"
#include "renderer/cpu/kernels/packet_queue.h"
#include "renderer/cpu/kernels/packet_search.h"
#include "renderer/cpu/kernels/packet_shade.h"

// Engine::packets: a path in every lane of a SIMD register. A lane whose path ends takes the next
// sample, with LanesTake::hits once its camera ray has been traced, in a packet of camera rays.
// Hits that sample lights wait in a queue until there is one for every lane.

namespace rayscope {

/// The launch with every number in all lanes.
RAYSCOPE_FN CameraParams<Floats> spread(const CameraParams<float>& c) {
    return {
        spread(c.origin), spread(c.corner), spread(c.right), spread(c.down), spread(c.lensRight),
        spread(c.lensUp), c.start,          c.lens,          c.tent,         c.aimRadius};
}
RAYSCOPE_FN void spread(const SceneParams<float>& from, SceneParams<Floats>& to) {
    to.tMin = from.tMin;
    to.tMax = from.tMax;
    to.floor = from.floor;
    to.sky = from.sky;
    to.skyMiddle = spread(from.skyMiddle);
    to.skyHalf = spread(from.skyHalf);
    to.skyTop = spread(from.skyTop);
    to.cardLightCorner = spread(from.cardLightCorner);
    to.cardLightSize = from.cardLightSize;
    to.rouletteDepth = from.rouletteDepth;
    to.lightCount = from.lightCount;
    for (int k = 0; k < from.lightCount; ++k) {
        const LightSphere<float>& light = from.lights[k];
        to.lights[k] = {spread(light.center), light.radius, spread(light.emission), light.id};
    }
}

/// A path in every lane. place: where its sample lies among those of the batch.
template <class Generator>
struct Paths {
    Ray<Floats> ray;
    Hit<Floats> hit;
    Vec3<Floats> throughput, radiance;
    Generator rng;
    Words place, depth;
    Mask alive, sampled;
};

/// A colour and a place in memory for each lane, to be written one by one.
struct LaneRecords {
    alignas(16) float colours[4 * kWidth];
    alignas(64) unsigned place[kWidth];

    RAYSCOPE_FN LaneRecords(const Vec3<Floats>& colour, Words places) {
        store(place, places);
        eachRecord(colour.x, colour.y, colour.z, [&](int lane, __m128 record) RAYSCOPE_INLINED {
            _mm_store_ps(colours + 4 * lane, record);
        });
    }
    RAYSCOPE_FN __m128 colour(int lane) const { return _mm_load_ps(colours + 4 * lane); }
};

/// Renders a rectangle, in batches of kPacketPaths samples.
template <Variant V>
class PacketTracer {
public:
    PacketTracer(const LaunchParams<float>& launch, const PacketMemory& memory)
        : launch_(launch), memory_(memory), view_{{launch.scene, lanes_.params}, memory.scene} {
        lanes_.width = launch.width;
        lanes_.camera = spread(launch.camera);
        spread(launch.params, lanes_.params);
    }

    void render() {
        const int pixels = (launch_.x1 - launch_.x0) * (launch_.y1 - launch_.y0);
        const int samples = pixels * launch_.samples;
        for (first_ = 0; first_ < samples; first_ += kPacketPaths) {
            end_ = minimum(first_ + kPacketPaths, samples);
            if (lightCount() > 0) clearLights();
            trace();
            sumUp();
        }
        addCounts();
    }

private:
    using Generator = LaneRng<V>;
    using InLanes = Paths<Generator>;
    static constexpr bool kTakesHits = V.lanesTake == LanesTake::hits;

    int lightCount() const { return V.lightSampling ? launch_.params.lightCount : 0; }

    /// The camera rays of the next samples of the batch, one in each lane. With LanesTake::hits
    /// they are traced, and those that hit nothing end here.
    RAYSCOPE_CALL void makeCameraRays() {
        const Words number = Words(made_) + laneNumbers();
        const int width = launch_.x1 - launch_.x0;
        const Words pixel = quotient(number, launch_.samples), y = quotient(pixel, width);
        const Words x = pixel - y * Words(width) + Words(launch_.x0);
        const Words row = y + Words(launch_.y0);
        const Words sample = number - pixel * Words(launch_.samples) + Words(launch_.firstSample);
        const Words index = row * Words(launch_.width) + x;
        Generator rng = generatorAt<Generator>(sample, hash(index + hash(Words(launch_.seed))));
        const Ray<Floats> ray = cameraRay<V>(lanes_, x, row, sample, rng);
        const Words place = number - Words(first_);
        const int fresh = minimum(kWidth, end_ - made_);
        Mask begun = Mask::of((1u << fresh) - 1);
        counts_.camera += fresh;
        made_ += kWidth;
        Hit<Floats> hit{0, kNoShape};
        if constexpr (kTakesHits) {
            hit = find(ray, begun);
            const Mask missed = begun & (hit.shape < Words(0));
            if (any(missed)) end(missed, skyAt(ray), place, 0);
            begun = begun & !missed;
        }
        const Vec3<Floats> o = ray.origin, d = ray.direction;
        begun_.push(begun.bits(), {o.x, o.y, o.z, d.x, d.y, d.z, hit.distance, asFloats(hit.shape),
                                   asFloats(rng.state), asFloats(place)});
    }

    /// Fills lanes without a path.
    RAYSCOPE_FN void begin(InLanes& p) {
        const unsigned dead = ~p.alive.bits() & kAllLanes;
        if (dead == 0 || (!V.laneRefill && dead != kAllLanes)) return;
        const int wanted = __builtin_popcount(dead);
        while (begun_.count < wanted && made_ < end_) makeCameraRays();
        if (begun_.count == 0) return;
        const Mask fresh = Mask::of(lowest(dead, begun_.count));
        begun_.spread(fresh, {&p.ray.origin.x, &p.ray.origin.y, &p.ray.origin.z, &p.ray.direction.x,
                              &p.ray.direction.y, &p.ray.direction.z, &p.hit.distance});
        Floats shape = asFloats(p.hit.shape), state = asFloats(p.rng.state);
        Floats place = asFloats(p.place);
        begun_.template spread<7>(fresh, {&shape, &state, &place});
        begun_.drop(count(fresh));
        p.hit.shape = asWords(shape);
        p.rng.state = asWords(state);
        p.place = asWords(place);
        p.ray.from = select(fresh, Words(kNoShape), p.ray.from);
        p.throughput = select(fresh, Vec3<Floats>{1, 1, 1}, p.throughput);
        p.radiance = select(fresh, Vec3<Floats>{0, 0, 0}, p.radiance);
        p.depth = select(fresh, Words(0), p.depth);
        p.sampled = p.sampled & !fresh;
        p.alive = p.alive | fresh;
    }

    void trace() {
        InLanes p{};
        p.alive = p.sampled = false;
        begun_.count = hits_.count = 0;
        made_ = first_;
        do {
            if constexpr (!kTakesHits) begin(p);
            if (any(p.alive)) step(p);
            if constexpr (kTakesHits) begin(p);
            if (any(p.alive)) shade(p);
        } while (any(p.alive) || begun_.count > 0 || made_ < end_);
        if (hits_.count > 0) sampleLights(hits_.count);
    }

    RAYSCOPE_FN Hit<Floats> find(const Ray<Floats>& ray, Mask where) {
        counts_.closest += count(where);
        ++counts_.steps;
        return closestHit(view_, ray, where);
    }

    RAYSCOPE_FN Vec3<Floats> skyAt(const Ray<Floats>& ray) const {
        if constexpr (has(V, kGradientSky | kPowerSky))
            return skyRadiance(view_, ray.direction);
        else
            return {0, 0, 0};
    }

    /// Traces a ray of every path. Those that hit nothing end.
    RAYSCOPE_FN void step(InLanes& p) {
        p.hit = find(p.ray, p.alive);
        const Mask missed = p.alive & (p.hit.shape < Words(0));
        if (!any(missed)) return;
        p.radiance = select(missed, p.radiance + p.throughput * skyAt(p.ray), p.radiance);
        end(missed, p.radiance, p.place, p.depth);
        p.alive = p.alive & !missed;
    }

    /// Shades the hit of every path, which then ends or has its next ray.
    RAYSCOPE_FN void shade(InLanes& p) {
        const Mask last = p.depth + 1 >= Words(launch_.maxDepth);
        const PacketSurface s = surfaceAt(view_, p.ray, p.hit);
        const LaneBounce b =
            shadeLanes<V>(view_, p.ray, s, {&p.rng, p.depth, p.sampled}, p.alive & !last);
        Vec3<Floats> added = b.emitted;
        if constexpr (has(V, kFloor | kGlossy)) addCardLight(p, s, added);
        p.radiance = p.radiance + p.throughput * added;
        if constexpr (V.lightSampling) {
            if (any(b.sampled)) enqueue(p, s, b.sampled);
        }
        const Mask ended = p.alive & !b.alive;
        if (any(ended)) end(ended, p.radiance, p.place, p.depth);
        p.throughput = p.throughput * b.weight;
        p.ray = b.next;
        p.depth = p.depth + 1;
        p.alive = p.alive & !ended;
        p.sampled = b.sampled;
    }

    /// The business card's lamp, which its floor and its spheres sample.
    RAYSCOPE_FN void addCardLight(InLanes& p, const PacketSurface& s, Vec3<Floats>& added) {
        const Mask asks = p.alive & ((s.material.kind == MaterialKind::checker) |
                                     (s.material.kind == MaterialKind::glossy));
        if (!any(asks)) return;
        Generator rng = p.rng;
        const LightSample<Floats> light = sampleCardLight(view_, p.ray, s, rng);
        p.rng = select(asks, rng, p.rng);
        const Mask wanted = asks & light.wanted;
        if (!any(wanted)) return;
        counts_.shadow += count(wanted);
        ++counts_.shadowSteps;
        const Mask hidden = occluded(view_, light.ray, light.distance, light.except, wanted);
        added = select(wanted & !hidden, added + light.radiance, added);
    }

    /// Puts hits that sample the lights into the queue, with a copy of the path's random numbers,
    /// and skips those that the lights will draw.
    RAYSCOPE_FN void enqueue(InLanes& p, const PacketSurface& s, Mask hits) {
        const Vec3<Floats> o = s.position, n = s.facing, c = p.throughput * s.material.albedo;
        hits_.push(hits.bits(), {o.x, o.y, o.z, n.x, n.y, n.z, c.x, c.y, c.z, asFloats(p.rng.state),
                                 asFloats(p.place), asFloats(s.shape)});
        for (int k = 0; k < lightCount(); ++k) {
            const Mask drawn = hits & lightInView<V>(lanes_.params.lights[k], s).seen;
            p.rng.state = select(drawn, skipTwo(p.rng.state), p.rng.state);
        }
        if (hits_.count >= kWidth) sampleLights(kWidth);
        if (!V.lightQueue && hits_.count > 0) sampleLights(hits_.count);
    }

    /// Asks the lights for the first hits of the queue. In their order, so that the light of a path
    /// is summed from its first vertex on, whatever other paths there are.
    RAYSCOPE_CALL void sampleLights(int hits) {
        const auto& f = hits_;
        const Vec3<Floats> position = f.vector(0), facing = f.vector(3), albedo = f.vector(6);
        Generator rng{asWords(f.number(9))};
        const Words place = asWords(f.number(10)), shape = asWords(f.number(11));
        const PacketSurface s{position, facing, facing, lambertOf(albedo), shape};
        const Mask valid = Mask::of((1u << hits) - 1);
        hits_.drop(hits);
        const Ray<Floats> none{position, facing, shape};
        Vec3<Floats> sum{0, 0, 0};
        for (int k = 0; k < lightCount(); ++k) {
            const LightSample<Floats> light = sampleLight(lambertView(view_), none, s, k, rng);
            const Mask wanted = valid & light.wanted;
            if (!any(wanted)) continue;
            counts_.shadow += count(wanted);
            ++counts_.shadowSteps;
            const Mask hidden = occluded(view_, light.ray, light.distance, light.except, wanted);
            sum = select(wanted & !hidden, sum + light.radiance, sum);
        }
        const LaneRecords records(sum, place);
        for (int lane = 0; lane < hits; ++lane) {
            float* const light = &memory_.lights[records.place[lane]].r;
            _mm_store_ps(light, _mm_add_ps(_mm_load_ps(light), records.colour(lane)));
        }
    }

    /// Keeps the radiance of paths that have ended, and counts their rays.
    RAYSCOPE_FN void end(Mask ended, const Vec3<Floats>& radiance, Words place, Words depths) {
        const LaneRecords records(radiance, place);
        alignas(64) unsigned depth[kWidth];
        store(depth, depths);
        for (unsigned left = ended.bits(); left != 0; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            _mm_store_ps(&memory_.radiance[records.place[lane]].r, records.colour(lane));
            if constexpr (V.countDepths) ++counts_.lengths[lane % 4][depth[lane]];
        }
    }

    RAYSCOPE_CALL void clearLights() {
        for (int i = 0; i < end_ - first_; ++i) memory_.lights[i] = {};
    }

    /// Adds the batch to the film, pixel by pixel in the order of samples, so that a sum does not
    /// depend on which path ended first. A pixel's samples may continue in the next batch.
    RAYSCOPE_CALL void sumUp() {
        const int width = launch_.x1 - launch_.x0;
        const bool lit = lightCount() > 0;
        int pixel = first_ / launch_.samples, sample = first_ % launch_.samples;
        for (int i = 0; i < end_ - first_; ++i) {
            __m128 radiance = _mm_load_ps(&memory_.radiance[i].r);
            if (lit) radiance = _mm_add_ps(radiance, _mm_load_ps(&memory_.lights[i].r));
            sum_ = sample == 0 ? radiance : _mm_add_ps(sum_, radiance);
            if (++sample < launch_.samples) continue;
            const int x = launch_.x0 + pixel % width, y = launch_.y0 + pixel / width;
            float* const film = &launch_.film[y * launch_.width + x].r;
            const __m128 samples = _mm_set_ps(static_cast<float>(launch_.samples), 0, 0, 0);
            _mm_store_ps(film, _mm_add_ps(_mm_load_ps(film), _mm_add_ps(sum_, samples)));
            sample = 0;
            ++pixel;
        }
    }

    void addCounts() const {
        memory_.steps->closest += counts_.steps;
        memory_.steps->shadow += counts_.shadowSteps;
        if constexpr (!V.countRays) return;
        launch_.counters[0] += counts_.camera;
        launch_.counters[1] += counts_.closest;
        launch_.counters[2] += counts_.shadow;
        if constexpr (!V.countDepths) return;
        unsigned long long longer = 0;
        for (int d = kMaxDepth - 1; d >= 0; --d) {
            for (const auto& lengths : counts_.lengths) longer += lengths[d];
            launch_.counters[3 + d] += longer;
        }
    }

    struct Counts {
        unsigned camera = 0, closest = 0, shadow = 0, steps = 0, shadowSteps = 0;
        /// Paths by their rays less one; in four parts, or each would wait for the one before.
        unsigned lengths[4][kMaxDepth] = {};
    };

    const LaunchParams<float>& launch_;
    const PacketMemory& memory_;
    LaunchParams<Floats> lanes_;  ///< only what the camera and shading read
    PacketView<V> view_;
    PacketQueue<10> begun_;               ///< origin, direction, hit, random state, place
    PacketQueue<12> hits_;                ///< position, normal, weight, random state, place, shape
    int first_ = 0, end_ = 0, made_ = 0;  ///< samples of the batch; camera rays made
    __m128 sum_ = _mm_setzero_ps();
    Counts counts_;
};

}  // namespace rayscope
