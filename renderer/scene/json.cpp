#include "renderer/scene/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <glm/geometric.hpp>
#include <limits>

#include "renderer/base/say.h"
#include "renderer/base/text.h"
#include "renderer/scene/mesh_json.h"
#include "renderer/scene/model.h"
#include "renderer/scene/named_file.h"
#include "renderer/scene/sky.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr Range kCoordinate{-kMaxCoordinate, kMaxCoordinate};
constexpr Range kLength{0, kMaxCoordinate, true};
constexpr Range kLengthOrNone{0, kMaxCoordinate};
constexpr Range kRadius{kMinRadius, kMaxCoordinate};
constexpr Range kColour{0, kMaxEmission};
/// Of simulations, as kMaxTimeStep.
constexpr double kMaxMass = 1e6, kMaxBodyRadius = 1e3;
constexpr int kMaxSeed = std::numeric_limits<int>::max();
constexpr int kMaxSize = 16384;
constexpr int kMaxSamples = 1'000'000;
constexpr std::size_t kMaxName = 100;

// in the order of the enums; MaterialKind::checker belongs to the floor alone, and SkyKind::picture
// to a sky that names one
constexpr std::array<std::string_view, 5> kMaterials{"lambert", "metal", "dielectric", "glass",
                                                     "glossy"};
constexpr std::array<std::string_view, 2> kSkies{"gradient", "power"};
constexpr std::array<std::string_view, 2> kLenses{"disk", "square"};
constexpr std::array<std::string_view, 2> kFilters{"box", "tent"};
constexpr std::array<std::string_view, 3> kStarts{"plummer", "discs", "cube"};

template <class Enum, std::size_t N>
std::string_view nameOf(Enum value, const std::array<std::string_view, N>& names) {
    return names.at(static_cast<std::size_t>(value));
}

/// True for names that a command or a window would take for a path: a file must not name another.
bool readsAsPath(const std::string& name) {
    const std::string ending = endingOf(name);
    return name.find('/') != name.npos || ending == ".json" || ending == ".png" || isModel(name);
}

void readSphere(ObjectReader members, Sphere& sphere) {
    members.required("center", "3 numbers");
    members.vector("center", kCoordinate, sphere.center);
    members.required("radius", "a number");
    members.number("radius", kRadius, sphere.radius);
    readMaterial(members.object("material", false), sphere.material);
    members.finish();
}

/// They may be missing where there are meshes.
void readSpheres(ObjectReader& members, std::vector<Sphere>& spheres) {
    const std::string expected = fmt::format("an array of at most {} spheres", kMaxSpheres);
    const bool others = members.member("meshes") != nullptr;
    const json* array = others ? members.member("spheres") : members.required("spheres", expected);
    if (array == nullptr) return;
    if (!array->is_array()) return members.complain("spheres", briefly(*array), expected);
    if (array->size() > kMaxSpheres) {
        return members.complain("spheres", fmt::format("an array of {}", array->size()), expected);
    }
    spheres.resize(array->size());
    for (std::size_t i = 0; i < spheres.size() && !members.failed(); ++i)
        readSphere(members.element((*array)[i], fmt::format("spheres[{}]", i)), spheres[i]);
}

void readSize(ObjectReader& members, Scene& scene) {
    const json* size = members.member("size");
    if (size == nullptr) return;
    const auto inRange = [](const json& n) {
        return n.is_number_integer() && n.get<double>() >= 1 && n.get<double>() <= kMaxSize;
    };
    if (!size->is_array() || size->size() != 2 || !inRange((*size)[0]) || !inRange((*size)[1])) {
        const std::string is =
            !size->is_array()   ? briefly(*size)
            : size->size() == 2 ? fmt::format("[{}, {}]", briefly((*size)[0]), briefly((*size)[1]))
                                : fmt::format("{} values", size->size());
        return members.complain(
            "size", is, fmt::format("[width, height], whole numbers from 1 to {}", kMaxSize));
    }
    scene.width = (*size)[0].get<int>();
    scene.height = (*size)[1].get<int>();
}

void readDisplay(ObjectReader members, DisplayTransform& display) {
    members.number("exposure", {0, 1e4}, display.exposure);
    members.number("offset", {-1, 1}, display.offset);
    members.number("gamma", {.1, 10}, display.gamma);
    members.finish();
}

