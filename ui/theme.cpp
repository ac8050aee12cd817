#include "ui/theme.h"

#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include "renderer/base/files.h"

namespace rayscope {

namespace {

/// Where distributions put the common sans-serif fonts; the first found is used.
constexpr struct {
    const char *family, *regular, *strong;
} kFonts[] = {{"truetype/inter/Inter-", "Regular", "SemiBold"},
              {"truetype/noto/NotoSans-", "Regular", "Bold"},
              {"truetype/ubuntu/Ubuntu-", "R", "M"},
              {"truetype/open-sans/OpenSans-", "Regular", "Semibold"},
              {"truetype/roboto/unhinted/RobotoTTF/Roboto-", "Regular", "Medium"},
              {"truetype/dejavu/DejaVuSans", "", "-Bold"},
              {"truetype/liberation/LiberationSans-", "Regular", "Bold"},
              {"truetype/liberation2/LiberationSans-", "Regular", "Bold"},
              {"truetype/freefont/FreeSans", "", "Bold"},
              {"noto/NotoSans-", "Regular", "Bold"},
              {"google-noto/NotoSans-", "Regular", "Bold"},
              {"dejavu/DejaVuSans", "", "-Bold"},
              {"TTF/DejaVuSans", "", "-Bold"}};

/// Of these, too, the first found is used; else ImGui's own.
constexpr const char* kMonoFonts[] = {"truetype/jetbrains-mono/JetBrainsMono-Regular",
                                      "truetype/dejavu/DejaVuSansMono",
                                      "dejavu/DejaVuSansMono",
                                      "TTF/DejaVuSansMono",
                                      "truetype/noto/NotoSansMono-Regular",
                                      "noto/NotoSansMono-Regular",
                                      "truetype/ubuntu/UbuntuMono-R",
                                      "truetype/liberation/LiberationMono-Regular",
                                      "truetype/freefont/FreeMono"};

constexpr float kSmallFont = 12.5f, kLargeFont = 38;

/// Latin-1 and dashes; device names and file names rarely need more.
constexpr ImWchar kGlyphs[] = {0x20, 0xFF, 0x2010, 0x2026, 0};
constexpr ImWchar kLongDash = 0x2014;

Face addFace(const std::string& path, float size, float pixelRatio) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    const float pixels = std::max(std::round(size * pixelRatio), 1.f);
    ImFontConfig config;
    config.OversampleH = 2;
    config.OversampleV = 1;
    ImFont* font = nullptr;
    if (!path.empty()) font = atlas.AddFontFromFileTTF(path.c_str(), pixels, &config, kGlyphs);
    if (font == nullptr) {
        config.SizePixels = pixels;
        font = atlas.AddFontDefault(&config);
    }
    return {font, pixels / pixelRatio};
}

constexpr std::size_t kMaxFontBytes = std::size_t{64} << 20;

bool isFontFile(const std::string& path) {
    const auto file = readFile(path, kMaxFontBytes);
    return file && isFont(*file);
}

/// Empty where there is none of this name.
std::string fontNamed(const std::string& name) {
    const std::string path = "/usr/share/fonts/" + name + ".ttf";
    return isFontFile(path) ? path : std::string();
}

/// Regular and strong; empty where there is no font but ImGui's own.
std::pair<std::string, std::string> chooseFont(const std::string& wish) {
    if (wish == "none") return {};
    if (!wish.empty() && isFontFile(wish)) return {wish, wish};
    for (const auto& [family, regular, strong] : kFonts) {
        const std::string path = fontNamed(std::string(family) + regular);
        if (path.empty()) continue;
        const std::string bold = fontNamed(std::string(family) + strong);
        return {path, bold.empty() ? path : bold};
    }
    return {};
}

/// Empty where there is none but ImGui's own.
std::string chooseMono(const std::string& wish) {
    std::string path;
    for (const char* name : kMonoFonts) {
        if (path.empty() && wish != "none") path = fontNamed(name);
    }
    return path;
}

/// ImGui's own font has no long dash.
void buildFonts(const Theme& theme) {
#if IMGUI_VERSION_NUM < 19200
    ImGui::GetIO().Fonts->Build();
#endif
    if (!theme.fontPath.empty()) return;
    for (const Face& face : {theme.body, theme.strong, theme.small, theme.large}) {
        face.font->AddRemapChar(kLongDash, '-');
    }
}

/// Fonts have been drawn; building them anew forgets their texture. Newer versions see to that by
/// themselves.
bool hasFontTexture() {
#if IMGUI_VERSION_NUM < 19200
    return ImGui::GetIO().Fonts->TexID != ImTextureID{};
#else
    return false;
#endif
}

/// Not by destroying all device objects: 1.86 then goes on with the sizes of the old vertex buffers
/// and draws from empty new ones, which NVIDIA's driver does not survive.
void renewFontTexture() {
#if IMGUI_VERSION_NUM < 19200
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

void makeFonts(Theme& theme) {
    const auto [regular, strong] = chooseFont(theme.fontWish);
    theme.fontPath = regular;
    const bool drawn = hasFontTexture();
    ImGui::GetIO().Fonts->Clear();
    theme.body = addFace(regular, theme.units(kBodyFont), theme.pixelRatio);
    theme.strong = addFace(strong, theme.units(kBodyFont), theme.pixelRatio);
    theme.small = addFace(regular, theme.units(kSmallFont), theme.pixelRatio);
    theme.large = addFace(strong, theme.units(kLargeFont), theme.pixelRatio);
    theme.mono = addFace(chooseMono(theme.fontWish), theme.units(kSmallFont), theme.pixelRatio);
    ImGui::GetIO().FontGlobalScale = 1 / theme.pixelRatio;
    buildFonts(theme);
    if (drawn) renewFontTexture();
}

/// Of every text at least 4.5:1 against what it stands on, with any picture behind the panel: the
/// contrast that WCAG 2.2 asks for (criterion 1.4.3).
void choosePalette(Look look) {
    using namespace colors;
    const struct {
        ImVec4 &color, dark, light;
    } kPalette[] = {
        {accent, {.31f, .80f, .74f, 1}, {.02f, .38f, .35f, 1}},
        {text, {.92f, .93f, .94f, 1}, {.10f, .11f, .13f, 1}},
        {dim, {.65f, .68f, .71f, 1}, {.32f, .35f, .38f, 1}},
        {faint, {1, 1, 1, .10f}, {0, 0, 0, .12f}},
        {warning, {.96f, .62f, .36f, 1}, {.60f, .25f, .02f, 1}},
        {panel, {.050f, .056f, .068f, .90f}, {.965f, .968f, .975f, .94f}},
        {popup, {.070f, .078f, .094f, .98f}, {.985f, .986f, .990f, .99f}},
    };
    for (const auto& [color, dark, light] : kPalette) color = look == Look::light ? light : dark;
}

void makeColors(ImGuiStyle& style, Look look) {
    using namespace colors;
    look == Look::light ? ImGui::StyleColorsLight(&style) : ImGui::StyleColorsDark(&style);
    const auto tint = [](float opacity) { return ImVec4(accent.x, accent.y, accent.z, opacity); };
    const auto shade = [look](float opacity) {
        const float grey = look == Look::light ? 0 : 1;
        return ImVec4(grey, grey, grey, opacity);
    };
    ImVec4* c = style.Colors;
    c[ImGuiCol_Text] = text;
    c[ImGuiCol_TextDisabled] = dim;
    c[ImGuiCol_WindowBg] = panel;
    c[ImGuiCol_ChildBg] = ImVec4(0, 0, 0, 0);
    c[ImGuiCol_PopupBg] = popup;
    c[ImGuiCol_Border] = shade(.12f);
    c[ImGuiCol_FrameBg] = shade(.07f);
    c[ImGuiCol_FrameBgHovered] = shade(.12f);
    c[ImGuiCol_FrameBgActive] = shade(.16f);
    c[ImGuiCol_Button] = shade(.09f);
    c[ImGuiCol_ButtonHovered] = tint(.35f);
    c[ImGuiCol_ButtonActive] = tint(.55f);
    c[ImGuiCol_Header] = tint(.30f);
    c[ImGuiCol_HeaderHovered] = tint(.40f);
    c[ImGuiCol_HeaderActive] = tint(.55f);
    c[ImGuiCol_CheckMark] = accent;
    c[ImGuiCol_SliderGrab] = tint(.45f);  // figures are legible on it
    c[ImGuiCol_SliderGrabActive] = tint(.65f);
    c[ImGuiCol_PlotHistogram] = tint(.6f);  // of progress bars
    c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
    c[ImGuiCol_ScrollbarGrab] = shade(.16f);
    c[ImGuiCol_ScrollbarGrabHovered] = shade(.26f);
    c[ImGuiCol_ScrollbarGrabActive] = tint(.7f);
    c[ImGuiCol_Separator] = shade(.10f);
    c[ImGuiCol_TextSelectedBg] = tint(.35f);
}

void makeStyle(const Theme& theme) {
    ImGuiStyle style;
    makeColors(style, theme.look);
    style.WindowPadding = {14, 12};
    style.FramePadding = {8, 3};
    style.ItemSpacing = {8, 5};
    style.ItemInnerSpacing = {6, 4};
    style.WindowRounding = 8;
    style.ChildRounding = 6;
    style.PopupRounding = 6;
    style.FrameRounding = 4;
    style.GrabRounding = 4;
    style.GrabMinSize = 10;
    style.ScrollbarSize = 9;
    style.ScrollbarRounding = 5;
    style.WindowBorderSize = 1;
    style.PopupBorderSize = 1;
    style.DisabledAlpha = theme.look == Look::light ? .66f : .58f;
    style.ScaleAllSizes(theme.scale);
    style.WindowMinSize = {1, 1};
    style.WindowBorderSize = 1;
    style.PopupBorderSize = 1;
    ImGui::GetStyle() = style;
}

constexpr std::size_t kHeader = 12, kRecord = 16;  ///< bytes; a record is tag, sum, offset, length

/// Big-endian; 0 where the file ends before it.
std::uint64_t number(std::string_view bytes, std::uint64_t at, int size) {
    std::uint64_t value = 0;
    if (at + size > bytes.size()) return 0;
    for (int i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

/// Below this the picture is worth more than the figures.
constexpr int kPanelsMinHeight = 240;
constexpr float kBothMinWidth = 850;  ///< of both panels, at the scale of an ordinary monitor
constexpr float kLeastPicture = .2f;  ///< of the width, beside the panels
constexpr int kStripMinWidth = 240, kStripMinHeight = 160;

constexpr float kTimelineHeight = 178;
constexpr float kTimelineShare = .5f;  ///< of the height, at most
constexpr float kPaneShare = .5f;

constexpr float kMargin = 12, kStripHeight = 30;
constexpr float kSmallest = .8f, kLargest = 6;

/// What so many panels take of the width at scale 1.
float besides(int panels, float panelEms) {
    return static_cast<float>(panels) * (panelEms * kBodyFont + kMargin) + 2 * kMargin;
}

}  // namespace

bool folds(const LayoutWish& wish, float panelEms) {
    const float width = static_cast<float>(wish.width) / std::max(wish.contentScale, 1.f);
    return width < kBothMinWidth || kSmallest * besides(2, panelEms) > (1 - kLeastPicture) * width;
}

/// Grows with the window, follows the monitor where the window is small on a dense one, and gives
/// way where panels would take more than two thirds of the width, one more than its half. Whole
/// font pixels only.
float scaleFor(const LayoutWish& wish, float panelEms) {
    const float height = static_cast<float>(wish.height), width = static_cast<float>(wish.width);
    const float wanted = wish.text * std::max({height / 1000, .9f, .9f * wish.contentScale});
    const float room = folds(wish, panelEms) ? width / (1.8f * panelEms * kBodyFont)
                                             : width / (3 * panelEms * kBodyFont);
    const float scale = std::clamp(std::min(wanted, room), kSmallest, kLargest);
    return std::round(kBodyFont * scale) / kBodyFont;
}

Layout layoutFor(const LayoutWish& wish, float scale, float panelWidth) {
    Layout layout;
    layout.scale = scale;
    const float w = static_cast<float>(wish.width), h = static_cast<float>(wish.height);
    const float margin = std::round(kMargin * scale), panel = std::ceil(panelWidth);
    const float ems = panelWidth / (kBodyFont * scale);
    const auto fit = [&](int panels) {
        return scale * besides(panels, ems) <= (1 - kLeastPicture) * w;
    };
    layout.folded = folds(wish, ems) || !fit(2);
    layout.panels = !wish.hidden && wish.height >= kPanelsMinHeight && fit(layout.folded ? 1 : 2);
    layout.strip = !wish.hidden && wish.width >= kStripMinWidth && wish.height >= kStripMinHeight;
    const float strip = layout.strip ? std::round(kStripHeight * scale) : 0;
    float side = std::max(h - strip - 2 * margin, 1.f);  // what stands above it
    const auto below = [&](Rect& rect, bool wanted, float height) {
        if (!wanted || height > kTimelineShare * side) return;
        rect = {margin, margin + side - height, w - 2 * margin, height};
        side -= height + margin;
    };
    layout.status = {0, h - strip, w, strip};
    below(layout.timeline, wish.timeline, std::round(kTimelineHeight * scale));
    below(layout.pane, wish.pane, std::floor(kPaneShare * side));
    const float em = kBodyFont * scale;
    // What is left of the width once the picture and the other panel have what they need.
    float room = (1 - kLeastPicture) * w - scale * besides(layout.folded ? 1 : 2, ems);
    const auto widened = [&](float wished) {
        const float more = std::clamp(std::round(wished * em) - panel, 0.f, std::max(room, 0.f));
        room -= more;
        return layout.panels ? panel + more : 0;
    };
    const float right = widened(wish.right), left = layout.folded ? 0 : widened(wish.left);
    const auto beside = [&](float width) { return width > 0 ? width + margin : 0; };
    layout.throughput = {w - margin - right, margin, right, side};
    layout.kernel = layout.folded ? layout.throughput : Rect{margin, margin, left, side};
    layout.free = {margin + beside(left), margin,
                   std::max(w - 2 * margin - beside(left) - beside(right), 1.f), side};
    return layout;
}

ImU32 packed(const ImVec4& color, float opacity) {
    return ImGui::ColorConvertFloat4ToU32({color.x, color.y, color.z, color.w * opacity});
}

void updateTheme(Theme& theme, Look look, float scale, float pixelRatio) {
    const bool sameFonts = scale == theme.scale && pixelRatio == theme.pixelRatio;
    if (sameFonts && look == theme.look) return;
    theme.look = look;
    theme.scale = scale;
    theme.pixelRatio = pixelRatio;
    choosePalette(look);
    makeStyle(theme);
    if (!sameFonts) makeFonts(theme);
}

void pushFace(const Face& face) {
#if IMGUI_VERSION_NUM >= 19200
    ImGui::PushFont(face.font, face.size);
#else
    ImGui::PushFont(face.font);
#endif
}

void popFace() {
    ImGui::PopFont();
}

ImVec2 textSize(const Face& face, const std::string& text) {
    return face.font->CalcTextSizeA(face.size, 1e6f, 0, text.data(), text.data() + text.size());
}

void drawText(ImDrawList& list, const Face& face, ImVec2 at, ImU32 color, const std::string& text) {
    // Whole pixels, or the glyphs blur.
    list.AddText(face.font, face.size, {std::floor(at.x), std::floor(at.y)}, color, text.data(),
                 text.data() + text.size());
}

std::string fitted(const Face& face, const std::string& text, float width) {
    if (textSize(face, text).x <= width) return text;
    std::string cut = text;
    while (!cut.empty()) {
        // A whole UTF-8 character at a time.
        while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) {
            cut.pop_back();
        }
        if (!cut.empty()) cut.pop_back();
        if (textSize(face, cut + "...").x <= width) return cut + "...";
    }
    return {};
}

bool isFont(std::string_view bytes) {
    const std::uint64_t start = bytes.starts_with("ttcf") ? number(bytes, kHeader, 4) : 0;
    if (start + kHeader > bytes.size()) return false;
    const std::string_view kind = bytes.substr(start, 4);
    const bool outlines = kind == std::string_view("\0\1\0\0", 4) || kind == "true";
    if (!outlines && kind != "OTTO") return false;
    std::set<std::string_view> missing{"cmap", "head", "hhea", "hmtx", "maxp"};
    missing.insert(outlines ? std::initializer_list<std::string_view>{"glyf", "loca"}
                            : std::initializer_list<std::string_view>{"CFF "});
    const std::uint64_t tables = number(bytes, start + 4, 2);
    for (std::uint64_t i = 0; i < tables; ++i) {
        const std::uint64_t record = start + kHeader + i * kRecord;
        if (record + kRecord > bytes.size()) return false;
        const std::uint64_t offset = number(bytes, record + 8, 4);
        const std::uint64_t length = number(bytes, record + 12, 4);
        if (offset + length > bytes.size()) return false;
        if (length > 0) missing.erase(bytes.substr(record, 4));
    }
    return missing.empty();
}

}  // namespace rayscope
