#include "renderer/scene/mtl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/scene/text_lines.h"

namespace rayscope {

namespace {

std::string shownWord(std::string_view word) {
    return printable(shortened(std::string(word.substr(0, 60)), 40));
}

/// CIE XYZ in the primaries of sRGB (IEC 61966-2-1).
glm::dvec3 rgbOfXyz(const glm::dvec3& xyz) {
    return {3.2406 * xyz.x - 1.5372 * xyz.y - .4986 * xyz.z,
            -.9689 * xyz.x + 1.8758 * xyz.y + .0415 * xyz.z,
            .0557 * xyz.x - .2040 * xyz.y + 1.0570 * xyz.z};
}

enum class MapOption { flag, word, number, numbers };

/// The options of a map (MTL specification), with what follows each.
std::optional<MapOption> mapOptionNamed(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, MapOption>, 15> options{
        {{"-blendu", MapOption::flag},
         {"-blendv", MapOption::flag},
         {"-cc", MapOption::flag},
         {"-clamp", MapOption::flag},
         {"-type", MapOption::word},
         {"-imfchan", MapOption::word},
         {"-colorspace", MapOption::word},
         {"-bm", MapOption::number},
         {"-boost", MapOption::number},
         {"-texres", MapOption::number},
         {"-mm", MapOption::numbers},
         {"-o", MapOption::numbers},
         {"-s", MapOption::numbers},
         {"-t", MapOption::numbers},
         {"-halo", MapOption::flag}}};
    const auto* const found = std::find_if(options.begin(), options.end(),
                                           [&](const auto& o) { return o.first == word; });
    return found == options.end() ? std::nullopt : std::optional(found->second);
}

/// What the keywords ask for that our materials do not have.
std::string_view unreadKeyword(std::string_view key) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 23> keywords{
        {{"map_bump", "bump maps are not shown"},
         {"bump", "bump maps are not shown"},
         {"norm", "normal maps are not shown"},
         {"map_kn", "normal maps are not shown"},
         {"disp", "displacement maps are not shown"},
         {"map_disp", "displacement maps are not shown"},
         {"decal", "decals are not shown"},
         {"refl", "reflection maps are not shown: mirrors reflect the scene"},
         {"map_refl", "reflection maps are not shown: mirrors reflect the scene"},
         {"map_ks", "maps of highlights (map_Ks, map_Ns) are not shown"},
         {"map_ns", "maps of highlights (map_Ks, map_Ns) are not shown"},
         {"map_pr", "maps of roughness and metal (map_Pr, map_Pm) are not shown"},
         {"map_pm", "maps of roughness and metal (map_Pr, map_Pm) are not shown"},
         {"map_rma", "maps of roughness and metal (map_Pr, map_Pm) are not shown"},
         {"map_orm", "maps of roughness and metal (map_Pr, map_Pm) are not shown"},
         {"ps", "sheen (Ps) is not shown"},
         {"map_ps", "sheen (Ps) is not shown"},
         {"pc", "clearcoat (Pc) is not shown"},
         {"pcr", "clearcoat (Pc) is not shown"},
         {"aniso", "anisotropy (aniso) is not shown"},
         {"anisor", "anisotropy (aniso) is not shown"},
         {"map_tf", "maps of the transmission filter (map_Tf) are not shown"},
         {"sharpness", ""}}};
    const auto* const found = std::find_if(keywords.begin(), keywords.end(),
                                           [&](const auto& k) { return k.first == key; });
    return found == keywords.end() ? std::string_view("?") : found->second;
}

class MtlReader {
public:
    MtlReader(const std::string& name, const std::string& from, Remarks& remarks)
        : name_(name), from_(from), remarks_(remarks) {}

    ObjMaterials read(std::string_view text) && {
        std::string converted;
        Lines lines(plainText(text, converted), Lines::Continue::afterBackslash);
        for (std::string_view line; lines.next(line);) {
            number_ = lines.number();
            Words words(line);
            const std::string_view key = words.word();
            if (!key.empty() && !key.starts_with('#')) this->line(smallKey(key), words);
        }
        return std::move(materials_);
    }

private:
    /// Programs write map_Kd and map_kd.
    std::string_view smallKey(std::string_view key) {
        key_.assign(key.substr(0, 60));
        for (char& c : key_) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        return key_;
    }

