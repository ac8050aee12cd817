#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace rayscope::test {

/// What a trace says, after the rules of the trace-event format have been checked.
struct TraceContents {
    std::map<std::string, int> zones;     ///< how often each name
    std::map<int, std::string> tracks;    ///< names of tid
    std::map<std::string, int> counters;  ///< values
    int frames = 0;                       ///< instants
    std::set<std::string> tracksWithZones;
};

/// Zones of one track lie apart or within each other: what flame charts are drawn from.
inline void expectNested(std::vector<std::pair<double, double>> zones, const std::string& track) {
    std::sort(zones.begin(), zones.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    constexpr double kRounding = .002;  // three decimals are written
    std::vector<double> open;
    for (const auto& [began, ended] : zones) {
        while (!open.empty() && open.back() <= began + kRounding) open.pop_back();
        if (!open.empty()) {
            EXPECT_LE(ended, open.back() + kRounding) << track << " at " << began;
        }
        open.push_back(ended);
    }
}

/// Every event has ph, pid and tid; zones a name, ts and dur; and so on.
inline TraceContents checkTrace(const nlohmann::json& trace) {
    TraceContents contents;
    std::map<int, std::vector<std::pair<double, double>>> zones;
    EXPECT_TRUE(trace["traceEvents"].is_array());
    for (const nlohmann::json& e : trace["traceEvents"]) {
        EXPECT_TRUE(e.at("pid").is_number_integer()) << e;
        EXPECT_TRUE(e.at("tid").is_number_integer()) << e;
        EXPECT_TRUE(e.at("name").is_string()) << e;
        const std::string kind = e.at("ph"), name = e.at("name");
        const int track = e.at("tid");
        if (kind == "M") {
            EXPECT_TRUE(name == "process_name" || name == "thread_name") << e;
            if (name == "thread_name") contents.tracks[track] = e.at("args").at("name");
            continue;
        }
        const double ts = e.at("ts");
        EXPECT_GE(ts, 0) << e;
        if (kind == "X") {
            const double duration = e.at("dur");
            EXPECT_GE(duration, 0) << e;
            zones[track].push_back({ts, ts + duration});
            ++contents.zones[name];
        } else if (kind == "C") {
            EXPECT_TRUE(e.at("args").at(name).is_number()) << e;
            ++contents.counters[name];
        } else if (kind == "i") {
            EXPECT_TRUE(e.at("s") == "g" || e.at("s") == "p" || e.at("s") == "t") << e;
            ++contents.frames;
        } else {
            ADD_FAILURE() << "an unknown kind of event: " << e;
        }
    }
    for (const auto& [track, list] : zones) {
        EXPECT_TRUE(contents.tracks.contains(track)) << "track " << track << " has no name";
        contents.tracksWithZones.insert(contents.tracks[track]);
        expectNested(list, contents.tracks[track]);
    }
    return contents;
}

}  // namespace rayscope::test
