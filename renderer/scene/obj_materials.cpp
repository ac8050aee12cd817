#include "renderer/scene/obj_materials.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "renderer/base/text.h"
#include "renderer/scene/text_lines.h"

namespace rayscope {

namespace {

constexpr std::size_t kMostLibraries = 1024;
/// Names in remarks of each kind.
constexpr int kMostNamed = 16;

std::string shownName(std::string_view name) {
    return printable(shortened(std::string(name.substr(0, 200)), 100));
}

/// Names with spaces, in quotes, or one behind the other: each ends with .mtl, or is a word.
std::vector<std::string> namesOfLibraries(std::string_view line) {
    std::vector<std::string> names;
    std::string name;
    const auto ends = [](std::string_view word) {
        if (word.size() < 4) return false;
        const std::string_view last = word.substr(word.size() - 4);
        return last == ".mtl" || last == ".MTL" || last == ".Mtl";
    };
    while (!(line = trimmed(line)).empty()) {
        if (line.front() == '"' && line.find('"', 1) != line.npos) {
            const std::size_t close = line.find('"', 1);
            names.emplace_back(line.substr(1, close - 1));
            line.remove_prefix(close + 1);
            continue;
        }
        std::size_t end = 0;
        while (end < line.size() && !isBlank(line[end])) ++end;
        name.append(name.empty() ? "" : " ").append(line.substr(0, end));
        if (ends(line.substr(0, end))) names.push_back(std::exchange(name, {}));
        line.remove_prefix(end);
    }
    if (names.empty() && name.find(' ') != name.npos) {
        for (Words words(name);;) {
            const std::string_view word = words.word();
            if (word.empty()) return names;
            names.emplace_back(word);
        }
    }
    if (!name.empty() && !name.starts_with('#')) names.push_back(name);
    return names;
}

/// As large as the larger of both; the colour is white where there is none. The alpha is the red of
/// a picture, or its alpha.
Picture8 withAlpha(const Picture8* colour, const Picture8& alpha, bool byAlpha) {
    const Picture8& other = colour != nullptr ? *colour : alpha;
    Picture8 both{std::max(other.width, alpha.width), std::max(other.height, alpha.height)};
    both.texels.reserve(std::size_t{1} * both.width * both.height);
    const auto texelOf = [&](const Picture8& p, int x, int y) {  // at the middle of one of both
        const auto at = [](int i, int size, int of) {
            return static_cast<std::size_t>((2LL * i + 1) * size / (2LL * of));
        };
        return p.texels[at(y, p.height, both.height) * p.width + at(x, p.width, both.width)];
    };
    for (int y = 0; y < both.height; ++y) {
        for (int x = 0; x < both.width; ++x) {
            const std::uint32_t seen = colour != nullptr ? texelOf(*colour, x, y) : ~0u;
            const std::uint32_t opaque = texelOf(alpha, x, y) >> (byAlpha ? 24 : 0) & 255;
            both.texels.push_back((seen & 0xffffff) | opaque << 24);
        }
    }
    return both;
}

}  // namespace

/// Before all else, so that a material may be used before its library is named.
void ObjMaterialsUsed::readLibraries(std::string_view text) {
    constexpr std::string_view kKey = "mtllib";
    Lines lines(text, Lines::Continue::afterBackslash);
    for (std::string_view line; lines.nextWith(kKey, line);) {
        Words words(line);
        if (words.word() == kKey) libraries(words.rest(), lines.number());
    }
}

/// First as one name, which may have spaces.
void ObjMaterialsUsed::libraries(std::string_view names, int line) {
    const std::string whole(names);
    const std::vector<std::string> several = namesOfLibraries(names);
    if (library(whole, line, several.size() < 2)) return;
    if (several.size() < 2) return;
    for (const std::string& name : several) library(name, line, true);
}

/// Returns whether it is there. One that is missing leaves its materials grey, as in other
/// programs.
bool ObjMaterialsUsed::library(const std::string& name, int line, bool needed) {
    const Result<std::string> path = companions_.find(name);
    const std::string key = path ? *path : name;
    if (const auto known = libraries_.find(key); known != libraries_.end()) return known->second;
    if (!path && !needed) return false;
    const std::string where = fmt::format("line {}", line);
    if (libraries_.size() >= kMostLibraries) {
        remarks_.add("more than 1024 libraries of materials: the others are not read", where);
        return false;
    }
    const Result<std::string> text = path ? companions_.readFound(*path) : path.failure();
    libraries_[key] = static_cast<bool>(text);
    if (!text) {
        remarkOn("library", name, "missing, or not in the model's folder: its materials are grey",
                 where);
        return false;
    }
    const std::string folder = std::filesystem::path(*path).parent_path().string();
    found_.merge(mtlMaterials(*text, shownName(name), folder, remarks_));
    return true;
}

/// Of many names only the first are kinds of their own.
void ObjMaterialsUsed::remarkOn(const std::string& kind, std::string_view name,
                                const std::string& sentence, const std::string& where) {
    const bool isShown = ++named_[kind] <= kMostNamed;
    remarks_.add(fmt::format("{} {}: {}", kind,
                             isShown ? "'" + shownName(name) + "'" : "(and others)", sentence),
                 where);
}

int ObjMaterialsUsed::use(std::string_view name, int line) {
    if (const auto known = used_.find(name); known != used_.end()) return known->second;
    auto found = found_.find(std::string(name));
    if (found == found_.end() && name.find(" #") != name.npos)  // a comment, then
        found = found_.find(std::string(trimmed(name.substr(0, name.find(" #")))));
    const bool there = found != found_.end();
    if (!there && !name.empty())
        remarkOn("material", name, "in no library: it is grey", fmt::format("line {}", line));
    if (mesh_.materials.size() >= kMostMaterials) {
        remarks_.add("more than 65536 materials: the others look like the last",
                     fmt::format("line {}", line));
        return static_cast<int>(mesh_.materials.size()) - 1;
    }
    if (!there) unknown_.push_back(static_cast<int>(mesh_.materials.size()));
    return add(std::string(name), there ? found->second : ObjMaterial{});
}

void ObjMaterialsUsed::whitenUnknown() {
    for (const int m : unknown_) mesh_.materials[m].albedo = glm::dvec3(1);
}

int ObjMaterialsUsed::add(const std::string& name, const ObjMaterial& found) {
    const int number = static_cast<int>(mesh_.materials.size());
    FileSurface surface = surfaceOf(found);
    Textures textures = texturesOf(found, surface);
    const Material material = materialOf(surface);
    if (material.emission == glm::dvec3(0)) textures.emission = {};
    const auto between = [](double share) { return share > .01 && share < .99; };
    if (between(surface.transmission))
        remarks_.add("partly transparent materials become opaque or glass", shownName(name));
    if (between(surface.metallic))
        remarks_.add("partly metallic materials become diffuse or metal", shownName(name));
    // the models 0 and 1 have no highlights
    if (found.highlight && (found.illumination < 0 || found.illumination > 1) &&
        material.kind == MaterialKind::lambert)
        remarks_.add("highlights (Ks, Ns) are not shown: the surface is diffuse", shownName(name));
    mesh_.materials.push_back(material);
    mesh_.textures.push_back(textures);
    const ObjMap& first = found.albedo.name.empty() ? found.light : found.albedo;
    const std::array<double, 4> way{first.scale.x, first.scale.y, first.offset.x, first.offset.y};
    const auto [known, fresh] = wayNumbers_.emplace(way, static_cast<int>(ways_.size()));
    if (fresh) ways_.push_back(way);
    placings_.push_back(known->second);
    used_.emplace(name, number);
    return number;
}

Textures ObjMaterialsUsed::texturesOf(const ObjMaterial& m, FileSurface& surface) {
    Textures textures;
    textures.albedo = texture(m.albedo);
    if (const SharedPicture alpha = picture(m.alpha)) cutHolesBy(alpha, m.alpha, textures);
    if (!m.emission || surface.emission != glm::dvec3(0)) textures.emission = texture(m.light);
    if (textures.emission.picture) {
        surface.shinesInPlaces = true;
        if (!m.emission) surface.emission = {1, 1, 1};
    }
    remarkOnPlacing(m);
    return textures;
}

/// Corners lie in all textures of a material as in the first.
void ObjMaterialsUsed::remarkOnPlacing(const ObjMaterial& m) {
    const ObjMap& first = m.albedo.name.empty() ? m.light : m.albedo;
    for (const ObjMap* const other : {&m.light, &m.alpha}) {
        if (!other->name.empty() && !first.name.empty() && !other->liesAs(first))
            remarks_.add(
                "all textures of a material use the -s and -o of its map_Kd: others are "
                "ignored",
                shownName(other->name));
    }
}

/// Cuts holes by a picture. A material without a texture gets a white one.
void ObjMaterialsUsed::cutHolesBy(const SharedPicture& alpha, const ObjMap& map,
                                  Textures& textures) {
    const auto isSeeThrough = [](std::uint32_t texel) { return texel >> 24 < 255; };
    const bool byAlpha = map.byAlpha || std::ranges::any_of(alpha->texels, isSeeThrough);
    Texture cut = textures.albedo;
    if (!cut.picture) cut.wrapU = cut.wrapV = map.wrap;
    SharedPicture& known = cut_[{cut.picture, alpha, byAlpha}];
    if (!known) {
        Picture8 made = withAlpha(cut.picture.get(), *alpha, byAlpha);
        if (!count(made)) return;
        known = std::make_shared<const Picture8>(std::move(made));
    }
    cut.picture = known;
    Textures holed = textures;
    holed.albedo = cut;
    cutHoles(holed, .5);
    if (holed.holesBelow > 0) textures = holed;
}

bool ObjMaterialsUsed::count(const Picture8& picture) {
    const bool fits = texels_ + picture.texels.size() <= kMaxTexels;
    if (fits)
        texels_ += picture.texels.size();
    else
        remarks_.add(fmt::format("{}: the others are not shown", kTooManyTexels));
    return fits;
}

Texture ObjMaterialsUsed::texture(const ObjMap& map) {
    return {picture(map), map.wrap, map.wrap};
}

/// One that is missing or cannot be read leaves the material's own number, as in other programs.
ObjMaterialsUsed::SharedPicture ObjMaterialsUsed::picture(const ObjMap& map) {
    const auto [known, fresh] = pictures_.try_emplace({map.name, map.from});
    if (!fresh || map.name.empty()) return known->second;
    Result<Picture8> picture = read(map);
    if (!picture)
        remarkOn("texture", map.name, "not shown, as " + picture.reason(), "");
    else if (count(*picture))
        known->second = std::make_shared<const Picture8>(*std::move(picture));
    return known->second;
}

Result<Picture8> ObjMaterialsUsed::read(const ObjMap& map) {
    const Result<std::string> path = companions_.find(map.name, map.from);
    if (!path) return Failure{"it is missing, or not in the model's folder"};
    const Result<std::string> bytes = companions_.readFound(*path);
    if (!bytes) return bytes.failure();
    return pictureFrom(*bytes);
}

}  // namespace rayscope