    void remark(std::string_view what) {
        remarks_.add(what, fmt::format("{}, line {}", name_, number_));
    }

    void line(std::string_view key, Words words) {
        if (key == "newmtl") return begin(words.rest());
        if (material_ == nullptr) return;
        if (map(key, words) || colour(key, words) || number(key, words)) return;
        const std::string_view unread = unreadKeyword(key);
        if (unread == "?")
            remark(fmt::format("the keyword '{}' of materials is not known", shownWord(key)));
        else if (unread.starts_with("map") || !isZero(words))
            remark(unread);
    }

    static bool isZero(Words words) { return numberIn(words.word()) == 0.; }

    void begin(std::string_view name) {
        if (materials_.size() >= kMostMaterials) {
            remark("more than 65536 materials: the others are grey");
            material_ = nullptr;
            return;
        }
        material_ = &(materials_[std::string(name)] = {});
    }

    bool map(std::string_view key, Words words) {
        ObjMaterial& m = *material_;
        if (key == "map_kd")
            readMap(words, m.albedo);
        else if (key == "map_ke" || key == "map_emissive")
            readMap(words, m.light);
        else if (key == "map_d" || key == "map_opacity")
            readMap(words, m.alpha);
        else
            return key == "map_ka" || key == "map_aat";  // a path tracer has its ambient light
        return true;
    }

    bool colour(std::string_view key, Words words) {
        ObjMaterial& m = *material_;
        if (key == "kd")
            m.base = vector(words).value_or(m.base);
        else if (key == "ke")
            m.emission = vector(words);
        else if (key == "tf")
            m.filter = vector(words);
        else if (key == "ks")
            m.highlight = vector(words).value_or(glm::dvec3(0)) != glm::dvec3(0);
        else
            return key == "ka" || key == "ns";
        return true;
    }

    bool number(std::string_view key, Words words) {
        ObjMaterial& m = *material_;
        std::optional<double>* to = nullptr;
        if (key == "d") to = &m.dissolve;
        if (key == "tr") to = &m.transparency;
        if (key == "ni") to = &m.index;
        if (key == "pm") to = &m.metallic;
        if (key == "pr") to = &m.roughness;
        if (to == nullptr && key != "illum") return false;
        std::string_view word = words.word();
        if (word == "-halo") {
            remark("d -halo: the material is as opaque everywhere");
            word = words.word();
        }
        const std::optional<double> value = numberIn(word);
        if (!value || std::isnan(*value))
            noNumber(word);
        else if (to != nullptr)
            *to = *value;
        else
            m.illumination = *value >= 0 && *value < 100 ? static_cast<int>(*value) : -1;
        return true;
    }

    void noNumber(std::string_view word) {
        remark(fmt::format("'{}' is no number, and not read", shownWord(word)));
    }

    /// "r g b", "r" for all three, "xyz x y z", or "spectral FILE FACTOR", which is not read.
    std::optional<glm::dvec3> vector(Words words) {
        std::string_view word = words.word();
        const bool xyz = word == "xyz";
        if (word == "spectral") {
            remark("spectral curves (.rfl) are not read");
            return {};
        }
        if (xyz) word = words.word();
        glm::dvec3 value{0, 0, 0};
        for (int i = 0; i < 3; ++i, word = words.word()) {
            if (i > 0 && (word.empty() || word.starts_with('#'))) {
                value[i] = value[0];
                continue;
            }
            const std::optional<double> number = numberIn(word);
            if (!number || std::isnan(*number)) {
                noNumber(word);
                return {};
            }
            value[i] = *number;
        }
        return xyz ? rgbOfXyz(value) : value;
    }

