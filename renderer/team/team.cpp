#include "renderer/team/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

namespace rayscope {

namespace {

constexpr std::chrono::microseconds kTeamWait{200};  ///< before one looks again for a letter

Team*& present() {
    static Alone alone;
    static Team* team = &alone;
    return team;
}

}  // namespace

Team& team() {
    return *present();
}

void useTeam(Team& team) {
    present() = &team;
}

void Team::send(int to, const Letter& letter) {
    std::string bytes(1, static_cast<char>(letter.word));
    bytes.append(reinterpret_cast<const char*>(&letter.number), sizeof letter.number);
    post(to, bytes += letter.text);
}

void Team::sendAll(const Letter& letter) {
    for (int rank = 1; rank < size(); ++rank) send(rank, letter);
}

std::optional<Letter> Team::receive() {
    listen();
    if (inbox_.empty()) return {};
    Letter letter = std::move(inbox_.front());
    inbox_.pop_front();
    return letter;
}

void Team::listen() {
    if (leads() && members_.empty()) members_.resize(static_cast<std::size_t>(size()));
    while (auto parcel = fetch()) {
        Letter letter;
        constexpr std::size_t kHead = 1 + sizeof letter.number;
        if (parcel->bytes.size() < kHead) continue;
        letter.word = static_cast<Word>(parcel->bytes[0]);
        std::memcpy(&letter.number, parcel->bytes.data() + 1, sizeof letter.number);
        letter.text = parcel->bytes.substr(kHead);
        letter.from = parcel->from;
        read(std::move(letter));
    }
}

void Team::read(Letter letter) {
    switch (letter.word) {
        case Word::hello:
            members_[static_cast<std::size_t>(letter.from)].about =
                nlohmann::json::parse(letter.text);
            break;
        case Word::left: {
            Member& member = members_[static_cast<std::size_t>(letter.from)];
            member.gone = true;
            member.code = letter.number;
            member.sentence = letter.text;
            break;
        }
        case Word::go:
            go_ = letter.number;
            break;
        case Word::over:
            over_ = true;
            break;
        default:
            inbox_.push_back(std::move(letter));
    }
}

std::string Team::nameOf(std::size_t rank) const {
    const nlohmann::json& about = members_[rank].about;
    const std::string where = about.is_object() ? about.value("host", "") : "";
    return fmt::format("rank {}{}", rank, where.empty() ? "" : " on " + where);
}

Result<bool> Team::waitForGo(const GoOn& goOn) {
    while (!go_ && !over_) {
        listen();
        if (!goOn()) return Failure{"interrupted before the work began"};
        std::this_thread::sleep_for(kTeamWait);
    }
    return go_.value_or(0) == 1;
}

Result<void> Team::waitForHellos(const GoOn& goOn) {
    const auto quiet = [](const Member& m) { return m.about.is_null() && !m.gone; };
    while (std::any_of(members_.begin(), members_.end(), quiet)) {
        listen();
        if (!goOn()) return Failure{"interrupted before the work began"};
        std::this_thread::sleep_for(kTeamWait);
    }
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
        if (!members_[rank].gone) continue;
        const std::string said = std::exchange(members_[rank].sentence, "");
        return Failure{nameOf(rank) + ": " + said.substr(0, said.find('\n'))};
    }
    return haveTheSameWork();
}

/// Samples of two scenes would make one picture.
Result<void> Team::haveTheSameWork() const {
    const auto workOf = [](const Member& m) { return m.about.value("work", std::string()); };
    for (std::size_t rank = 1; rank < members_.size(); ++rank) {
        if (workOf(members_[rank]) == workOf(members_[0])) continue;
        return Failure{
            fmt::format("{} has read another scene than rank 0, or makes another picture: "
                        "all ranks need the same files and the same version",
                        nameOf(rank))};
    }
    return {};
}

Result<bool> Team::muster(nlohmann::json about,
                          const std::function<void(std::vector<Member>&)>& choose,
                          const GoOn& goOn) {
    about["host"] = host();
    if (!leads()) {
        send(0, {Word::hello, 0, about.dump()});
        return waitForGo(goOn);
    }
    listen();
    members_[0].about = std::move(about);
    if (const auto all = waitForHellos(goOn); !all) return all.failure();
    choose(members_);
    for (int rank = 1; rank < size(); ++rank)
        send(rank, {Word::go, members_[static_cast<std::size_t>(rank)].takesPart});
    return true;
}

bool Team::dismissed() const {
    if (!leads()) return over_;
    return std::all_of(members_.begin(), members_.end(), [](const Member& m) { return m.gone; });
}

int Team::dismiss(int code, const std::string& complaints,
                  const std::function<void(const std::string&)>& say, const GoOn& goOn) {
    if (!leads()) {
        send(0, {Word::left, code, complaints});
        while (!over_ && goOn()) {
            listen();
            std::this_thread::sleep_for(kTeamWait);
        }
        return 0;
    }
    sendAll({Word::over});
    listen();
    members_[0].gone = true;
    while (!dismissed() && goOn()) {
        listen();
        std::this_thread::sleep_for(kTeamWait);
    }
    std::set<std::string> said;
    const auto eachLine = [](const std::string& text, const auto& tell) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) tell(line);
    };
    eachLine(complaints, [&](const std::string& line) { said.insert(line); });
    for (std::size_t rank = 1; rank < members_.size(); ++rank) {
        code = std::max(code, members_[rank].code);
        eachLine(members_[rank].sentence, [&](const std::string& line) {
            if (said.insert(line).second) say(nameOf(rank) + ": " + line);
        });
    }
    return code;
}

}  // namespace rayscope
