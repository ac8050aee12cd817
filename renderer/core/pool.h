#pragma once

#include "renderer/core/fixed_film.h"
#include "renderer/core/footprint.h"
#include "renderer/core/path.h"

// Engine::regeneration where the lanes of a warp take their samples together (SamplesFrom) or all
// rays leave by one formula (Begin::merged): one loop over all rays, which the warp goes through in
// step.

namespace rayscope {

/// Some pixels and samples of a launch: `x`, `y` and `sample` are the first.
struct Piece {
    int x, y, sample;
};

/// A sample that a lane is to follow: its number in the piece, by sample, then by pixel; and the
/// pixelHash().
struct Claim {
    unsigned number, hashed;
};

/// The samples of a thread's own pixel.
template <class Real, Variant V>
class SampleSource {
public:
    RAYSCOPE_FN SampleSource(const LaunchParams<Real>& launch, int x, int y, bool inside)
        : piece_{x, y, launch.firstSample},
          hash_(pixelHash(y * launch.width + x, launch.seed)),
          count_(inside ? launch.samples : 0) {}

    /// A sample for each lane that wants one, if there is. All lanes of the warp come together.
    RAYSCOPE_FN bool take(bool wants, Claim& claim) {
        if (!wants || next_ == count_) return false;
        claim = {static_cast<unsigned>(kWarp * next_++), hash_};
        return true;
    }
    /// The piece of which take() gave samples last.
    RAYSCOPE_FN const Piece& piece() const { return piece_; }
    /// True if no lane will be given a sample any more.
    RAYSCOPE_FN bool exhausted() const { return next_ == count_; }

private:
    Piece piece_;
    unsigned hash_;
    int count_, next_ = 0;
};

/// The samples of a piece of the film, kWarp pixels in a tile, row or column, that the lanes of a
/// warp share. SamplesFrom::queue: of one piece after the other.
template <class Real, Variant V>
class SamplePool {
public:
    RAYSCOPE_FN SamplePool(const LaunchParams<Real>& launch, int piece) : launch_(launch) {
        if constexpr (V.samplesFrom == SamplesFrom::warp) enter(piece);
    }

    /// As SampleSource::take(). The samples of one call are of one piece: a lane that finds the
    /// piece used up, or a pixel outside the film, gets its sample from the next call.
    RAYSCOPE_FN bool take(bool wants, Claim& claim) {
        const unsigned lanes = lanesWhere(wants);
        const int rank = rankAmong(lanes), count = countOf(lanes);
        int number = next_ + rank;
        next_ += count;
        if (next_ > whole_) {
            if (next_ - count >= end_) {
                proceed();
                number = rank;
                next_ = count;
            }
            const Place place = placeInPiece(V, number);
            wants = wants && number < end_ && piece_.x + place.x < launch_.x1 &&
                    piece_.y + place.y < launch_.y1;
        }
        claim = {static_cast<unsigned>(number), hashes_.at(number)};
        return wants;
    }
    RAYSCOPE_FN const Piece& piece() const { return piece_; }
    RAYSCOPE_FN bool exhausted() const { return end_ < 0; }
    /// Samples of the lane's own pixel in all pieces so far; each goes to some lane.
    RAYSCOPE_FN int samples() const { return samples_; }

    /// targetOf() a random point within a pixel of the piece. What its pixels have in common is in
    /// corner_; place and fraction of each coordinate are put together as bits.
    template <class Generator>
    RAYSCOPE_FN Vec3<Real> targetIn(const Place& place, Generator& rng) const {
        constexpr Footprint kShape = pieceOf(V);
        const Real x = withFraction<digitsOf(kShape.width)>(place.x, next(rng, true));
        const Real y = withFraction<digitsOf(kShape.height)>(place.y, next(rng, true));
        return mulAdd(launch_.camera.right, x, mulAdd(launch_.camera.down, y, corner_));
    }
    RAYSCOPE_FN int pixelAt(const Place& place) const {
        return firstPixel_ + place.y * launch_.width + place.x;
    }

private:
    /// To the next piece; a warp that has one alone is at the end.
    RAYSCOPE_FN void proceed() {
        if (V.samplesFrom == SamplesFrom::queue && end_ >= 0)
            enter(takeTicket(launch_.counters[kTickets]));
        else
            end_ = whole_ = -1;
    }
    RAYSCOPE_FN void enter(int piece) {
        constexpr Footprint kShape = pieceOf(V);
        const int across = (launch_.x1 - launch_.x0 + kShape.width - 1) / kShape.width;
        const int down = (launch_.y1 - launch_.y0 + kShape.height - 1) / kShape.height;
        const int depths = pieceDepths(V, launch_.samples);
        const int tile = piece / depths;
        const int begin = (piece - tile * depths) * kPieceSamples;
        const int row = tile / across;
        piece_ = {launch_.x0 + (tile - row * across) * kShape.width,
                  launch_.y0 + row * kShape.height, launch_.firstSample + begin};
        const int samples = launch_.samples - begin;
        const bool queue = V.samplesFrom == SamplesFrom::queue;
        end_ = kWarp * (queue ? minimum(samples, kPieceSamples) : samples);
        next_ = 0;
        firstPixel_ = piece_.y * launch_.width + piece_.x;
        corner_ =
            targetOf(launch_.camera, Real(piece_.x - kShape.width), Real(piece_.y - kShape.height));
        const bool inside =
            piece_.x + kShape.width <= launch_.x1 && piece_.y + kShape.height <= launch_.y1;
        if (row >= down) end_ = -1;
        whole_ = inside ? end_ : -1;
        hashes_.fill([&](int lane) RAYSCOPE_INLINED {
            const Place place = placeInPiece(V, lane);
            const int x = piece_.x + place.x, y = piece_.y + place.y;
            if (x < launch_.x1 && y < launch_.y1) samples_ += end_ / kWarp;
            return pixelHash(y * launch_.width + x, launch_.seed);
        });
    }