    /// Options and a name, which may have spaces.
    void readMap(Words words, ObjMap& to) {
        ObjMap map;
        map.from = from_;
        Words ahead = words;
        for (std::string_view word = ahead.word(); const auto option = mapOptionNamed(word);
             word = ahead.word()) {
            takeOption(word, *option, ahead, map);
            words = ahead;
        }
        map.name = words.rest();
        if (map.name.empty()) remark("a map has no name");
        to = map;
    }

    void takeOption(std::string_view name, MapOption option, Words& words, ObjMap& map) {
        if (option == MapOption::numbers) return takeNumbers(name, words, map);
        Words ahead = words;
        const std::string_view value = ahead.word();
        const bool isFlag = value == "on" || value == "off";
        if (option == MapOption::flag ? !isFlag : ahead.rest().empty()) return;
        if (option == MapOption::number && !numberIn(value)) return;
        words = ahead;
        if (name == "-clamp") map.wrap = value == "on" ? Wrap::clamp : Wrap::repeat;
        if (name == "-imfchan") map.byAlpha = value == "m";
        if (name == "-cc" && value == "on")
            remark("-cc is ignored: textures are not colour corrected");
    }

    /// One to three numbers; of -s and -o, u and v are read.
    void takeNumbers(std::string_view name, Words& words, ObjMap& map) {
        std::array<double, 3> values = name == "-s"    ? std::array<double, 3>{1, 1, 1}
                                       : name == "-mm" ? std::array<double, 3>{0, 1, 0}
                                                       : std::array<double, 3>{0, 0, 0};
        const std::array<double, 3> usual = values;
        Words ahead = words;
        for (std::size_t i = 0; i < (name == "-mm" ? 2 : 3); ++i) {
            const std::optional<double> number = numberIn(ahead.word());
            if (!number || ahead.rest().empty()) break;  // the name may be a number
            values[i] = std::isfinite(*number) ? *number : usual[i];
            words = ahead;
        }
        if (name == "-s") map.scale = {values[0], values[1]};
        if (name == "-o") map.offset = {values[0], values[1]};
        if (name == "-t" && values != usual) remark("-t is ignored: textures have no turbulence");
        if (name == "-mm" && values != usual)
            remark("-mm is ignored: a texture's values are not changed");
    }

    const std::string& name_;
    const std::string& from_;
    Remarks& remarks_;
    ObjMaterials materials_;
    ObjMaterial* material_ = nullptr;
    std::string key_;
    int number_ = 0;
};

/// Whether the illumination model alone makes a material glass. 6 and 7 refract; 4 and 9 have glass
/// "on", which Maya writes for every material: an index or a filter must say more.
bool refracts(const ObjMaterial& m) {
    const double index = m.index.value_or(1.5);
    if (m.illumination == 6 || m.illumination == 7) return index > 1;
    return (m.illumination == 4 || m.illumination == 9) && m.index && index > 1 && !m.filter;
}

/// How much light passes. d says it; else Tr, which is 1 - d; else the illumination model. Maya's
/// Tf is 1 where nothing passes.
double transmissionOf(const ObjMaterial& m) {
    if (m.dissolve) return 1 - *m.dissolve;
    if (m.transparency) return *m.transparency;
    if (refracts(m)) return 1;
    if (m.illumination == 4 && m.filter) {
        const glm::dvec3 f = *m.filter;
        return 1 - std::clamp((f.x + f.y + f.z) / 3, 0., 1.);
    }
    return 0;
}

}  // namespace

ObjMaterials mtlMaterials(std::string_view text, const std::string& name, const std::string& from,
                          Remarks& remarks) {
    return MtlReader(name, from, remarks).read(text);
}

FileSurface surfaceOf(const ObjMaterial& m) {
    FileSurface surface;
    surface.base = m.base;
    surface.emission = m.emission.value_or(glm::dvec3(0));
    const bool mirror = m.illumination == 3 || m.illumination == 5;
    surface.metallic = m.metallic.value_or(mirror ? 1 : 0);
    surface.roughness = m.roughness.value_or(mirror && !m.metallic ? 0 : 1);
    surface.transmission = transmissionOf(m);
    surface.index = m.index.value_or(1.5);
    return surface;
}

}  // namespace rayscope
