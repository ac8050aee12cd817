// The table of axes: one spelling everywhere, every value reachable, wrong ones explained.

#include "renderer/choices/axes.h"

#include <fmt/format.h>

#include <set>

#include "renderer/choices/sources.h"
#include "renderer/core/variant_members.h"
#include "renderer/lab/ladder.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

TEST(Axes, OfOneBackendSayWhyTheOtherLacksThem) {
    for (const Axis& axis : axes())
        EXPECT_EQ(axis.otherLacks.empty(), axis.onCpu && axis.onCuda) << axis.id;
    EXPECT_EQ(meaningless(*findAxis("block"), "8x8"),
              "block=8x8 means nothing on the cpu backend: a CPU has no blocks of threads");
}

TEST(Axes, EveryValueIsSpelledOnceAndReadBack) {
    std::set<std::string_view> ids;
    for (const Axis& axis : axes()) {
        EXPECT_TRUE(ids.insert(axis.id).second) << axis.id;
        for (int value = axis.minimum; value <= axis.maximum; ++value) {
            Settings settings;
            axis.set(settings, value);
            EXPECT_EQ(axis.get(settings), value) << axis.id;
            const std::string spelling = std::string(axis.id) + "=" + valueOf(axis, settings);
            Settings assigned;
            EXPECT_EQ(assign(assigned, spelling).reason(), "");
            EXPECT_EQ(axis.get(assigned), value) << spelling;
        }
    }
}

std::string spelled(const Axis& axis, int value) {
    Settings settings;
    axis.set(settings, value);
    return std::string(axis.id) + "=" + valueOf(axis, settings);
}

/// The defaults of every backend and engine.
std::vector<Settings> beginnings(const Scene& scene) {
    std::vector<Settings> result;
    const Axis& engines = *findAxis("engine");
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        for (int engine = engines.minimum; engine <= engines.maximum; ++engine) {
            result.push_back(defaultSettings(backend, scene));
            choose(result.back(), engines, engine);
        }
    }
    return result;
}

/// Whether it matters in some settings of the scene that one more choice leads to.
bool canMatter(const Axis& axis, const Scene& scene) {
    for (const Settings& base : beginnings(scene)) {
        for (const Axis& other : axes()) {
            for (int value = other.minimum; value <= other.maximum; ++value) {
                Settings settings = base;
                choose(settings, other, value);
                if (axis.matters(settings)) return true;
            }
        }
    }
    return false;
}

TEST(Axes, EveryRowSaysEverything) {
    const Scene still = sceneNamed("vt9"), moving = sceneNamed("nbody-64"),
                triangles = sceneNamed("cornell-box");
    for (const Axis& axis : axes()) {
        SCOPED_TRACE(axis.id);
        EXPECT_FALSE(axis.id.empty() || axis.label.empty() || axis.story.empty());
        EXPECT_TRUE(axis.help.ends_with('.')) << axis.help;
        EXPECT_NE(nameOf(axis.reader), "");
        EXPECT_NE(nameOf(axis.effect), "");
        EXPECT_LT(axis.minimum, axis.maximum);
        EXPECT_EQ(axis.values.empty(), axis.kind == AxisKind::number);
        EXPECT_EQ(axis.belongsTo.holds == always, axis.belongsTo.words.empty());
        EXPECT_TRUE(canMatter(axis, still) || canMatter(axis, moving) ||
                    canMatter(axis, triangles));
        const bool compiled = axis.reader == Reader::compiler && axis.onCuda;
        Settings other;
        axis.set(other, axis.get(other) == axis.minimum ? axis.maximum : axis.minimum);
        EXPECT_FALSE(compiled && other.variant == Variant{} && other.source == kBuiltIn)
            << "no kernel reads it";
        for (const Rule& rule : axis.rules) {
            EXPECT_FALSE(rule.remedies.empty());
            EXPECT_EQ((rule.reason || rule.reasonInScene) + !rule.why.empty(), 1)
                << "why, or a reason";
        }
    }
}