void readSkyPicture(ObjectReader& members, const std::string& folder, Sky& sky) {
    const std::optional<NamedFile> file =
        readFileName(members, "picture", folder, isSkyPicture, "an .exr, .hdr, .png or .jpg");
    if (!file) return;
    std::error_code unknown;
    if (!file->digest.empty() && !std::filesystem::exists(file->path, unknown)) {
        // what was saved with it goes on without
        sky = Sky();
        sky.source = file->path;
        complain(skyMissing(sky));
        double ignored = 0;
        members.number("turn", {-360, 360}, ignored);
        members.number("strength", kColour, ignored);
        return;
    }
    Result<Sky> read = skyFromFile(file->path);
    if (!read) return members.fail(fmt::format("{}: {}", members.pathOf("picture"), read.reason()));
    checkDigest(members, "picture", *file, read->digest);
    sky = *std::move(read);
    members.number("turn", {-360, 360}, sky.turn);
    members.number("strength", kColour, sky.strength);
}

void readSky(ObjectReader members, const std::string& folder, Sky& sky) {
    if (members.member("picture") != nullptr) {
        readSkyPicture(members, folder, sky);
    } else {
        members.choice("kind", kSkies, sky.kind);
        members.vector("bottom", kColour, sky.bottom);
        members.vector("top", kColour, sky.top);
    }
    members.finish();
}

void readCardLight(ObjectReader members, CardLight& light) {
    members.vector("corner", kCoordinate, light.corner);
    members.number("size", kLengthOrNone, light.size);
    members.finish();
}

void readSimulation(ObjectReader members, Simulation& simulation) {
    members.required("start", "one of plummer, discs, cube");
    members.choice("start", kStarts, simulation.start);
    members.whole("bodies", 1, kMaxBodies, simulation.bodies);
    members.whole("seed", 0, kMaxSeed, simulation.seed);
    members.number("mass", {0, kMaxMass}, simulation.mass);
    members.number("step", {0, kMaxTimeStep, true}, simulation.step);
    members.number("softening", {kMinSoftening, kMaxSoftening}, simulation.softening);
    members.number("radius", {kMinRadius, kMaxBodyRadius}, simulation.radius);
    members.whole("lamps", 0, kMaxBodies, simulation.lamps);
    members.finish();
}

/// When all else has been read, as a million bodies are a hundred megabytes.
void takeSimulation(const Simulation& simulation, Scene& scene) {
    scene.simulation = simulation;
    placeBodies(scene);
}

void readMembers(ObjectReader members, const std::string& folder, Scene& scene) {
    const std::string otherwise = scene.name;
    members.text("name", kMaxName, scene.name);
    if (scene.name.empty()) scene.name = otherwise;
    if (readsAsPath(scene.name)) {
        members.complain("name", fmt::format("\"{}\"", scene.name),
                         "a name without slashes that does not end as a file's");
    }
    members.text("title", 1000, scene.title);
    readSize(members, scene);
    members.whole("spp", 1, kMaxSamples, scene.spp);
    members.whole("depth", 1, kMaxDepth, scene.depth);
    members.whole("roulette_depth", 0, kMaxDepth, scene.rouletteDepth);
    members.number("epsilon", {0, 1e3, true}, scene.epsilon);
    members.choice("filter", kFilters, scene.filter);
    readCamera(members.object("camera", false), scene.camera);
    readDisplay(members.object("display", true), scene.display);
    readSky(members.object("sky", true), folder, scene.sky);
    members.flag("floor", scene.floor);
    readCardLight(members.object("card_light", true), scene.cardLight);
    readSpheres(members, scene.spheres);
    readMeshes(members, folder, scene.meshes);
    if (members.member("epsilon") == nullptr && !members.failed())
        scene.epsilon = epsilonFor(scene.meshes, scene.epsilon);
    Simulation simulation;
    const bool moves = members.member("simulation") != nullptr;
    if (moves) readSimulation(members.object("simulation", false), simulation);
    if (moves && !scene.meshes.empty())
        members.complain("meshes", "beside a simulation", "one of the two");
    if (moves && scene.sky.picture)
        members.complain("sky.picture", "beside a simulation", "one of the two");
    members.finish();
    if (moves && !members.failed()) takeSimulation(simulation, scene);
}

json toJson(const glm::dvec3& v) {
    return json::array({v.x, v.y, v.z});
}

json toJson(const Sky& sky) {
    if (sky.kind == SkyKind::picture) {
        return {{"picture", sky.source},
                {"digest", digestText(sky.digest)},
                {"turn", sky.turn},
                {"strength", sky.strength}};
    }
    return {{"kind", nameOf(sky.kind, kSkies)},
            {"bottom", toJson(sky.bottom)},
            {"top", toJson(sky.top)}};
}

json toJson(const Simulation& s) {
    return {{"start", nameOf(s.start, kStarts)},
            {"bodies", s.bodies},
            {"seed", s.seed},
            {"mass", s.mass},
            {"step", s.step},
            {"softening", s.softening},
            {"radius", s.radius},
            {"lamps", s.lamps}};
}

}  // namespace

