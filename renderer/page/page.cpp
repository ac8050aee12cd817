#include "renderer/page/page.h"

#include <fmt/format.h>

#include <filesystem>

#include "renderer/base/files.h"
#include "renderer/base/text.h"
#include "renderer/film/image_files.h"
#include "renderer/page/html.h"
#include "renderer/page/jpeg.h"
#include "renderer/page/sections.h"
#include "renderer/page/style.h"

namespace rayscope {

using nlohmann::json;

namespace {

constexpr int kPictureWidth = 960;

/// A screenshot's JSON is a state, whose "info" is the report.
Result<json> reportFrom(const std::string& text, const std::string& path) {
    json parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded()) return Failure{fmt::format("{} is not JSON", path)};
    if (parsed.is_object() && parsed.contains("info") && parsed["info"].is_object()) {
        json report = std::move(parsed["info"]);
        parsed.erase("info");
        report["state"] = std::move(parsed);
        return report;
    }
    if (!parsed.is_object() || !parsed.contains("kind") || !parsed["kind"].is_string())
        return Failure{fmt::format("{} is no report of Rayscope: it has no kind", path)};
    return parsed;
}

std::string base64(std::string_view bytes) {  // RFC 4648
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three =
                three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
    return text;
}

/// The reports as files to save, as long as the page has room for them.
std::string savedReport(const PageReport& one, std::size_t room) {
    const std::string text = one.report.dump(-1, ' ', false, json::error_handler_t::replace);
    const std::size_t size = (text.size() + 2) / 3 * 4;
    if (size > room)
        return paragraph(
            fmt::format("The report itself has {} kB, too many for this page.", text.size() / 1000),
            "note");
    const std::string name = std::filesystem::path(one.name).stem().string() + ".json";
    return fmt::format(
        "<p class=note><a download=\"{}\" href=\"data:application/json;base64,{}\">The report as "
        "JSON</a></p>\n",
        escaped(name), base64(text));
}

std::string sectionOf(const PageReport& one, const json& reports, std::size_t i, bool alone) {
    std::string html = "<section>\n";
    if (!alone) html += heading(2, titleOf(one.report)) + paragraph(one.name, "note");
    if (!one.picture.empty())
        html += fmt::format("<figure><img alt=\"{}\" src=\"data:image/jpeg;base64,{}\"></figure>\n",
                            escaped(titleOf(one.report)), base64(one.picture));
    return html + figuresOf(reports, i) + heading(3, "How it was measured") +
           conditionsOf(reports, i);
}

}  // namespace

Result<PageReport> pageReportFrom(const std::string& path) {
    Result<std::string> bytes = readFile(path, kMaxStateFile);
    if (!bytes) return bytes.failure();
    const bool png = bytes->starts_with("\x89PNG");
    std::string text = png ? std::string() : std::move(*bytes);
    if (png) {
        Result<std::string> state = pngState(*bytes, path);
        if (!state) return state.failure();
        text = *std::move(state);
    }
    Result<json> report = reportFrom(text, path);
    if (!report) return report.failure();
    PageReport result{std::filesystem::path(path).filename().string(), *std::move(report)};
    if (png) {
        auto picture = smallJpeg(*bytes, kPictureWidth);
        if (!picture) return Failure{fmt::format("{}: {}", path, picture.reason())};
        result.picture = *std::move(picture);
    }
    return result;
}

Result<std::string> pagePictureFrom(const std::string& path) {
    Result<std::string> bytes = readFile(path, kMaxStateFile);
    return bytes ? smallJpeg(*bytes, kPictureWidth) : bytes;
}

Result<std::string> pagePictureOf(const Picture& picture) {
    return smallJpeg(picture, kPictureWidth);
}

std::string pageOf(const std::vector<PageReport>& reports) {
    json all = json::array();
    for (const PageReport& one : reports) all.push_back(one.report);
    const bool alone = reports.size() == 1;
    const std::string title =
        alone ? titleOf(reports[0].report) : fmt::format("{} Rayscope reports", reports.size());
    std::string html = fmt::format(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n<meta name=viewport "
        "content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=Content-Security-Policy "
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        "<meta name=color-scheme content=\"light "
        "dark\">\n<title>{}</title>\n<style>{}</style></head>\n"
        "<body>\n<h1>{}</h1>\n",
        escaped(title), kPageStyle, escaped(title));
    html += machinesOf(all);
    std::vector<std::string> sections;
    std::size_t size = html.size();
    for (std::size_t i = 0; i < reports.size(); ++i) {
        sections.push_back(sectionOf(reports[i], all, i, alone));
        size += sections.back().size();
    }
    const std::size_t room = size < kMaxPage ? (kMaxPage - size) / (reports.size() + 1) : 0;
    for (std::size_t i = 0; i < reports.size(); ++i)
        html += sections[i] + savedReport(reports[i], room) + "</section>\n";
    return html + "</body></html>\n";
}

}  // namespace rayscope
