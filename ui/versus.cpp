#include "ui/versus.h"

#include <cmath>

namespace rayscope {

namespace {

/// The way to the screen changes nothing in the film.
bool sameFilm(Settings before, const Settings& after) {
    before.display = after.display;
    return before == after;
}

/// Mean square error of a film times the kernel milliseconds it took.
std::optional<double> costOf(const SideRecord& side) {
    const std::optional<Noise>& noise = side.noise.noise();
    const double samples = side.samples();
    if (!noise || !(samples > 0) || !(side.stats.kernelMs > 0)) return std::nullopt;
    return noise->variance * side.stats.kernelMs / samples;
}

}  // namespace

double SideRecord::samples() const {
    return pixels > 0 ? static_cast<double>(stats.rays.camera) / pixels : 0;
}

std::optional<double> SideRecord::raysPerSecond() const {
    if (!(stats.timedMs > 0)) return std::nullopt;
    return 1e3 * static_cast<double>(stats.timedRays) / stats.timedMs;
}

std::optional<double> SideRecord::error() const {
    if (!noise.noise() || !(samples() > 0) || !(noise.noise()->mean > 0)) return std::nullopt;
    return std::sqrt(noise.noise()->variance / samples()) / noise.noise()->mean;
}

std::optional<double> SideRecord::standardError() const {
    const std::optional<double> relative = error();
    return relative ? std::optional(*relative * noise.noise()->mean) : std::nullopt;
}

std::optional<double> noiseOf(const SideRecord& a, const SideRecord& b) {
    const std::optional<double> ofA = a.standardError(), ofB = b.standardError();
    return ofA && ofB ? std::optional(std::hypot(*ofA, *ofB)) : std::nullopt;
}

bool Lead::clear() const {
    return std::abs(std::log(ratio)) > 2 * spread;
}

std::optional<Lead> leadOf(const SideRecord& a, const SideRecord& b) {
    const std::optional<double> costA = costOf(a), costB = costOf(b);
    if (!costA || !costB || !(*costA > 0) || !(*costB > 0)) return std::nullopt;
    return Lead{*costB / *costA, std::hypot(a.noise.noise()->spread, b.noise.noise()->spread)};
}

void Versus::startRace() {
    racing_ = restart_ = true;
}

FrameStats Versus::frame(SideFilms& films, const Wish& wish) {
    FrameStats ofB = settle(films, wish.moving);
    if (!known_[0]) {  // what was traced before is of no side
        films.finish(Side::a);
        ofB += films.finish(Side::b);
        restart_ = true;
    }
    noticeChanges(films, wish);
    if (!films.align()) return ofB;
    noticeFilms(films);
    if (!wish.moving) {
        const Side side = next();
        const FrameStats stats = turn(films, side, wish.budgetMs);
        if (side == Side::b) ofB += stats;
        return ofB;
    }
    turn(films, Side::a, wish.budgetMs / 2);
    settle(films, wish.moving);
    ofB += turn(films, Side::b, wish.budgetMs / 2);
    return ofB;
}

/// What the last turn still owes; returned where it was B's.
FrameStats Versus::settle(SideFilms& films, bool moving) {
    if (!owing_) return {};
    owing_ = false;
    const FrameStats late = films.finish(last_);
    SideRecord& record = at(last_);
    record.stats += late;
    const int samples = films.film(last_).samples;
    if (!moving && !record.foreign && record.noise.due(samples)) {
        record.noise.look(films.fetch(last_), samples);
        if (const auto error = record.error())
            record.history.push_back({record.stats.kernelMs, *error});
    }
    return last_ == Side::b ? late : FrameStats{};
}

/// A film is of one settings value; in a race both begin again.
void Versus::noticeChanges(SideFilms& films, const Wish& wish) {
    const std::array<const Settings*, 2> wanted{&wish.a, &wish.b};
    bool changed = false;
    for (Side side : kSides) {
        std::optional<Settings>& known = known_[static_cast<size_t>(side)];
        const Settings& now = *wanted[static_cast<size_t>(side)];
        if (known && !sameFilm(*known, now)) {
            films.restart(side);
            changed = true;
        }
        known = now;
    }
    if (!restart_ && !(changed && racing_)) return;
    for (Side side : kSides) films.restart(side);
    restart_ = false;
}

void Versus::noticeFilms(const SideFilms& films) {
    for (Side side : kSides) {
        SideRecord& record = at(side);
        if (record.film == films.number(side)) continue;
        SideRecord fresh;
        fresh.kernel = std::move(record.kernel);
        fresh.film = films.number(side);
        record = std::move(fresh);
    }
}

FrameStats Versus::turn(SideFilms& films, Side side, double ms) {
    SideRecord& record = at(side);
    const FrameStats stats = films.trace(side, ms);
    const Film& film = films.film(side);
    record.pixels = static_cast<double>(film.width) * film.height;
    record.stats += stats;
    record.kernel = films.kernel(side);
    if (record.foreign && record.kernel.ready) films.restart(side);
    record.foreign = !record.kernel.ready || record.foreign;
    last_ = side;
    owing_ = true;
    return stats;
}

Side Versus::next() const {
    const SideRecord &a = record(Side::a), &b = record(Side::b);
    // A side that waits for its kernel does not get on, and must not keep the other from it.
    const bool fair = racing_ && a.kernel.ready && b.kernel.ready;
    if (!fair || a.stats.kernelMs == b.stats.kernelMs) return other(last_);
    return a.stats.kernelMs < b.stats.kernelMs ? Side::a : Side::b;
}

}  // namespace rayscope