std::string sceneNameFrom(const std::string& file) {
    std::string stem = printable(std::filesystem::path(file).stem().string());
    if (stem.size() > kMaxName) stem = shortened(stem, kMaxName - 3);
    while (readsAsPath(stem)) stem = std::filesystem::path(stem).stem().string();
    return stem.empty() ? "scene" : stem;
}

void readMaterial(ObjectReader members, Material& material) {
    members.required("kind", "one of lambert, metal, dielectric, glass, glossy");
    members.choice("kind", kMaterials, material.kind);
    members.vector("albedo", {0, 1}, material.albedo);
    members.vector("emission", kColour, material.emission);
    members.number("roughness", {0, 1}, material.roughness);
    members.number("index", {1, 10}, material.index);
    members.finish();
}

json toJson(const Material& m) {
    const Material plain;
    json j{{"kind", nameOf(m.kind, kMaterials)}, {"albedo", toJson(m.albedo)}};
    if (!(m.emission == plain.emission)) j["emission"] = toJson(m.emission);
    if (m.roughness != plain.roughness) j["roughness"] = m.roughness;
    if (m.index != plain.index) j["index"] = m.index;
    return j;
}

void readCamera(ObjectReader members, Camera& camera) {
    members.vector("from", kCoordinate, camera.from);
    members.vector("to", kCoordinate, camera.to);
    members.vector("up", kCoordinate, camera.up);
    members.number("vfov", {1, 179}, camera.vfov);
    members.number("lens_radius", kLengthOrNone, camera.lensRadius);
    members.number("focus", kRadius, camera.focus);
    members.choice("lens", kLenses, camera.lens);
    members.number("start", kLengthOrNone, camera.start);
    members.finish();
    if (members.failed()) return;
    const glm::dvec3 forward = camera.to - camera.from;
    constexpr double kShortest = 1e-6;
    // of models in nanometres, too: what double precision tells apart
    const double farthest = std::max(glm::length(camera.from), glm::length(camera.to));
    if (!(glm::length(forward) > 1e-12 * farthest)) {
        return members.complain(members.pathOf("to"), "the same point as from", "another point");
    }
    if (!(glm::length(camera.up) > kShortest)) {
        return members.complain(members.pathOf("up"), "of no length", "a direction");
    }
    const double sine = glm::length(glm::cross(forward, camera.up)) /
                        (glm::length(forward) * glm::length(camera.up));
    if (!(sine > 1e-9)) {
        members.complain(members.pathOf("up"), "parallel to the view", "a direction across it");
    }
}

Result<Scene> sceneFromJson(const json& json, const std::string& file) {
    Scene scene;
    scene.name = sceneNameFrom(file);
    std::string error;
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    readMembers({json, "", error}, file.empty() || !folder.empty() ? folder.string() : ".", scene);
    if (!error.empty()) return Failure{file.empty() ? error : fmt::format("{}: {}", file, error)};
    return scene;
}

json toJson(const Camera& camera) {
    return {{"from", toJson(camera.from)},
            {"to", toJson(camera.to)},
            {"up", toJson(camera.up)},
            {"vfov", camera.vfov},
            {"lens_radius", camera.lensRadius},
            {"focus", camera.focus},
            {"lens", nameOf(camera.lens, kLenses)},
            {"start", camera.start}};
}

json toJson(const Scene& scene) {
    json spheres = json::array();
    for (std::size_t i = bodyCount(scene); i < scene.spheres.size(); ++i) {
        const Sphere& s = scene.spheres[i];
        spheres.push_back(
            {{"center", toJson(s.center)}, {"radius", s.radius}, {"material", toJson(s.material)}});
    }
    json object{{"name", scene.name},
                {"title", scene.title},
                {"size", {scene.width, scene.height}},
                {"spp", scene.spp},
                {"depth", scene.depth},
                {"roulette_depth", scene.rouletteDepth},
                {"epsilon", scene.epsilon},
                {"filter", nameOf(scene.filter, kFilters)},
                {"camera", toJson(scene.camera)},
                {"display",
                 {{"exposure", scene.display.exposure},
                  {"offset", scene.display.offset},
                  {"gamma", scene.display.gamma}}},
                {"sky", toJson(scene.sky)},
                {"floor", scene.floor},
                {"card_light",
                 {{"corner", toJson(scene.cardLight.corner)}, {"size", scene.cardLight.size}}},
                {"spheres", std::move(spheres)}};
    for (const SceneMesh& mesh : scene.meshes) object["meshes"].push_back(toJson(mesh));
    if (scene.simulation) object["simulation"] = toJson(*scene.simulation);
    return object;
}

}  // namespace rayscope