    const LaunchParams<Real>& launch_;
    LaneTable hashes_{};  ///< of the piece's pixels
    Piece piece_{};
    int firstPixel_ = 0, samples_ = 0;
    Vec3<Real> corner_{0, 0, 0};  ///< targetOf() the piece less its size
    int next_ = 0, end_ = 0;  ///< numbers in the piece; the end is negative if there is no other
    int whole_ = -1;          ///< up to this number, no pixel is outside the film
};

/// Where the path of a lane is, between two rays.
template <class Real, class Generator>
struct PooledPath {
    Generator rng;
    Ray<Real> next;  ///< Begin::merged: its direction is the aim's
    Aim<Real> aim;
    Vec3<Real> throughput;
    Vec3<Real> radiance;  ///< kCarries
    int pixel;
    int depth;
    bool sampled;
    bool elsewhere;  ///< nearestByKey()
};

/// Whether a path carries its radiance to its end. Where nothing but lamps shines, few hits do, and
/// their light goes to the film at once.
template <Variant V>
inline constexpr bool kCarries = !kOnDevice || V.samplesFrom == SamplesFrom::pixel ||
                                 V.lightSampling || has(V, kFloor | kGlossy);

/// How far the lens, of any shape, and tMin move the start of a ray.
template <class Real>
RAYSCOPE_FN Real lensReach(const LaunchParams<Real>& launch) {
    const Vec3<Real>& edge = launch.camera.lensRight;
    return mulAdd(Real(1.5), sqrt(dot(edge, edge)), 2 * launch.params.tMin);
}

/// Whether a camera ray from there, shifted by the lens or not yet, may be on another side of some
/// sphere than all paths.
template <class Real, Variant V>
RAYSCOPE_FN bool startsElsewhere(const LaunchParams<Real>& launch, const SceneView<Real, V>& scene,
                                 Vec3<Real> o) {
    const SceneParams<Real>& p = scene.params;
    if (p.doubtfulCount > kMaxDoubtful) return true;
    bool elsewhere = false;
    RAYSCOPE_ROLLED
    for (int k = 0; k < p.doubtfulCount; ++k) {
        const bool within = p.doubtful[k] < 0;
        const int i = within ? ~p.doubtful[k] : p.doubtful[k];
        Real gap, curvature;  // (distance from the centre ^2 - r^2) / r, 1 / r
        if constexpr (SceneView<Real, V>::kCurved) {
            const CurvedSphere<Real> s = scene.wall(i);
            const Vec3<Real> q = o - s.anchor;
            curvature = s.curvature;
            gap = mulAdd(curvature, dot(q, q), 2 * dot(q, s.normal));
        } else {
            const CenterSphere<Real> s = scene.sphere(i);
            curvature = scene.material(i).inverseRadius;
            gap = (dot(o, o) - 2 * dot(o, s.center) + s.power) * curvature;
        }
        const Real reach = lensReach(launch);
        const Real least = reach * mulAdd(reach, curvature, Real(2));
        if ((within ? -gap : gap) < least) elsewhere = true;
    }
    return elsewhere;
}

struct ClaimedSample {
    int x, y, number;
};
template <Variant V>
RAYSCOPE_FN ClaimedSample sampleOf(const Piece& piece, const Claim& claim) {
    const Place place = placeInPiece(V, claim.number);
    return {piece.x + place.x, piece.y + place.y,
            piece.sample + static_cast<int>(claim.number / kWarp)};
}

/// Starts the path of a sample.
template <class Real, Variant V>
RAYSCOPE_FN void beginPath(const SceneView<Real, V>& scene, const LaunchParams<Real>& launch,
                           const Piece& piece, const Claim& claim,
                           PooledPath<Real, GeneratorOf<V>>& path) {
    const auto [x, y, sample] = sampleOf<V>(piece, claim);
    path.pixel = y * launch.width + x;
    path.rng = generatorAt<GeneratorOf<V>>(static_cast<unsigned>(sample), claim.hashed);
    path.throughput = {1, 1, 1};
    path.radiance = {0, 0, 0};
    path.depth = 0;
    path.sampled = false;
    if constexpr (V.begin == Begin::branch) {
        path.next = cameraRay<V>(launch, x, y, sample, path.rng);
    } else {
        const Vec3<Real> start = aimCamera<V>(launch, x, y, sample, path.rng, path.aim);
        path.next = {start, path.aim.axis, kNoShape};
        if constexpr (V.lightSampling) draw(path.aim, path.rng);
    }
    if constexpr (knowsSides(V)) path.elsewhere = startsElsewhere(launch, scene, path.next.origin);
}

/// Gives radiance of the path to the film, or to the path itself (kCarries).
template <Variant V, class Real, class Path>
RAYSCOPE_FN void gain(const LaunchParams<Real>& launch, Path& path, Vec3<Real> radiance,
                      float samples) {
    const Vec3<Real> light = path.throughput * radiance;
    if constexpr (kCarries<V>)
        path.radiance = path.radiance + light;
    else
        addLight<V>(launch, path.pixel, light, samples);
}

/// Shades the hit of a path's ray and traces its shadow rays. Returns false if the path ends.
template <class Real, Variant V>
RAYSCOPE_FN bool goOn(const LaunchParams<Real>& launch, const SceneView<Real, V>& scene,
                      const Ray<Real>& ray, const Hit<Real>& hit,
                      PooledPath<Real, GeneratorOf<V>>& path, CountsOf<V>& counts) {
    countDepth<V>(counts, path.depth);
    const PathState<GeneratorOf<V>> state{&path.rng, path.depth++, path.sampled};
    if (kindOf(hit.shape) == ShapeKind::none) {
        gain<V>(launch, path, skyRadiance(scene, ray.direction, path.sampled), 1);
        return false;
    }
    const Vertex<Real> v =
        scatter(scene, ray, surfaceAt(scene, ray, hit), state, launch.maxDepth, counts);
    const float samples = v.alive ? 0 : 1;
    if (kCarries<V> || samples > 0 || v.radiance.x + v.radiance.y + v.radiance.z > 0)
        gain<V>(launch, path, v.radiance, samples);
    path.throughput = path.throughput * v.weight;
    path.sampled = v.sampled;
    path.next = v.next;
    path.aim = v.aim;
    return v.alive;
}

/// Follows the paths of a source until it has no more. All lanes of the warp must come here. There
/// is no branch around the search (renderPixel()): a lane without a path searches, too.
template <class Real, Variant V, class Source>
RAYSCOPE_FN Samples<Real> followInStep(const LaunchParams<Real>& launch,
                                       const SceneView<Real, V>& scene, Source& source,
                                       CountsOf<V>& counts) {
    constexpr int kNoPath = -1;
    PooledPath<Real, GeneratorOf<V>> path{};  // a lane without a path draws numbers, too
    path.depth = kNoPath;
    path.next = {{0, 0, 0}, {0, 1, 0}, kNoShape};
    path.aim.axis = {0, 1, 0};
    Samples<Real> sum{{0, 0, 0}, 0};
    while (true) {
        Claim claim;
        if (source.take(path.depth == kNoPath, claim)) {
            beginPath(scene, launch, source.piece(), claim, path);
            ++counts.camera;
        }
        if (source.exhausted() && lanesWhere(path.depth != kNoPath) == 0) break;
        bool absorbed = false;
        if constexpr (V.begin == Begin::merged) {
            if constexpr (!V.lightSampling) draw(path.aim, path.rng);
            path.next = leave<V>(launch.camera, path.aim, path.next.origin, path.next.from);
            absorbed = absorbs(path.aim, path.next.direction);
        }
        const Ray<Real> ray = path.next;
        const Hit<Real> hit = closestHitFrom(scene, ray, path.elsewhere);
        if (path.depth == kNoPath) continue;
        bool alive = false;
        if (!absorbed)
            alive = goOn(launch, scene, ray, hit, path, counts);
        else if constexpr (!kCarries<V>)
            gain<V>(launch, path, Vec3<Real>{0, 0, 0}, 1);
        if (alive) continue;
        counts.closest += path.depth;
        path.depth = kNoPath;
        if constexpr (V.samplesFrom == SamplesFrom::pixel) {
            sum = {sum.radiance + path.radiance, sum.count + 1};
        } else if constexpr (kCarries<V>) {
            addLight<V>(launch, path.pixel, path.radiance, 1);
        }
    }
    return sum;
}

/// renderPixel() for all lanes of the warp together.
template <class Real, Variant V>
RAYSCOPE_FN void renderPixelInStep(const LaunchParams<Real>& launch, int x, int y, bool inside,
                                   CountsOf<V>& counts) {
    SampleSource<Real, V> source(launch, x, y, inside);
    const SceneView<Real, V> scene{launch.scene, launch.params};
    const Samples<Real> samples = followInStep(launch, scene, source, counts);
    if (inside) addSamples(launch.film[y * launch.width + x], samples);
}

/// Renders a piece of the film, then, with SamplesFrom::queue, others while there are any. All
/// lanes of the warp must come here.
template <class Real, Variant V>
RAYSCOPE_FN void renderPieces(const LaunchParams<Real>& launch, const SceneView<Real, V>& scene,
                              int piece, CountsOf<V>& counts) {
    SamplePool<Real, V> pool(launch, piece);
    followInStep(launch, scene, pool, counts);
}

}  // namespace rayscope
