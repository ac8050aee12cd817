#include "renderer/lab/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rayscope {

namespace {

using Of = Statistic::Of;

/// A part of the picture is named where it differs so many times as much as the whole.
constexpr double kLocal = 4;

bool absent(const Difference& d) {
    return d.what.of == Of::rays && (d.a == 0 || d.b == 0);
}

/// How much the difference says about what went wrong.
double weightOf(const Difference& d) {
    if (absent(d)) return 1e3;
    if (d.what.of == Of::rays) return 1e-3 * d.certain();
    return d.certain() * (d.what.of == Of::picture ? kLocal : 1);
}

std::string percent(double share) {
    const double value = 100 * std::abs(share);
    return value < 9.95 ? fmt::format("{:.2g} %", value) : fmt::format("{:.0f} %", value);
}

std::string placeOf(const Statistic& what) {
    switch (what.of) {
        case Of::row:
            return fmt::format("row {} from the top", what.index + 1);
        case Of::column:
            return fmt::format("column {} from the left", what.index + 1);
        default:
            return fmt::format("the tile {} from the left and {} from the top of {} x {}",
                               what.index % kTilesAcross + 1, what.index / kTilesAcross + 1,
                               kTilesAcross, kTilesAcross);
    }
}

std::string raysSentence(const Difference& d) {
    const int depth = d.what.index + 1;
    if (d.b == 0) return fmt::format("B has no rays at depth {}", depth);
    if (d.a == 0) return fmt::format("B has rays at depth {} and A has none", depth);
    return fmt::format("B traces {} {} rays at depth {}", percent(d.b / d.a - 1),
                       d.b > d.a ? "more" : "fewer", depth);
}

std::string pictureSentence(const EqualWorkResult& r, const Difference& d) {
    const double all = r.b.brightness.mean / r.a.brightness.mean - 1;
    const double one = d.b / d.a - 1;
    if (all * one > 0 && std::abs(all) > .5 * std::abs(one))
        return fmt::format("B is {} {}", percent(all), all > 0 ? "brighter" : "darker");
    constexpr std::array<const char*, 3> kChannels{"red", "green", "blue"};
    return fmt::format("B has {} {} {}", percent(one), one > 0 ? "more" : "less",
                       kChannels[d.what.channel]);
}

std::string differenceSentence(const EqualWorkResult& r, const Difference& d) {
    if (d.what.of == Of::rays) return raysSentence(d);
    if (d.what.of == Of::picture) return pictureSentence(r, d);
    if (d.b == 0) return placeOf(d.what) + " is black in B";
    if (d.a == 0) return placeOf(d.what) + " is black in A";
    return fmt::format("{} is {} {} in B", placeOf(d.what), percent(d.b / d.a - 1),
                       d.b > d.a ? "brighter" : "darker");
}

std::string emptySentence(const EqualWorkResult& r) {
    return fmt::format(
        "{} has {} pixels without a sample, {} has {}",
        r.a.emptyPixels > r.b.emptyPixels ? "A" : "B", std::max(r.a.emptyPixels, r.b.emptyPixels),
        r.a.emptyPixels > r.b.emptyPixels ? "B" : "A", std::min(r.a.emptyPixels, r.b.emptyPixels));
}

}  // namespace

std::string_view nameOf(Verdict verdict) {
    constexpr std::array<std::string_view, 4> kNames{"identical", "same rays", "same expectation",
                                                     "DIFFERENT"};
    return kNames[static_cast<size_t>(verdict)];
}

std::optional<Difference> largestOf(const std::vector<Difference>& differences) {
    std::optional<Difference> largest;
    for (const Difference& d : differences) {
        if (d.significant() && (!largest || weightOf(d) > weightOf(*largest))) largest = d;
    }
    return largest;
}

double noticeableOf(const std::vector<Difference>& differences) {
    double margin = 0, size = 0;
    for (const Difference& d : differences) {
        if (d.what.of != Of::picture) continue;
        margin += d.margin;
        size += std::max(std::abs(d.a), std::abs(d.b));
    }
    return size > 0 ? margin / size : 0;
}

std::string sentenceOf(const EqualWorkResult& r) {
    std::string sentence;
    switch (r.verdict) {
        case Verdict::identical:
            return "the films are equal to the bit and the rays as many";
        case Verdict::sameRays:
            sentence = fmt::format("{} of the pixels differ by more than rounding",
                                   percent(r.pixels.share));
            break;
        case Verdict::sameExpectation:
            sentence = "brightness agrees within " + percent(r.noticeable);
            break;
        case Verdict::different:
            sentence = r.a.emptyPixels != r.b.emptyPixels ? emptySentence(r)
                                                          : differenceSentence(r, *r.largest);
            break;
    }
    if (r.lessWork) {
        sentence += fmt::format("; B traces {} fewer rays a sample",
                                percent(r.b.raysPerSample / r.a.raysPerSample - 1));
    }
    return sentence;
}

}  // namespace rayscope
