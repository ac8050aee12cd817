// What kernels are compiled from: values of an axis that become known while the program runs.

#include "renderer/choices/sources.h"

#include <gtest/gtest.h>

#include <thread>

#include "renderer/choices/axes.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

const Axis& sourceAxis() {
    return *findAxis("source");
}

TEST(Sources, AreValuesOfTheAxis) {
    EXPECT_EQ(sourceAxis().values.find("built_in"), kBuiltIn);
    EXPECT_EQ(sourceAxis().values.find("mine"), kMine);
    Settings settings;
    EXPECT_NE(assign(settings, "source=spilling").reason().find("built_in, mine"),
              std::string::npos)
        << "a word that was mistyped";
    const Result<int> named = sourceNamed("spilling");
    ASSERT_TRUE(named) << named.reason();
    EXPECT_EQ(*sourceNamed("spilling"), *named);
    EXPECT_EQ(assign(settings, "source=spilling").reason(), "");
    EXPECT_EQ(settings.source, *named);
    EXPECT_EQ(valueOf(sourceAxis(), settings), "spilling");
}

TEST(Sources, AFilesWordBecomesAValueThatHasNoFolder) {
    const Scene scene = sceneNamed("vt9");
    Settings settings = defaultSettings(Backend::cuda, scene);
    ASSERT_EQ(assignRead(settings, "source=from_a_file").reason(), "");
    EXPECT_NE(unsupported(settings, scene).find("--kernels NAME=DIR"), std::string::npos)
        << unsupported(settings, scene);
    setSourceFolder(settings.source, "/somewhere");
    EXPECT_EQ(unsupported(settings, scene), "");
    setSourceFolder(settings.source, "");
    for (const char* wrong : {"source=", "source=A", "source=a b", "source=../x",
                              "source=a_name_that_is_longer_than_any"})
        EXPECT_NE(assignRead(settings, wrong).reason(), "") << wrong;
}

/// Nobody who edits nothing hears of the axis.
TEST(Sources, MatterOnceOneHasAFolder) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = defaultSettings(Backend::cuda, scene);
    EXPECT_FALSE(sourceAxis().matters(settings));
    setSourceFolder(kMine, "/somewhere");
    EXPECT_TRUE(sourceAxis().matters(settings));
    EXPECT_NE(describe(settings).find("source=built_in"), std::string::npos);
    EXPECT_TRUE(sourceAxis().matters(defaultSettings(Backend::cpu, scene)));
    Settings edited = settings;
    edited.source = kMine;
    EXPECT_EQ(difference(settings, edited), "source=mine");
    EXPECT_TRUE(resetsFilm(settings, edited)) << "it may compute another picture";
    setSourceFolder(kMine, "");
    EXPECT_FALSE(sourceAxis().matters(settings));
}

TEST(Sources, AreReadWhileMoreAreAdded) {
    ValueList values({{"a", "a"}}, 100);
    std::thread reader([values] {
        while (values.size() < 100) {
            const AxisValue& last = values[values.size() - 1];
            ASSERT_EQ(last.id, last.label);
        }
    });
    for (int i = 1; i < 100; ++i) ASSERT_TRUE(values.add({std::to_string(i), std::to_string(i)}));
    reader.join();
    EXPECT_FALSE(values.add({"more", "more"})) << "there is no room";
    EXPECT_EQ(values.size(), 100u);
    EXPECT_EQ(values.find("99"), 99);
}

}  // namespace
}  // namespace rayscope
