#pragma once

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"

namespace rayscope {

/// Parses a text. Refuses one that is nested deeper than 32 levels, holds more than 4 million
/// values or gives a key twice. The reason of a failure begins with `file` and names line and
/// column.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& file);

/// The same of a file of at most so many bytes.
Result<nlohmann::json> readJson(const std::string& path, std::size_t mostBytes);

/// Numbers from minimum to maximum, both included; above the minimum if `above`.
struct Range {
    double minimum, maximum;
    bool above = false;
};

/// Reads the members of one JSON object into variables that hold the defaults. All readers of a
/// file share `error`: it keeps the first complaint, after which nothing more is read. A complaint
/// is a clause like "camera.vfov is 200, expected a number from 1 to 179".
class ObjectReader {
public:
    /// `path`: where the object lies, "spheres[3].material"; empty for the whole file.
    ObjectReader(const nlohmann::json& json, std::string path, std::string& error);

    void number(const char* key, const Range& range, double& value);
    void whole(const char* key, std::int64_t minimum, std::int64_t maximum, std::int64_t& value);
    void whole(const char* key, int minimum, int maximum, int& value);
    void flag(const char* key, bool& value);
    /// At most `limit` bytes and no control characters.
    void text(const char* key, std::size_t limit, std::string& value);
    void vector(const char* key, const Range& range, glm::dvec3& value);

    /// One of `names`; its index is the value.
    template <class Enum, std::size_t N>
    void choice(const char* key, const std::array<std::string_view, N>& names, Enum& value) {
        const int index = indexOf(key, names.data(), N);
        if (index >= 0) value = static_cast<Enum>(index);
    }

    /// The member, or nullptr if it is absent or there has been a complaint. Keys must outlive the
    /// reader, as literals do.
    const nlohmann::json* member(std::string_view key);
    /// The same; complains if it is absent.
    const nlohmann::json* required(const char* key, const std::string& expected);
    /// A reader of the object in a member; one that may be absent, and is, reads as an empty
    /// object.
    ObjectReader object(const char* key, bool mayBeAbsent);
    /// A reader of an object in an array, which lies at `path`.
    ObjectReader element(const nlohmann::json& value, std::string path);
    /// Complains about the first member that nobody asked for.
    void finish();

    /// Complains that what lies at `path` is `is`.
    void complain(const std::string& path, const std::string& is, const std::string& expected);
    /// Complains in other words.
    void fail(std::string clause);
    std::string pathOf(std::string_view key) const;
    bool failed() const { return !error_.empty(); }

private:
    int indexOf(const char* key, const std::string_view* names, std::size_t count);
    bool readNumber(const nlohmann::json& json, const std::string& path, const Range& range,
                    const std::string& expected, double& value);

    const nlohmann::json& json_;
    std::string path_;
    std::string& error_;
    std::vector<std::string_view> known_;
};

/// "12.5", "\"abc\"", "an array": for complaints.
std::string briefly(const nlohmann::json& json);

}  // namespace rayscope
