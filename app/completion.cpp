#include "app/completion.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

#include "renderer/choices/axes.h"
#include "renderer/lab/ladder.h"
#include "renderer/lab/lesson.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

using Words = std::vector<std::string>;

/// Levenshtein's.
size_t distance(const std::string& a, const std::string& b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = std::exchange(row[0], i + 1);
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t other = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({other, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

Words commandNames(const CLI::App& app) {
    Words names;
    for (const CLI::App* command : commandsOf(app)) names.push_back(command->get_name());
    return names;
}

/// "axis=", or every value of an axis that is named already.
Words assignments(const std::string& word) {
    Words all;
    const Axis* const axis = findAxis(word.substr(0, word.find('=')));
    const bool named = axis != nullptr && word.find('=') != word.npos;
    for (const Axis& one : axes()) {
        if (!named) all.push_back(std::string(one.id) + "=");
    }
    if (named) {
        for (const AxisValue& value : axis->values)
            all.push_back(std::string(axis->id) + "=" + value.id);
    }
    return all;
}

/// Those of "TEXT:{auto,cpu,cuda}", as CLI11 describes IsMember.
Words members(const std::string& type) {
    Words all;
    const size_t open = type.find('{'), close = type.find('}');
    if (open == type.npos || close == type.npos) return all;
    std::istringstream list(type.substr(open + 1, close - open - 1));
    for (std::string word; std::getline(list, word, ',');) all.push_back(word);
    return all;
}

Words valuesOf(const CLI::Option& option, const std::string& word) {
    if (option.get_name() == "--scene") return sceneNames();
    if (option.get_name() == "--lesson") return lessonNames();
    if (option.get_type_name().starts_with("AXIS")) return assignments(word);
    return members(option.get_type_name());
}

}  // namespace

std::vector<std::string> candidatesFor(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.empty()) return {};
    const std::string& word = words.back();
    const CLI::App* command = &app;
    const CLI::Option* last = nullptr;  // whose value comes next
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        for (const CLI::App* sub : commandsOf(*command)) {
            if (sub->get_name() == words[i]) command = sub;
        }
        if (words[i].starts_with("-"))
            last = command->get_option_no_throw(words[i]);
        else if (last != nullptr && last->get_items_expected_max() == 1)
            last = nullptr;
    }
    Words all;
    if (word.starts_with("-")) {
        for (const CLI::Option* option : command->get_options()) {
            if (option->nonpositional()) all.push_back(option->get_name());
        }
    } else if (last != nullptr && last->get_items_expected_max() > 0) {
        all = valuesOf(*last, word);
    } else if (command == &app) {
        all = commandNames(app);
    } else if (command->get_name() == "ladder") {
        all = ladderNames();
    } else if (command->get_name() == "lesson") {
        all = lessonNames();
    }
    std::erase_if(all, [&](const std::string& one) { return !one.starts_with(word); });
    return all;
}

std::string nearestCommand(const CLI::App& app, const std::string& word) {
    constexpr size_t kNear = 2;
    std::string nearest;
    size_t least = kNear + 1;
    for (const std::string& name : commandNames(app)) {
        const size_t far = distance(word, name);
        if (far > 0 && far < least && far < name.size() / 2 + 1) {
            least = far;
            nearest = name;
        }
    }
    if (nearest.empty()) return {};
    const Words scenes = sceneNames();
    return std::find(scenes.begin(), scenes.end(), word) == scenes.end() ? nearest : std::string();
}

}  // namespace rayscope
