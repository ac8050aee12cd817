#include "renderer/lab/wire.h"

#include <fmt/format.h>

#include <cstring>
#include <sstream>
#include <tuple>
#include <type_traits>

#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

// The members of each struct. Structured bindings do not compile where one is added.

template <class T, class... Ts>
inline constexpr bool isOneOf = (std::is_same_v<std::remove_const_t<T>, Ts> || ...);

template <class T>
requires isOneOf<T, Estimate, Extremes, CodeVerdict, GroupWork>
auto members(T& t) {
    auto& [a, b] = t;
    return std::tie(a, b);
}
template <class T>
requires isOneOf<T, Interval, Spread, StageInfo, Noise, PixelDifference>
auto members(T& t) {
    auto& [a, b, c] = t;
    return std::tie(a, b, c);
}
template <class T>
requires isOneOf<T, Rays, RawPass>
auto members(T& t) {
    auto& [a, b, c, d] = t;
    return std::tie(a, b, c, d);
}
template <class T>
requires isOneOf<T, DeviceWork>
auto members(T& t) {
    auto& [name, label, samples, rays, kernelMs, way, problem] = t;
    return std::tie(name, label, samples, rays, kernelMs, way, problem);
}
template <class T>
requires isOneOf<T, Difference>
auto members(T& t) {
    auto& [what, a, b, error, margin] = t;
    return std::tie(what, a, b, error, margin);
}
template <class T>
requires isOneOf<T, Statistic>
auto members(T& t) {
    auto& [of, index, channel, pixels, left, top, right, bottom] = t;
    return std::tie(of, index, channel, pixels, left, top, right, bottom);
}
template <class T>
requires isOneOf<T, SideWork>
auto members(T& t) {
    auto& [rays, shadow, depths, brightness, mse, relMse, empty] = t;
    return std::tie(rays, shadow, depths, brightness, mse, relMse, empty);
}
template <class T>
requires isOneOf<T, EqualWorkResult>
auto members(T& t) {
    auto& [verdict, sentence, lessWork, a, b, pixels, noticeable, largest, width, height, batches,
           samples, reference] = t;
    return std::tie(verdict, sentence, lessWork, a, b, pixels, noticeable, largest, width, height,
                    batches, samples, reference);
}
template <class T>
requires isOneOf<T, ConditionsSummary>
auto members(T& t) {
    auto& [samples, clock, memory, celsius, watts, load, maxClock, throttling, moved, warning,
           missing] = t;
    return std::tie(samples, clock, memory, celsius, watts, load, maxClock, throttling, moved,
                    warning, missing);
}
template <class T>
requires isOneOf<T, KernelInfo>
auto members(T& t) {
    auto& [variant, name, registers, local, spill, shared, occupancy, resident, compile, cached,
           ready, packing, source, sources, stages, log] = t;
    return std::tie(name, registers, local, spill, shared, occupancy, resident, compile, cached,
                    ready, packing, source, sources, stages, log);
}
template <class T>
requires isOneOf<T, DeviceLimits>
auto members(T& t) {
    auto& [multiprocessors, warps, clock, bytes] = t;
    return std::tie(multiprocessors, warps, clock, bytes);
}
template <class T>
requires isOneOf<T, DeviceInfo>
auto members(T& t) {
    auto& [name, detail, context, driver, pci, limits, architecture, number] = t;
    return std::tie(name, detail, context, driver, pci, limits, architecture, number);
}
template <class T>
requires isOneOf<T, Measurement>
auto members(T& t) {
    auto& [device, kernel, rays, kernelMs, loopMs, width, height, samples, passSamples, passes,
           launches, kernelRate, loopRate, kernelPass, loopPass, raw, mean, error, noise, perSample,
           build, fill, group] = t;
    return std::tie(device, kernel, rays, kernelMs, loopMs, width, height, samples, passSamples,
                    passes, launches, kernelRate, loopRate, kernelPass, loopPass, raw, mean, error,
                    noise, perSample, build, fill, group);
}
template <class T>
requires isOneOf<T, CompareResult>
auto members(T& t) {
    auto& [sides, rates, rays, samples, measurable, narrow, clock, waited, rounds, took] = t;
    return std::tie(sides, rates, rays, samples, measurable, narrow, clock, waited, rounds, took);
}
template <class T>
requires isOneOf<T, PairResult>
auto members(T& t) {
    auto& [speed, work, noWork, conditions, conditionsA, oneProcessor, complete, code] = t;
    return std::tie(speed, work, noWork, conditions, conditionsA, oneProcessor, complete, code);
}
template <class T>
requires isOneOf<T, RungResult>
auto members(T& t) {
    auto& [rung, settings, problem, impossible, measured, value, conditions, scaled] = t;
    return std::tie(problem, impossible, measured, value, conditions, scaled);
}

constexpr PassClock lastOf(PassClock) {
    return PassClock::processor;
}
constexpr Verdict lastOf(Verdict) {
    return Verdict::different;
}
constexpr CodeRelation lastOf(CodeRelation) {
    return CodeRelation::noise;
}
constexpr Statistic::Of lastOf(Statistic::Of) {
    return Statistic::Of::rays;
}