/// The members of the variant that some value of the axis changes.
std::set<std::string> membersOf(const Axis& axis) {
    std::set<std::string> names;
    for (int value = axis.minimum; value <= axis.maximum; ++value) {
        Settings settings;
        axis.set(settings, value);
        visitMembers([&](const char* name, auto member) {
            if (settings.variant.*member != Variant{}.*member) names.insert(name);
        });
    }
    return names;
}

TEST(Axes, EveryValueExplainsItself) {
    for (const Axis& axis : axes()) {
        std::set<std::string> said;
        for (const AxisValue& value : axis.values) {
            const std::string& help = value.help;
            ASSERT_GT(help.size(), 15u) << axis.id << "=" << value.id;
            EXPECT_EQ(help.back(), '.') << axis.id << "=" << value.id;
            // blocks of one shape and caps that allow the most warps say the same
            if (axis.id == "block" || axis.id == "max_registers") continue;
            EXPECT_TRUE(said.insert(help).second) << axis.id << "=" << value.id;
        }
    }
    const Axis& blocks = *findAxis("block");
    EXPECT_TRUE(
        blocks.values[blocks.values.find("16x8")].help.starts_with("4 warps of 16 x 2 threads"));
    const Axis& caps = *findAxis("max_registers");
    EXPECT_EQ(caps.values[caps.values.find("64")].help,
              "Registers for 32 warps at once on a multiprocessor.");
}

TEST(Axes, EveryMemberOfTheVariantHasItsAxisOrIsDerived) {
    std::multiset<std::string> set;
    for (const Axis& axis : axes()) {
        for (const std::string& name : membersOf(axis)) set.insert(name);
    }
    visitChoices([&](const char* name, auto) { EXPECT_EQ(set.count(name), 1u) << name; });
    visitDerived([&](const char* name, auto) { EXPECT_EQ(set.count(name), 0u) << name; });
}

/// As the names of kernels need them.
TEST(Axes, MembersAreVisitedInTheOrderOfTheirDeclaration) {
    const Variant v;
    const void* last = nullptr;
    visitMembers([&](const char* name, auto member) {
        EXPECT_LT(last, static_cast<const void*>(&(v.*member))) << name;
        last = &(v.*member);
    });
}

TEST(Axes, AValueChangesItsOwnAxisOnly) {
    for (const Axis& axis : axes()) {
        Settings settings;
        const int other = axis.get(settings) == axis.maximum ? axis.minimum : axis.maximum;
        axis.set(settings, other);
        for (const Axis& each : axes()) {
            EXPECT_EQ(each.get(settings) != each.get(Settings{}), each.id == axis.id)
                << axis.id << " " << each.id;
        }
    }
}

TEST(Axes, WrongAssignmentsNameWhatIsValid) {
    Settings settings;
    const Settings before = settings;
    EXPECT_NE(assign(settings, "lay=soa").reason().find("scene_layout"), std::string::npos);
    EXPECT_NE(assign(settings, "path=spiral").reason().find("recursive, stack, loop"),
              std::string::npos);
    EXPECT_NE(assign(settings, "depth=0").reason().find("from 1 to 64"), std::string::npos);
    EXPECT_NE(assign(settings, "depth=65").reason().find("from 1 to 64"), std::string::npos);
    for (const char* wrong : {"depth=", "depth=3x", "depth=-1", "depth=99999999999999", "depth", "",
                              "=", "=soa", "path=", "path=LOOP", "path= loop"}) {
        EXPECT_NE(assign(settings, wrong).reason(), "") << wrong;
    }
    EXPECT_TRUE(settings == before);
}

TEST(Axes, ImpossibleCombinationsHaveAReason) {
    const Scene vt9 = sceneNamed("vt9"), card = sceneNamed("card"), weekend = sceneNamed("weekend");
    Settings cuda = defaultSettings(Backend::cuda, vt9);
    EXPECT_EQ(unsupported(cuda, vt9), "");
    ASSERT_EQ(assign(cuda, "light_sampling=on").reason(), "");
    EXPECT_EQ(unsupported(cuda, vt9), "");
    EXPECT_NE(unsupported(cuda, card), "");
    EXPECT_NE(unsupported(cuda, weekend), "");  // no lamp
    cuda = defaultSettings(Backend::cuda, vt9);
    ASSERT_EQ(assign(cuda, "max_registers=168").reason(), "");
    ASSERT_EQ(assign(cuda, "block=32x16").reason(), "");
    EXPECT_NE(unsupported(cuda, vt9).find("max_registers=168"), std::string::npos);
    Settings cpu = defaultSettings(Backend::cpu, vt9);
    EXPECT_EQ(unsupported(cpu, vt9), "");
    ASSERT_EQ(assign(cpu, "display=interop").reason(), "");
    EXPECT_NE(unsupported(cpu, vt9), "");
}

