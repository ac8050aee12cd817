#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/film/image.h"

// Reports as one HTML page that needs nothing else: no network, no scripts, figures drawn as SVG.

namespace rayscope {

/// Most bytes of a page.
inline constexpr std::size_t kMaxPage = 2'000'000;

/// A report and what it was read from.
struct PageReport {
    std::string name;  ///< of its file
    nlohmann::json report;
    std::string picture{};  ///< a JPEG; empty: none
};

/// The report in a JSON file, or in a screenshot, whose picture comes with it, no wider than 960
/// pixels. The reason of a failure names the file.
Result<PageReport> pageReportFrom(const std::string& path);

/// The picture of a PNG file as a JPEG for a page.
Result<std::string> pagePictureFrom(const std::string& path);

/// The same of a picture in memory.
Result<std::string> pagePictureOf(const Picture& picture);

/// The page. Reports of one question from several machines are compared in a table before each has
/// its own section. Every figure names its place in its report (html.h). Reports go into the page
/// as files to save, as long as it is no larger than kMaxPage.
std::string pageOf(const std::vector<PageReport>& reports);

}  // namespace rayscope