class Packing {
public:
    template <class T>
    void operator()(const T& value) {
        if constexpr (std::is_enum_v<T>) {
            (*this)(static_cast<int>(value));
        } else if constexpr (std::is_same_v<T, bool>) {
            bytes.push_back(value ? 1 : 0);
        } else if constexpr (std::is_arithmetic_v<T>) {
            bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        } else {
            std::apply([this](const auto&... all) { ((*this)(all), ...); }, members(value));
        }
    }
    void operator()(const std::string& text) {
        (*this)(text.size());
        bytes += text;
    }
    void operator()(const glm::dvec3& v) {
        for (int i = 0; i < 3; ++i) (*this)(v[i]);
    }
    template <class T>
    void operator()(const std::vector<T>& all) {
        (*this)(all.size());
        for (const T& one : all) (*this)(one);
    }
    template <class T, std::size_t N>
    void operator()(const std::array<T, N>& all) {
        for (const T& one : all) (*this)(one);
    }
    template <class T>
    void operator()(const std::optional<T>& maybe) {
        (*this)(maybe.has_value());
        if (maybe) (*this)(*maybe);
    }

    std::string bytes;
};

class Unpacking {
public:
    explicit Unpacking(std::string_view bytes) : left_(bytes) {}

    template <class T>
    void operator()(T& value) {
        if constexpr (std::is_enum_v<T>) {
            int number = 0;
            (*this)(number);
            good_ = good_ && number >= 0 && number <= static_cast<int>(lastOf(T{}));
            if (good_) value = static_cast<T>(number);
        } else if constexpr (std::is_same_v<T, bool>) {
            unsigned char byte = 0;
            (*this)(byte);
            good_ = good_ && byte <= 1;
            value = byte == 1;
        } else if constexpr (std::is_arithmetic_v<T>) {
            if (!has(sizeof value)) return;
            std::memcpy(&value, left_.data(), sizeof value);
            left_.remove_prefix(sizeof value);
        } else {
            std::apply([this](auto&... all) { ((*this)(all), ...); }, members(value));
        }
    }
    void operator()(std::string& text) {
        const std::size_t size = count();
        text = left_.substr(0, size);
        left_.remove_prefix(size);
    }
    void operator()(glm::dvec3& v) {
        for (int i = 0; i < 3; ++i) (*this)(v[i]);
    }
    /// One by one: an element takes a byte at least, so that no more are made than there are bytes.
    template <class T>
    void operator()(std::vector<T>& all) {
        all.clear();
        for (std::size_t left = count(); left > 0 && good_; --left) (*this)(all.emplace_back());
    }
    template <class T, std::size_t N>
    void operator()(std::array<T, N>& all) {
        for (T& one : all) (*this)(one);
    }
    template <class T>
    void operator()(std::optional<T>& maybe) {
        bool there = false;
        (*this)(there);
        maybe.reset();
        if (there && good_) (*this)(maybe.emplace());
    }

    bool complete() const { return good_ && left_.empty(); }

private:
    bool has(std::size_t size) {
        good_ = good_ && size <= left_.size();
        return good_;
    }
    std::size_t count() {
        std::size_t size = 0;
        (*this)(size);
        return has(size) ? size : 0;
    }

    std::string_view left_;
    bool good_ = true;
};

}  // namespace

std::string bytesOf(const StudyItem& item) {
    Packing write;
    write(item.problem);
    write(item.result);
    return write.bytes;
}

bool fromBytes(std::string_view bytes, StudyItem& item) {
    Unpacking read(bytes);
    std::string problem;
    std::optional<PairResult> result;
    read(problem);
    read(result);
    if (!read.complete()) return false;
    item.problem = std::move(problem);
    item.result = std::move(result);
    return true;
}

std::string bytesOf(const RungResult& result) {
    Packing write;
    write(result);
    return write.bytes;
}

bool fromBytes(std::string_view bytes, RungResult& result) {
    Unpacking read(bytes);
    RungResult found;
    found.rung = result.rung;
    found.settings = result.settings;
    read(found);
    if (read.complete()) result = std::move(found);
    return read.complete();
}

std::string textOf(const StudyErrand& errand) {
    std::string text =
        fmt::format("{} {} {}", errand.scene, errand.seconds, static_cast<int>(errand.work));
    for (const Settings* settings : {&errand.a, &errand.b}) {
        for (const Axis& axis : axes()) text += " " + valueOf(axis, *settings);
        text += fmt::format(" {}", settings->seed);
    }
    return text;
}

std::optional<StudyErrand> errandFrom(const std::string& text,
                                      const std::vector<SharedScene>& scenes) {
    std::istringstream words(text);
    StudyErrand errand;
    words >> errand.scene >> errand.seconds >> errand.work;
    if (!words || errand.scene < 0 || static_cast<std::size_t>(errand.scene) >= scenes.size())
        return {};
    const Scene& scene = scenes[static_cast<std::size_t>(errand.scene)];
    for (Settings* settings : {&errand.a, &errand.b}) {
        Settings chosen;
        for (const Axis& axis : axes()) {
            std::string value;
            words >> value;
            if (!words || !assign(chosen, fmt::format("{}={}", axis.id, value))) return {};
        }
        *settings = defaultSettings(chosen.backend, scene);
        for (const Axis& axis : axes()) axis.set(*settings, axis.get(chosen));
        words >> settings->seed;
    }
    return words ? std::optional(errand) : std::nullopt;
}

}  // namespace rayscope
