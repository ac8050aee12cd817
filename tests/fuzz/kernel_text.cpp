#include "tests/fuzz/kernel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "renderer/cuda/kernel_names.h"
#include "renderer/scene/bake.h"
#include "tests/fuzz/promise.h"

namespace rayscope {

namespace {

bool consistsOf(std::string_view text, std::string_view characters) {
    return text.find_first_not_of(characters) == text.npos;
}

void promiseBaked(const Scene& scene) {
    const std::string text = bakedScene(scene);
    const auto promiseNumbers = [&](std::string_view begin) {
        const std::size_t rows = text.find(begin), end = text.find("};\n", rows);
        promise(rows != text.npos && end != text.npos, "a baked scene is arrays");
        promise(consistsOf(std::string_view(text).substr(rows, end - rows).substr(begin.size()),
                           "{},\n 0123456789.e+-"),
                "a baked scene consists of numbers");
    };
    promiseNumbers("[7] = {");
    const std::size_t spheres = std::max<std::size_t>(scene.spheres.size(), 1);
    promiseNumbers(fmt::format("kBakedSides[{}] = {{", spheres));
    promiseNumbers("[3][2] = {");
    promiseNumbers(fmt::format("kBakedBoxOf[{}] = {{", spheres));
    promise(std::count(text.begin(), text.end(), ';') == 7, "a baked scene is seven constants");
}

}  // namespace

void promiseKernelText(const Scene& scene, const Settings& settings) {
    constexpr std::string_view kName =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:<>{}().=, ";
    if (scene.spheres.size() <= kMaxBakedSpheres) promiseBaked(scene);
    Variant variant = settings.variant;
    variant.traits = traitsOf(scene);
    for (const Stage stage : stagesOf(variant))
        promise(consistsOf(nameExpression(variant, stage), kName), "a kernel's name is plain");
}

}  // namespace rayscope