TEST(Axes, ConstantMemoryHoldsSoManySpheres) {
    Scene scene = sceneNamed("vt9");
    Settings settings = defaultSettings(Backend::cuda, scene);
    settings.variant.sceneMemory = SceneMemory::constant;
    scene.spheres.resize(kMaxConstantSpheres, scene.spheres[0]);
    EXPECT_EQ(unsupported(settings, scene), "");
    EXPECT_LE(packScene<double>(scene, SceneLayout::aos).size(), size_t{kConstantBytes});
    EXPECT_LE(packScene<double>(scene, SceneLayout::soa).size(), size_t{kConstantBytes});
    scene.spheres.push_back(scene.spheres[0]);
    EXPECT_NE(unsupported(settings, scene), "");
    EXPECT_EQ(unsupported(defaultSettings(Backend::cuda, scene), scene), "");
}

TEST(Axes, ConstantMemoryHoldsSoManySpheresWithTheirBvh) {
    const Scene weekend = sceneNamed("weekend");
    Settings settings = defaultSettings(Backend::cuda, weekend);
    EXPECT_EQ(valueOf(*findAxis("accel"), settings), "bvh");
    EXPECT_EQ(valueOf(*findAxis("scene_memory"), settings), "global");
    EXPECT_EQ(unsupported(settings, weekend), "");
    settings.variant.sceneMemory = SceneMemory::constant;
    EXPECT_EQ(unsupported(settings, weekend), "");
    settings.variant.precision = Precision::float64;
    EXPECT_NE(unsupported(settings, weekend).find("bytes"), std::string::npos);
    for (const Accel accel : {Accel::brute, Accel::bvh, Accel::grid, Accel::bvh4}) {
        for (const SceneLayout layout : {SceneLayout::aos, SceneLayout::soa}) {
            settings.variant.accel = accel;
            settings.variant.sceneLayout = layout;
            EXPECT_LE(packScene<double>(weekend, layout, accel).size(),
                      packedBytes(weekend, settings.variant));
        }
    }
}

/// From the defaults of every engine on CUDA each value can be had with one choice.
TEST(Axes, AChoiceBringsWhatItNeeds) {
    const Scene vt9 = sceneNamed("vt9");
    const Axis& engines = *findAxis("engine");
    for (int engine = engines.minimum; engine <= engines.maximum; ++engine) {
        if (engine == static_cast<int>(Engine::packets)) continue;  // the CPU's alone
        Settings base = defaultSettings(Backend::cuda, vt9);
        choose(base, engines, engine);
        EXPECT_EQ(unsupported(base, vt9), "");
        for (const Axis& axis : axes()) {
            for (int value = axis.minimum; value <= axis.maximum; ++value) {
                Settings settings = base;
                choose(settings, axis, value);
                EXPECT_EQ(axis.get(settings), value) << axis.id;
                // and back again
                choose(settings, axis, axis.get(base));
                EXPECT_EQ(axis.get(settings), axis.get(base)) << axis.id;
                if (axis.id == "backend") continue;
                choose(settings, axis, value);
                const std::string reason = unsupported(settings, vt9);
                const std::string choice = spelled(axis, value);
                const bool never =
                    choice == "display=host" || choice == "engine=packets" ||
                    choice == "accel=embree" || choice == "accel=bvh8" ||
                    choice == "source=mine" ||  // nobody has edited any
                    (choice == "search=boxed" && findAxis("search")->matters(settings)) ||
                    (choice == "compaction=device" && base.variant.engine == Engine::hybrid);
                EXPECT_EQ(!reason.empty(), never) << choice << ": " << reason;
            }
        }
    }
    Settings clash = defaultSettings(Backend::cuda, vt9);
    choose(clash, engines, static_cast<int>(Engine::hybrid));
    EXPECT_EQ(clash.variant.compaction, Compaction::host);
    EXPECT_EQ(clash.variant.stages, defaultSettings(Backend::cuda, vt9).variant.stages);
    // what was said stands, in any order
    for (const bool first : {true, false}) {
        Settings said = defaultSettings(Backend::cuda, vt9);
        assignAll(said, first ? std::vector<std::string>{"compaction=device", "engine=hybrid"}
                              : std::vector<std::string>{"engine=hybrid", "compaction=device"});
        EXPECT_EQ(said.variant.compaction, Compaction::device);
        EXPECT_NE(unsupported(said, vt9), "");
    }
}

