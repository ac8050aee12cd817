// The names of files beside a model, as exporters write them on other machines and systems.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "renderer/base/files.h"
#include "renderer/base/hash.h"
#include "renderer/base/text.h"
#include "renderer/scene/model_formats.h"
#include "renderer/scene/named_file.h"
#include "renderer/scene/text_lines.h"

namespace rayscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostCompanionBytes = std::size_t{4} << 30;
/// Folders are searched for names in other case only if they have no more entries.
constexpr std::size_t kMostListed = 65536;
constexpr std::size_t kMostNameBytes = 4096;

/// Without quotes around it.
std::string unquoted(std::string_view name) {
    name = trimmed(name);
    const bool quoted = name.size() > 1 && (name.front() == '"' || name.front() == '\'') &&
                        name.back() == name.front();
    return std::string(quoted ? trimmed(name.substr(1, name.size() - 2)) : name);
}

std::string lastPart(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

/// What a name may mean, the likeliest first.
std::vector<std::string> meaningsOf(const std::string& name) {
    std::vector<std::string> meanings;
    const auto add = [&](std::string meaning) {
        const bool known = std::find(meanings.begin(), meanings.end(), meaning) != meanings.end();
        if (!meaning.empty() && !known) meanings.push_back(std::move(meaning));
    };
    const std::string plain = unquoted(name);
    add(plain);
    std::string path = plain;
    std::replace(path.begin(), path.end(), '\\', '/');
    if (path.starts_with("file://")) path.erase(0, 7);
    const std::string decoded = percentDecoded(path);
    add(path);
    add(decoded);
    for (const std::string& whole : {path, decoded}) {
        const std::size_t comment = whole.find(" #");
        if (comment != whole.npos) add(std::string(trimmed(whole.substr(0, comment))));
    }
    // a path of another machine: the file may lie beside the model
    for (std::size_t i = 0, count = meanings.size(); i < count; ++i) add(lastPart(meanings[i]));
    return meanings;
}

bool isFile(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    return !error && fs::exists(status) && !fs::is_directory(status);
}

}  // namespace

/// The names in a folder, by their small letters; none if there are too many.
const std::map<std::string, std::string>& Companions::namesIn(const std::string& folder) {
    const auto [known, fresh] = listed_.try_emplace(folder);
    if (!fresh) return known->second;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        known->second.emplace(smallLetters(name), name);
        if (known->second.size() > kMostListed) break;
    }
    if (known->second.size() > kMostListed) known->second.clear();
    return known->second;
}

/// A path in the folder that is a file, maybe in other case; empty: there is none.
std::string Companions::fileAt(const std::string& path) {
    if (!staysBelow(path)) return {};
    if (isFile(fs::path(folder_) / path)) return path;
    fs::path found;
    for (const fs::path& part : fs::path(path).lexically_normal()) {
        const auto& names = namesIn((fs::path(folder_) / found).string());
        const auto name = names.find(smallLetters(part.string()));
        if (name == names.end()) return {};
        found /= name->second;
    }
    return isFile(fs::path(folder_) / found) ? found.string() : std::string();
}

Result<std::string> Companions::find(const std::string& name, const std::string& from) {
    const std::string shown = printable(shortened(name, 100));
    const std::vector<std::string> meanings =
        name.size() <= kMostNameBytes ? meaningsOf(name) : std::vector<std::string>();
    for (const std::string& meaning : folder_.empty() ? std::vector<std::string>() : meanings) {
        const std::string found = from.empty() ? std::string() : fileAt(from + "/" + meaning);
        if (!found.empty()) return found;
        if (std::string beside = fileAt(meaning); !beside.empty()) return beside;
    }
    if (folder_.empty() || meanings.empty() || !staysBelow(meanings.front()))
        return Failure{fmt::format("it names '{}', and only files in its folder are read", shown)};
    return Failure{
        fmt::format("cannot read {}: there is no such file", (fs::path(folder_) / shown).string())};
}

Result<std::string> Companions::readFound(const std::string& path) {
    Result<std::string> bytes = readFile((fs::path(folder_) / path).string(), kMostCompanionBytes);
    if (bytes) digest_ = fnv1a(*bytes, digest_ ^ fnv1a(path));
    return bytes;
}

Result<std::string> Companions::read(const std::string& name, const std::string& from) {
    const Result<std::string> path = find(name, from);
    return path ? readFound(*path) : path.failure();
}

}  // namespace rayscope
