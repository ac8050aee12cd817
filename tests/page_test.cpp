// Pages of reports: every figure is that of its report, nothing comes from elsewhere, and text of a
// file stays text.

#include "renderer/page/page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>

#include "renderer/film/image_files.h"
#include "renderer/page/sections.h"
#include "renderer/page/svg.h"

namespace rayscope {
namespace {

using nlohmann::json;

json spread(double median, double lower, double upper) {
    return {{"median", median}, {"lower", lower}, {"upper", upper}};
}

json interval(double value, double lower, double upper) {
    return {{"value", value}, {"lower", lower}, {"upper", upper}, {"confidence", .95}};
}

json head(const char* kind, const char* device = "AMD EPYC, 2 threads") {
    return {{"kind", kind},
            {"version", "0.3.0"},
            {"commit", "0123456789ab"},
            {"clean", true},
            {"date", "2026-11-29T12:00:00Z"},
            {"complete", true},
            {"device", device},
            {"device_detail", "x86-64-v4: AVX-512, g++ 12.2.0"},
            {"size", {160, 90}},
            {"command", "rayscope compare --scene vt9 --b engine=packets"},
            {"conditions",
             {{"samples", 8},
              {"load", {.25, 1.75}},
              {"clock_mhz", {2250, 3700}},
              {"throttling", json::array()}}}};
}

json comparison(const char* device = "AMD EPYC, 2 threads", double factor = 1) {
    json report = head("comparison", device);
    report.update(
        {{"a",
          {{"rays_per_sample", 2.317}, {"settings", {{"engine", "megakernel"}, {"path", "loop"}}}}},
         {"b",
          {{"rays_per_sample", 2.3171}, {"settings", {{"engine", "packets"}, {"lanes", "16"}}}}},
         {"rates",
          {spread(44.604e6 * factor, 44.5e6 * factor, 44.735e6 * factor),
           spread(205.26e6 * factor, 203.7e6 * factor, 206.1e6 * factor)}},
         {"rays_ratio", interval(4.5932, 4.5721, 4.6145)},
         {"samples_ratio", interval(4.5932, 4.5721, 4.6145)},
         {"measurable", true},
         {"speed", "faster"},
         {"rounds", 25},
         {"clock", "kernel"},
         {"sentence", "B is 4.59x A [4.57, 4.61], same rays"},
         {"work", {{"verdict", "same rays"}, {"sentence", "no pixel differs"}}},
         {"state", {{"scene", {{"name", "vt9"}}}}}});
    return report;
}

json ladder(const char* kind = "ladder") {
    json report = head(kind);
    report.update({{"title", "Two rungs"}, {"ladder", "two"}});
    report["rungs"] = {
        {{"name", "first"},
         {"measured", {{"median", 10.46}, {"lower", 9.27}, {"upper", 10.65}, {"unit", "Mrays/s"}}},
         {"passes", 16},
         {"x_first", 1.0},
         {"rays_per_sample", 4.325}},
        {{"name", "second"},
         {"why", "Because."},
         {"changes", {{"scene_layout", "soa"}}},
         {"measured", {{"median", 12.84}, {"lower", 12.5}, {"upper", 12.95}, {"unit", "Mrays/s"}}},
         {"passes", 16},
         {"x_before", 1.2275},
         {"x_first", 1.2275},
         {"rays_per_sample", 4.325},
         {"published", {{"value", 8.5}, {"unit", "Mrays/s"}, {"device", "Core i7"}}}},
        {{"name", "third"}, {"problem", "it needs a GPU"}}};
    return report;
}

json sweep() {
    json report = head("sweep");
    report["title"] = "engine by depth";
    report["grid"] = {
        {"x", "depth"}, {"y", "engine"}, {"columns", {"1", "3"}}, {"rows", {"loop", "packets"}}};
    for (int k = 0; k < 4; ++k) {
        json item = {{"name", "cell " + std::to_string(k)}, {"group", "g"}};
        if (k == 3)
            item["problem"] = "too deep";
        else
            item["result"] = {
                {"rates", {spread(4e6, 3e6, 5e6), spread((k + 1) * 11.1e6, 1e7, 4e7)}},
                {"samples_ratio", interval(1 + .1 * k, 1 + .05 * k, 1 + .2 * k)},
                {"speed", k == 0 ? "no difference" : "faster"},
                {"rounds", 40},
                {"b", {{"rays_per_sample", 2.5}}}};
        report["items"].push_back(item);
    }
    return report;
}

json hot() {
    json report = head("hot");
    report["lines"] = {{{"share", .0612},
                        {"error", .0096},
                        {"text", "if (a < b && c > d)"},
                        {"file", "x.h"},
                        {"line", 3}}};
    report["parts"] = {{"search", {{"share", .3081}, {"error", .0185}}}};
    return report;
}

std::string unescaped(std::string text) {
    for (const auto& [from, to] :
         {std::pair{"&quot;", "\""}, {"&lt;", "<"}, {"&gt;", ">"}, {"&#39;", "'"}, {"&amp;", "&"}})
        for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; ++at)
            text.replace(at, std::string_view(from).size(), to);
    return text;
}

/// Half of what the last digit of a number is worth.
double halfDigit(const std::string& number) {
    const std::size_t point = number.find('.');
    const double digits = point == number.npos ? 0 : static_cast<double>(number.size() - point - 1);
    return .5001 * std::pow(10., -digits);
}

/// Checks each figure of the page against the reports and returns how many there are.
int checkFigures(const std::string& page, const json& reports) {
    static const std::regex kFigure(
        "<span class=f data-p=\"([^\"]*)\"(?: data-([sqe])=\"?([^\">]*)\"?)?>([^<]*)</span>");
    int count = 0;
    for (std::sregex_iterator it(page.begin(), page.end(), kFigure), end; it != end;
         ++it, ++count) {
        const std::string pointer = unescaped((*it)[1]), kind = (*it)[2],
                          other = unescaped((*it)[3]), text = (*it)[4];
        double value = reports.at(json::json_pointer(pointer)).get<double>();
        if (kind == "s") value /= std::stod(other);
        if (kind == "q") value /= reports.at(json::json_pointer(other)).get<double>();
        const double shown = std::stod(text);
        if (kind == "e")
            EXPECT_NEAR(shown, value, 1e-3 * std::abs(value)) << pointer;
        else
            EXPECT_NEAR(shown, value, halfDigit(text)) << pointer;
    }
    return count;
}

/// Checks that each bar is as long as its value on the scale of its drawing.
int checkBars(const std::string& page, const json& reports) {
    static const std::regex kBar(
        "data-low=([^ >]*) data-high=([^ >]*)>(?:<line[^>]*/>)?<rect class=\"bar[^\"]*\" "
        "data-p=\"([^\"]*)\" "
        "x=([0-9.]*) y=3 width=([0-9.]*)");
    int count = 0;
    for (std::sregex_iterator it(page.begin(), page.end(), kBar), end; it != end; ++it, ++count) {
        const double low = std::stod((*it)[1]), high = std::stod((*it)[2]);
        const double value = reports.at(json::json_pointer(unescaped((*it)[3]))).get<double>();
        const double begin = std::stod((*it)[4]), width = std::stod((*it)[5]);
        const double place = 240 * (value - low) / (high - low);
        // a step of a waterfall begins or ends there
        EXPECT_LT(std::min(std::abs(begin - place), std::abs(begin + width - place)), .02)
            << (*it)[3];
    }
    return count;
}

std::string pageOfAll(const std::vector<json>& reports) {
    std::vector<PageReport> all;
    for (const json& report : reports) all.push_back({"report.json", report});
    return pageOf(all);
}

TEST(Page, EveryFigureIsThatOfItsReport) {
    const std::vector<json> reports{comparison(),    ladder(),
                                    ladder("bench"), sweep(),
                                    hot(),           comparison("Intel Xeon, 2 threads", 1.31)};
    const std::string page = pageOfAll(reports);
    EXPECT_GT(checkFigures(page, reports), 90);
    // two of each comparison, again for their table, two of each ladder, a line and a part
    EXPECT_EQ(checkBars(page, reports), 2 * 2 + 2 * 2 + 2 * 2 + 2);
}

TEST(Page, NamesWhatWasMeasuredAndHowItIsMadeAgain) {
    const std::string page = pageOfAll({comparison()});
    for (const char* text :
         {"vt9: engine=packets against engine=megakernel", "B is 4.59x A [4.57, 4.61], same rays",
          "AMD EPYC, 2 threads (x86-64-v4: AVX-512, g++ 12.2.0)", "commit 0123456789ab",
          "2026-11-29T12:00:00Z", "rayscope compare --scene vt9 --b engine=packets",
          "Work: same rays. no pixel differs."})
        EXPECT_NE(page.find(text), page.npos) << text;
}

TEST(Page, OfAnInterruptedReportSaysSo) {
    json report = comparison();
    report["complete"] = false;
    report["clean"] = false;
    report.erase("command");
    const std::string page = pageOfAll({report});
    EXPECT_NE(page.find("it was interrupted"), page.npos);
    EXPECT_NE(page.find("with changes that are not committed"), page.npos);
    EXPECT_NE(page.find("does not hold the command"), page.npos);
}

TEST(Page, ComparesMachinesByTheFirstOne) {
    const std::string page =
        pageOfAll({comparison(), comparison("Intel Xeon, 2 threads", 1.31), hot()});
    EXPECT_NE(page.find("2 machines."), page.npos);
    // A's median has 1.96 x 1.25 / 1.35 x .235 / 44.604 / sqrt(25) = .00191 for each machine, both
    // together .00270: 1.31 exp(-+.00270)
    EXPECT_NE(page.find(">1.310</span> <small>[1.306, 1.314]</small>"), page.npos);
    EXPECT_NE(page.find("<td>the same</td>"), page.npos);
    EXPECT_EQ(pageOfAll({comparison(), ladder()}).find("machines."), std::string::npos);
}

TEST(Page, OtherWorkIsNamed) {
    json other = comparison("Intel Xeon, 2 threads");
    other["b"]["rays_per_sample"] = 2.3171 * 1.052;
    EXPECT_NE(pageOfAll({comparison(), other}).find("<td>5.2 % other</td>"), std::string::npos);
}

TEST(Page, NeedsNothingElse) {
    const std::string page = pageOfAll({comparison(), ladder(), sweep(), hot()});
    for (const char* text : {"<script", "http://", "https://", "src=\"/", "@import", "url("})
        EXPECT_EQ(page.find(text), page.npos) << text;
    EXPECT_NE(page.find("default-src 'none'"), page.npos);
    EXPECT_LT(page.size(), kMaxPage);
}

TEST(Page, TextOfAFileStaysText) {
    json report = comparison();
    report["sentence"] = "</p><script>alert(1)</script>";
    report["device"] = "\x1b[31m\" onload=\"x\xe2\x80\xae";
    report["state"]["scene"]["name"] = "<img src=x>";
    report["b"]["settings"]["<b>"] = "'\"&";
    json strange = head("<u>new</u>");
    strange["~/"] = {{"a/b", 3.5}, {"<i>", json::array({1, 2})}};
    const std::string page = pageOfAll({report, strange});
    for (const char* text : {"<script", "<img", "onload=\"x", "<u>", "<i>", "\x1b", "\xe2\x80\xae"})
        EXPECT_EQ(page.find(text), page.npos) << text;
    EXPECT_GT(checkFigures(page, json::array({report, strange})), 10);
}

TEST(Page, AnyJsonMakesAPageOrASentence) {
    for (const char* text :
         {R"({"kind":"comparison"})", R"({"kind":"comparison","a":3,"b":[],"rates":{}})",
          R"({"kind":"ladder","rungs":[3,null,{"name":4,"measured":[]}]})",
          R"({"kind":"sweep","grid":{"columns":[1],"rows":{}},"items":[[]]})",
          R"({"kind":"sweep","grid":7,"items":{"x":{}}})",
          R"({"kind":"hot","lines":[{"share":"x"}],"parts":[]})",
          R"({"kind":"bench","score":5,"size":[1]})",
          R"({"kind":"x","items":[{"result":null}],"conditions":[]})",
          R"({"kind":"render","rays":[],"conditions":{"load":[1],"throttling":3}})"}) {
        const json report = json::parse(text);
        EXPECT_NE(pageOfAll({report, report}).find("</html>"), std::string::npos) << text;
    }
}

TEST(Page, AReportThatIsTooLargeStaysOutOfThePage) {
    json report = comparison();
    report["a"]["raw"] = std::string(kMaxPage, 'x');
    const std::string page = pageOfAll({report});
    EXPECT_LT(page.size(), kMaxPage);
    EXPECT_NE(page.find("too many for this page"), page.npos);
}

TEST(Page, AScreenshotBringsItsPicture) {
    const std::string path = testing::TempDir() + "page_shot.png";
    Picture picture{2000, 500, std::vector<std::uint8_t>(std::size_t{3} * 2000 * 500, 200)};
    json info = head("screenshot");
    info["rays_per_second"] = 204.2e6;
    info["rays"] = {{"camera", 39672832}, {"bounce", 52355082}, {"shadow", 0}, {"total", 92027914}};
    ASSERT_TRUE(writePng(path, picture,
                         json{{"format", 1}, {"scene", {{"name", "vt9"}}}, {"info", info}}.dump()));
    const Result<PageReport> read = pageReportFrom(path);
    ASSERT_TRUE(read) << read.reason();
    EXPECT_TRUE(read->picture.starts_with("\xff\xd8\xff")) << "a JPEG";
    const std::string page = pageOf({*read});
    EXPECT_NE(page.find("data:image/jpeg;base64,/9j/"), page.npos);
    EXPECT_GT(checkFigures(page, json::array({read->report})), 5);
    std::filesystem::remove(path);
}

TEST(Page, WhatIsNoReportIsNamed) {
    const std::string path = testing::TempDir() + "page_none.json";
    std::ofstream(path) << "{\"spheres\": []}";
    EXPECT_NE(pageReportFrom(path).reason().find("no report"), std::string::npos);
    std::ofstream(path) << "{";
    EXPECT_NE(pageReportFrom(path).reason().find("not JSON"), std::string::npos);
    std::filesystem::remove(path);
    EXPECT_NE(pageReportFrom(path).reason().find(path), std::string::npos);
}

TEST(Page, LogarithmicScalesAreCentredOnOne) {
    const Scale scale{.25, 4, true};
    EXPECT_DOUBLE_EQ(scale.at(1), .5);
    EXPECT_DOUBLE_EQ(scale.at(2), .75);
    EXPECT_DOUBLE_EQ(scale.at(100), 1);
    EXPECT_DOUBLE_EQ(scale.at(0), 0);
}

}  // namespace
}  // namespace rayscope