/// Also what was said before it had a meaning, and what only numbers of both sides rule out.
TEST(Axes, AChoiceCuresWhatItBringsAbout) {
    const Scene vt9 = sceneNamed("vt9");
    Settings s = defaultSettings(Backend::cuda, vt9);
    ASSERT_EQ(assign(s, "access=reference").reason(), "");
    EXPECT_EQ(unsupported(s, vt9), "");
    choose(s, *findAxis("engine"), static_cast<int>(Engine::wavefront));
    EXPECT_EQ(unsupported(s, vt9), "");
    EXPECT_EQ(s.variant.access, Access::reference);
    s = defaultSettings(Backend::cuda, vt9);
    assignAll(s, {"max_registers=168"});
    assignAll(s, {"block=1024x1"});
    EXPECT_EQ(difference(defaultSettings(Backend::cuda, vt9), s), "block=1024x1");
    assignAll(s, {"max_registers=168"});
    EXPECT_EQ(difference(defaultSettings(Backend::cuda, vt9), s), "max_registers=168");
    // what has nothing to do with the choice is left alone
    s = defaultSettings(Backend::cpu, vt9);
    s.display = Display::interop;
    choose(s, *findAxis("path"), static_cast<int>(Path::stack));
    EXPECT_EQ(s.display, Display::interop);
}

/// The settings of all rungs of all ladders, in which what does not matter has a default that the
/// backend may not have.
std::vector<std::pair<Settings, SharedScene>> rungs(Backend preferred) {
    std::vector<std::pair<Settings, SharedScene>> result;
    Scenes scenes;
    for (const std::string& name : ladderNames()) {
        const auto ladder = findLadder(name);
        for (size_t i = 0; i < ladder->rungs.size(); ++i) {
            const SharedScene scene = *scenes.find(ladder->rungs[i].scene);
            const Settings s = settingsOf(*ladder, static_cast<int>(i), scene, preferred);
            if (unsupported(s, scene).empty()) result.emplace_back(s, scene);
        }
    }
    return result;
}

/// What rules a choice out was chosen, or is listed.
TEST(Axes, NoHiddenValueRulesAChoiceOut) {
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        const auto all = rungs(backend);
        ASSERT_FALSE(all.empty());
        for (const auto& [base, scene] : all) {
            for (const Axis& axis : axes()) {
                if (axis.id == "backend" || !axis.matters(base)) continue;
                const bool few = axis.kind == AxisKind::number;
                for (int value = axis.minimum; value <= (few ? axis.minimum : axis.maximum);
                     ++value) {
                    Settings chosen = base;
                    choose(chosen, axis, value);
                    for (const Clash& clash : clashes(chosen, scene)) {
                        const bool seen = clash.axis == &axis || clash.axis->matters(base);
                        EXPECT_TRUE(seen)
                            << spelled(axis, value) << " is refused, because " << clash.sentence;
                    }
                }
            }
        }
    }
}

/// The rung "recursion" of ece408-smallpt keeps compaction=device, which no CPU has.
TEST(Axes, AnEngineCanBeChosenAfterEveryRung) {
    const Axis& engine = *findAxis("engine");
    for (const auto& [base, scene] : rungs(Backend::cpu)) {
        if (base.triangles) continue;  // which only one engine traces
        Settings chosen = base;
        choose(chosen, engine, static_cast<int>(Engine::wavefront));
        EXPECT_EQ(unsupported(chosen, scene), "") << describe(base);
    }
}

