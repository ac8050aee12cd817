#include <fmt/format.h>

#include "app/commands.h"
#include "renderer/base/files.h"
#include "renderer/base/say.h"
#include "renderer/page/page.h"

namespace rayscope {

Result<void> writePage(const nlohmann::json& report, const std::string& picture) {
    if (pageFile().empty()) return {};
    PageReport page{pageFile(), report};
    if (picture.ends_with(".png")) {
        if (auto shown = pagePictureFrom(picture)) page.picture = *std::move(shown);
    }
    return writeText(pageFile(), pageOf({page}));
}

int runReport(const ReportOptions& options) {
    std::vector<PageReport> reports;
    for (const std::string& file : options.files) {
        Result<PageReport> report = pageReportFrom(file);
        if (!report) return refuse({1, report.reason()});
        reports.push_back(*std::move(report));
    }
    const std::string page = pageOf(reports);
    if (page.size() > kMaxPage)
        return refuse(
            {1, fmt::format(
                    "a page of these reports has {:.1f} MB, but the limit is {:.1f} MB: give fewer",
                    page.size() / 1e6, kMaxPage / 1e6)});
    const Result<void> written = writeText(pageFile(), page);
    if (!written) return refuse({1, written.reason()});
    if (pageFile() != "-") say("wrote {}\n", pageFile());
    return 0;
}

}  // namespace rayscope
