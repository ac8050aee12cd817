#pragma once

// Which of the many kernels tests compile: for every engine a set in which each pair of values of
// the axes occurs.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope {

/// What the scenes contain, as an axis more: spheres with a sky, walls with roulette, the business
/// card, and more spheres than are unrolled.
inline constexpr const char* kScenes[] = {"vt9", "cornell", "card", "weekend"};

inline const Scene& sceneOf(int i) {
    static const std::vector<Scene> scenes = [] {
        std::vector<Scene> all;
        for (const char* name : kScenes) all.push_back(*findScene(name));
        return all;
    }();
    return scenes[i];
}

/// An axis and those of its values that are tried.
struct Choices {
    const Axis* axis;
    std::vector<int> values;
};

/// The axes that make different kernels of one engine.
struct Space {
    Backend backend;
    Engine engine;
    std::vector<Choices> axes;
};

inline bool makesKernels(Backend backend, const Axis& axis) {
    if (!axis.appliesTo(backend) || axis.kind == AxisKind::number || axis.id == "engine")
        return false;
    Settings low, high;
    axis.set(low, axis.minimum);
    axis.set(high, axis.maximum);
    return !(low.variant == high.variant);
}

/// The engines with several kernels a program take fewer shapes of block and caps.
inline bool tried(Engine engine, const Axis& axis, int value) {
    if (engine == Engine::megakernel) return true;
    const std::string& id = axis.values[value].id;
    if (axis.id == "block") return id == "32x4" || id == "160x1" || id == "1024x1";
    if (axis.id == "max_registers") return id == "none" || id == "40" || id == "128";
    return axis.id != "tile" || id == "64";
}

inline Space space(Backend backend, Engine engine) {
    Space s{backend, engine, {}};
    for (const Axis& axis : axes()) {
        if (!makesKernels(backend, axis)) continue;
        Choices choices{&axis, {}};
        for (int value = axis.minimum; value <= axis.maximum; ++value) {
            if (tried(engine, axis, value)) choices.values.push_back(value);
        }
        s.axes.push_back(choices);
    }
    return s;
}

/// Indices into the values of each axis; the last is the scene.
using Row = std::vector<int>;

inline int sizeOf(const Space& s, size_t axis) {
    return static_cast<int>(axis < s.axes.size() ? s.axes[axis].values.size() : std::size(kScenes));
}

inline Settings settingsOf(const Space& s, const Row& row) {
    Settings settings = defaultSettings(s.backend, sceneOf(row.back()));
    settings.variant.engine = s.engine;
    for (size_t a = 0; a < s.axes.size(); ++a) {
        s.axes[a].axis->set(settings, s.axes[a].values[row[a]]);
    }
    return settings;
}

inline bool possible(const Space& s, const Row& row) {
    return unsupported(settingsOf(s, row), sceneOf(row.back())).empty();
}

/// The row of the defaults, but for what this engine cannot have.
inline Row firstRow(const Space& s) {
    Settings settings = defaultSettings(s.backend, sceneOf(0));
    settings.variant.compaction = Compaction::host;
    Row row;
    for (const Choices& c : s.axes) {
        const auto at = std::find(c.values.begin(), c.values.end(), c.axis->get(settings));
        row.push_back(at == c.values.end() ? 0 : static_cast<int>(at - c.values.begin()));
    }
    row.push_back(0);
    return row;
}

/// A kernel with a cap on its registers has no launch bounds, so a cap and a block have nothing to
/// do with each other.
inline bool independent(const Space& s, size_t a, size_t b) {
    const auto has = [&](size_t axis, std::string_view id) {
        return axis < s.axes.size() && s.axes[axis].axis->id == id;
    };
    return (has(a, "block") && has(b, "max_registers")) ||
           (has(b, "block") && has(a, "max_registers"));
}

/// The pairs of values that mean something in a row, as numbers.
inline std::vector<int> pairsOf(const Space& s, const Row& row) {
    constexpr int kMostValues = 16;
    const Settings settings = settingsOf(s, row);
    std::vector<size_t> meant;
    for (size_t a = 0; a < row.size(); ++a) {
        if (a + 1 == row.size() || s.axes[a].axis->matters(settings)) meant.push_back(a);
    }
    const auto numberOf = [&](size_t a) { return static_cast<int>(a) * kMostValues + row[a]; };
    const int all = static_cast<int>(row.size()) * kMostValues;
    std::vector<int> pairs;
    for (size_t i = 0; i < meant.size(); ++i) {
        for (size_t k = 0; k < i; ++k) {
            if (independent(s, meant[i], meant[k])) continue;
            pairs.push_back(numberOf(meant[i]) * all + numberOf(meant[k]));
        }
    }
    return pairs;
}

/// A long walk through the rows that can be had, a few values changed at each step.
inline std::vector<Row> walk(const Space& s) {
    constexpr size_t kSteps = 6000;
    unsigned state = 1;
    const auto draw = [&](int below) {
        state = state * 747796405u + 2891336453u;
        return static_cast<int>((state >> 8) % static_cast<unsigned>(below));
    };
    std::vector<Row> rows{firstRow(s)};
    EXPECT_TRUE(possible(s, rows[0])) << unsupported(settingsOf(s, rows[0]), sceneOf(0));
    for (int tries = 0; rows.size() < kSteps && tries < 100 * static_cast<int>(kSteps); ++tries) {
        Row next = rows.back();
        for (int changes = 1 + draw(4); changes > 0; --changes) {
            const int axis = draw(static_cast<int>(next.size()));
            next[axis] = draw(sizeOf(s, axis));
        }
        if (possible(s, next)) rows.push_back(next);
    }
    return rows;
}

/// Rows in which every pair of values occurs that occurs on the walk: the one that covers most new
/// ones, again and again.
inline std::vector<Row> coveringArray(const Space& s) {
    const std::vector<Row> rows = walk(s);
    std::vector<std::vector<int>> pairs;
    std::set<int> open;
    for (const Row& row : rows) {
        pairs.push_back(pairsOf(s, row));
        open.insert(pairs.back().begin(), pairs.back().end());
    }
    std::vector<char> isOpen(open.empty() ? 0 : *open.rbegin() + 1, 0);
    for (int p : open) isOpen[p] = 1;
    const auto countNew = [&](size_t i) {
        return std::count_if(pairs[i].begin(), pairs[i].end(), [&](int p) { return isOpen[p]; });
    };
    std::vector<Row> covering;
    while (true) {
        size_t best = 0;
        auto most = countNew(best);
        for (size_t i = 1; i < rows.size(); ++i) {
            const auto count = countNew(i);
            if (count > most) best = i;
            most = std::max(most, count);
        }
        if (most == 0) return covering;
        for (int p : pairs[best]) isOpen[p] = 0;
        covering.push_back(rows[best]);
    }
}

/// Of all engines of CUDA.
inline const std::vector<Variant>& testedVariants() {
    static const std::vector<Variant> all = [] {
        std::vector<Variant> variants;
        for (Engine e :
             {Engine::megakernel, Engine::regeneration, Engine::wavefront, Engine::hybrid}) {
            const Space s = space(Backend::cuda, e);
            for (const Row& row : coveringArray(s)) {
                Variant v = canonical(settingsOf(s, row)).variant;
                v.traits = traitsOf(sceneOf(row.back()));
                variants.push_back(v);
            }
        }
        return variants;
    }();
    return all;
}

}  // namespace rayscope