/// Looks at every pair of values, from the defaults of every backend and engine.
class Pairs {
public:
    explicit Pairs(const Scene& scene) : scene_(scene) {}

    void look(const Settings& base) {
        for (const Axis& a : axes()) {
            for (const Axis& b : axes()) {
                if (&a == &b) break;
                forEachPair(base, a, b);
            }
        }
    }
    const std::set<const Rule*>& broken() const { return broken_; }

private:
    void forEachPair(const Settings& base, const Axis& a, const Axis& b) {
        const auto ends = [](const Axis& axis, int value) {  // of a number only these
            return axis.kind != AxisKind::number || value == axis.minimum || value == axis.maximum;
        };
        for (int i = a.minimum; i <= a.maximum; ++i) {
            for (int k = b.minimum; ends(a, i) && k <= b.maximum; ++k) {
                if (!ends(b, k)) continue;
                Settings onlyA = base, onlyB = base, both = base;
                a.set(onlyA, i);
                b.set(onlyB, k);
                a.set(both, i);
                b.set(both, k);
                const std::vector<Clash> found = clashes(both, scene_);
                for (const Clash& clash : found) judge(clash, both);
                const bool pair = a.matters(base) && b.matters(base) && !found.empty() &&
                                  found.front().rule->reasonInScene == nullptr &&
                                  unsupported(onlyA, scene_).empty() &&
                                  unsupported(onlyB, scene_).empty();
                if (pair) {
                    EXPECT_TRUE(names(found.front(), a) && names(found.front(), b))
                        << spelled(a, i) << " " << spelled(b, k) << ": " << found.front().sentence;
                }
            }
        }
    }
    static bool names(const Clash& clash, const Axis& axis) {
        return clash.sentence.find(axis.id) != std::string::npos;
    }
    void judge(const Clash& clash, const Settings& settings) {
        if (!broken_.insert(clash.rule).second) return;
        SCOPED_TRACE(clash.sentence);
        EXPECT_TRUE(names(clash, *clash.axis));
        if (clash.rule->other.axis) {
            EXPECT_TRUE(names(clash, *clash.rule->other.axis));
        }
        EXPECT_TRUE(clash.sentence.ends_with(
            fmt::format(" ({})", std::string_view(clash.rule->remedies.front()))));
        for (const std::string_view remedy : clash.rule->remedies) {
            Settings cured = settings;
            ASSERT_EQ(assign(cured, remedy).reason(), "");
            for (const Clash& left : clashes(cured, scene_))
                EXPECT_NE(left.rule, clash.rule) << remedy << " does not cure it";
        }
    }

    const Scene& scene_;
    std::set<const Rule*> broken_;
};

TEST(Axes, EveryRuleNamesBothSidesAndItsRemediesCure) {
    std::set<const Rule*> broken;
    for (const char* name :
         {"vt9", "weekend", "field-600", "nbody-64", "cornell-box", "globe", "blocks-20000000"}) {
        const Scene scene = sceneNamed(name);
        Pairs pairs(scene);
        for (const Settings& base : beginnings(scene)) pairs.look(base);
        broken.insert(pairs.broken().begin(), pairs.broken().end());
    }
    for (const Axis& axis : axes()) {
        for (const Rule& rule : axis.rules)
            EXPECT_TRUE(broken.contains(&rule))
                << axis.id << ": nothing breaks a rule: " << rule.values << " " << rule.clash;
    }
}

