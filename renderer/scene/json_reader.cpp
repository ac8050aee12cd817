#include "renderer/scene/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "renderer/base/files.h"
#include "renderer/base/text.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// Scene files need 4 levels, states 5.
constexpr std::size_t kMaxNesting = 32;
/// kMaxSpheres spheres with every key written out have 1.7 million.
constexpr std::size_t kMaxValues = 4'000'000;

/// nlohmann's message without its prefixes: "syntax error while ...".
std::string syntaxMessage(const json::exception& error) {
    std::string text = error.what();
    text.erase(0, text.find("] ") + 2);
    if (text.starts_with("parse error at ")) text.erase(0, text.find(": ") + 2);
    return printable(shortened(text, 200));
}

/// "line 3, column 11", of the last of the first `read` bytes. The parser's own columns include the
/// character that it looks ahead.
std::string placeOf(std::string_view text, std::size_t read) {
    const std::string_view before = text.substr(0, std::min(read > 0 ? read - 1 : 0, text.size()));
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = before.size() - (newline == before.npos ? 0 : newline + 1) + 1;
    return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                       column);
}

/// A first pass, which checks the limits and stores only the keys of objects that are still open,
/// so that the second pass never stores more than allowed. (A parser callback would need only one
/// pass, but quadratic time.)
class Limits : public nlohmann::json_sax<json> {
public:
    explicit Limits(std::string_view text) : text_(text) {}
    bool null() override { return count(); }
    bool boolean(bool) override { return count(); }
    bool number_integer(json::number_integer_t) override { return count(); }
    bool number_unsigned(json::number_unsigned_t) override { return count(); }
    bool number_float(json::number_float_t, const json::string_t&) override { return count(); }
    bool string(json::string_t&) override { return count(); }
    bool binary(json::binary_t&) override { return count(); }
    bool start_object(std::size_t) override { return open(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(json::string_t& key) override {
        if (keys_.back().insert(key).second) return count();
        return refuse(fmt::format("the key \"{}\" is given twice in one object",
                                  printable(shortened(key, 40))));
    }
    bool parse_error(std::size_t read, const std::string&, const json::exception& error) override {
        return refuse(fmt::format("{}: {}", placeOf(text_, read), syntaxMessage(error)));
    }
    const std::string& reason() const { return reason_; }

private:
    bool refuse(std::string reason) {
        reason_ = std::move(reason);
        return false;
    }
    bool count() {
        return ++count_ <= kMaxValues || refuse(fmt::format("more than {} values", kMaxValues));
    }
    bool open() {
        if (keys_.size() >= kMaxNesting) {
            return refuse(fmt::format("nested deeper than {} levels", kMaxNesting));
        }
        keys_.emplace_back();
        return count();
    }
    bool close() {
        keys_.pop_back();
        return true;
    }

    std::string_view text_;
    std::vector<std::set<std::string>> keys_;
    std::size_t count_ = 0;
    std::string reason_;
};

std::string describe(const Range& range) {
    if (range.above && range.minimum == 0)
        return fmt::format("above 0 and at most {:g}", range.maximum);
    return fmt::format("from {:g} to {:g}", range.minimum, range.maximum);
}

std::string listOf(const std::vector<std::string_view>& words) {
    std::string list;
    for (const std::string_view word : words)
        list += (list.empty() ? "" : ", ") + std::string(word);
    return list;
}

const json& emptyObject() {
    static const json empty = json::object();
    return empty;
}

}  // namespace

Result<json> parseJson(std::string_view text, const std::string& file) {
    if (text.find('\0') != text.npos)  // where nlohmann's parser would stop
        return Failure{fmt::format("{}: it has a byte 0: it is no text", file)};
    Limits limits(text);
    if (!json::sax_parse(text, &limits))
        return Failure{fmt::format("{}: {}", file, limits.reason())};
    return json::parse(text);
}

Result<json> readJson(const std::string& path, std::size_t mostBytes) {
    const auto file = readFile(path, mostBytes);
    return file ? parseJson(*file, path) : file.failure();
}

std::string briefly(const json& json) {
    if (json.is_number()) return fmt::format("{:.12g}", json.get<double>());
    if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
    if (json.is_null()) return "null";
    if (json.is_array()) return "an array";
    if (json.is_object()) return "an object";
    const auto& text = json.get_ref<const std::string&>();
    return fmt::format("\"{}\"", printable(shortened(text, 40)));
}

ObjectReader::ObjectReader(const json& json, std::string path, std::string& error)
    : json_(json.is_object() ? json : emptyObject()), path_(std::move(path)), error_(error) {
    if (!json.is_object()) complain(path_, briefly(json), "an object");
}

std::string ObjectReader::pathOf(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void ObjectReader::complain(const std::string& path, const std::string& is,
                            const std::string& expected) {
    fail(fmt::format("{} is {}, expected {}", path.empty() ? "the top level" : path, is, expected));
}

void ObjectReader::fail(std::string clause) {
    if (!failed()) error_ = std::move(clause);
}

ObjectReader ObjectReader::element(const json& value, std::string path) {
    return {value, std::move(path), error_};
}

const json* ObjectReader::member(std::string_view key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
    if (failed()) return nullptr;
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
}

const json* ObjectReader::required(const char* key, const std::string& expected) {
    const json* value = member(key);
    if (value == nullptr) complain(pathOf(key), "missing", expected);
    return value;
}

ObjectReader ObjectReader::object(const char* key, bool mayBeAbsent) {
    const json* value = mayBeAbsent ? member(key) : required(key, "an object");
    return {value ? *value : emptyObject(), pathOf(key), error_};
}

bool ObjectReader::readNumber(const json& json, const std::string& path, const Range& range,
                              const std::string& expected, double& value) {
    const double read = json.is_number() ? json.get<double>() : NAN;
    const bool low = range.above ? !(read > range.minimum) : !(read >= range.minimum);
    if (low || !(read <= range.maximum)) {
        complain(path, briefly(json), fmt::format("{} {}", expected, describe(range)));
        return false;
    }
    value = read;
    return true;
}

void ObjectReader::number(const char* key, const Range& range, double& value) {
    if (const json* json = member(key)) readNumber(*json, pathOf(key), range, "a number", value);
}

void ObjectReader::whole(const char* key, std::int64_t minimum, std::int64_t maximum,
                         std::int64_t& value) {
    const json* json = member(key);
    if (json == nullptr) return;
    const double read = json->is_number() ? json->get<double>() : NAN;
    if (!(read >= static_cast<double>(minimum) && read <= static_cast<double>(maximum)) ||
        read != std::floor(read)) {
        complain(pathOf(key), briefly(*json),
                 fmt::format("a whole number from {} to {}", minimum, maximum));
        return;
    }
    value = static_cast<std::int64_t>(read);
}

void ObjectReader::whole(const char* key, int minimum, int maximum, int& value) {
    std::int64_t wide = value;
    whole(key, std::int64_t{minimum}, std::int64_t{maximum}, wide);
    value = static_cast<int>(wide);
}

void ObjectReader::flag(const char* key, bool& value) {
    const json* json = member(key);
    if (json == nullptr) return;
    if (!json->is_boolean()) return complain(pathOf(key), briefly(*json), "true or false");
    value = json->get<bool>();
}

void ObjectReader::text(const char* key, std::size_t limit, std::string& value) {
    const json* json = member(key);
    if (json == nullptr) return;
    const std::string* read = json->get_ptr<const std::string*>();
    if (read == nullptr || read->size() > limit || printable(*read) != *read) {
        const bool isText = read != nullptr;
        const std::string is = !isText                ? briefly(*json)
                               : read->size() > limit ? fmt::format("{} bytes long", read->size())
                                                      : "a text with control characters";
        return complain(pathOf(key), is, fmt::format("one line of at most {} bytes", limit));
    }
    value = *read;
}

void ObjectReader::vector(const char* key, const Range& range, glm::dvec3& value) {
    const json* json = member(key);
    if (json == nullptr) return;
    const std::string path = pathOf(key);
    const std::string expected = fmt::format("3 numbers {}", describe(range));
    if (!json->is_array()) return complain(path, briefly(*json), expected);
    if (json->size() != 3) return complain(path, fmt::format("{} values", json->size()), expected);
    double read[3];
    for (std::size_t i = 0; i < 3; ++i) {
        if (!readNumber((*json)[i], fmt::format("{}[{}]", path, i), range, "a number", read[i]))
            return;
    }
    value = {read[0], read[1], read[2]};
}

int ObjectReader::indexOf(const char* key, const std::string_view* names, std::size_t count) {
    const json* json = member(key);
    if (json == nullptr) return -1;
    for (std::size_t i = 0; i < count; ++i) {
        if (json->is_string() && json->get_ref<const std::string&>() == names[i]) {
            return static_cast<int>(i);
        }
    }
    complain(pathOf(key), briefly(*json), "one of " + listOf({names, names + count}));
    return -1;
}

void ObjectReader::finish() {
    if (failed()) return;
    for (const auto& [key, value] : json_.items()) {
        if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
        complain(pathOf(printable(shortened(key, 40))), "an unknown key",
                 "one of " + listOf(known_));
        return;
    }
}

}  // namespace rayscope