TEST(Settings, WhatAnotherSceneCannotHaveGoes) {
    const Scene vt9 = sceneNamed("vt9"), weekend = sceneNamed("weekend");
    Settings s = defaultSettings(Backend::cuda, vt9);
    assignAll(s, {"scene_memory=baked", "light_sampling=on", "path=stack"});
    ASSERT_EQ(unsupported(s, vt9), "");
    std::string reason;
    const Settings moved = forScene(s, vt9, weekend, &reason);
    EXPECT_NE(reason.find("light sampling turned off: this scene has no emissive sphere"),
              std::string::npos)
        << reason;
    EXPECT_NE(reason.find("scene memory is now global: "), std::string::npos) << reason;
    EXPECT_EQ(unsupported(moved, weekend), "");
    EXPECT_EQ(difference(defaultSettings(Backend::cuda, weekend), moved), "path=stack");
    // what is not to blame stays
    Settings edited = s;
    edited.variant.accel = Accel::bvh;
    EXPECT_EQ(difference(edited, possible(edited, vt9, &reason)), "accel=brute");
    // the scene's own default stays, and what was chosen goes
    Settings wide = defaultSettings(Backend::cuda, weekend);
    assignAll(wide, {"scene_memory=constant", "precision=double"});
    EXPECT_EQ(difference(wide, possible(wide, weekend, &reason)), "scene_memory=global");
}

/// Their axes show where there is something to move, and kernels that trace do not know them.
TEST(Axes, OfASimulationBelongToScenesThatMove) {
    const Scene vt9 = sceneNamed("vt9"), nbody = sceneNamed("nbody-64");
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        const Settings still = defaultSettings(backend, vt9);
        std::string reason;
        const Settings moving = forScene(still, vt9, nbody, &reason);
        EXPECT_EQ(unsupported(moving, nbody), "");
        for (const char* id : {"forces", "body_layout", "steps"}) {
            EXPECT_FALSE(findAxis(id)->matters(still)) << id;
            EXPECT_TRUE(findAxis(id)->matters(moving)) << id;
        }
        EXPECT_EQ(findAxis("body_tile")->matters(moving), backend == Backend::cuda);
        EXPECT_FALSE(findAxis("forces")->matters(forScene(moving, nbody, vt9, &reason)));
        EXPECT_EQ(moving.bodyLayout, backend == Backend::cpu ? BodyLayout::soa : BodyLayout::aos);
    }
    Settings cuda = defaultSettings(Backend::cuda, nbody);
    choose(cuda, *findAxis("forces"), static_cast<int>(Forces::slices));
    EXPECT_TRUE(cuda.variant == defaultSettings(Backend::cuda, nbody).variant);
    EXPECT_EQ(forceVariant(cuda).forces, Forces::slices);
    cuda.forces = Forces::untiled;
    cuda.bodyTile = 512;
    EXPECT_EQ(forceVariant(cuda).tile, 128) << "it has no tile";
    EXPECT_EQ(unsupported(withBackend(cuda, Backend::cpu, nbody), nbody), "");
}

TEST(Axes, DescriptionAndDifference) {
    const Scene scene = sceneNamed("vt9");
    Settings a = defaultSettings(Backend::cpu, scene), b = a;
    EXPECT_EQ(difference(a, b), "");
    ASSERT_EQ(assign(b, "path=stack").reason(), "");
    ASSERT_EQ(assign(b, "opt=O1").reason(), "");
    EXPECT_EQ(difference(a, b), "opt=O1 path=stack");
    EXPECT_EQ(describe(b).find("block="), std::string::npos);  // means nothing on the CPU
    EXPECT_NE(describe(b).find("path=stack"), std::string::npos);
}

TEST(Settings, WhatResetsFilmAndTiming) {
    const Settings a;
    for (const Axis& axis : axes()) {
        Settings b = a;
        axis.set(b, axis.get(a) == axis.maximum ? axis.minimum : axis.maximum);
        EXPECT_TRUE(resetsTiming(a, b)) << axis.id;
        const bool picture = axis.id == "depth" || axis.id == "source";  // of an edited kernel
        EXPECT_EQ(resetsFilm(a, b), picture) << axis.id;
    }
    Settings b = a;
    b.variant.engine = Engine::regeneration;
    EXPECT_FALSE(resetsFilm(a, b));
    b.variant.regeneration = Regeneration::budget;
    EXPECT_TRUE(resetsFilm(a, b)) << "too bright";
    b = a;
    b.seed = 2;
    EXPECT_TRUE(resetsFilm(a, b));
    EXPECT_FALSE(resetsFilm(a, a));
    EXPECT_FALSE(resetsTiming(a, a));
}

}  // namespace
}  // namespace rayscope
