#include "renderer/team/team_helpers.h"

#include <fmt/format.h>

#include <charconv>
#include <thread>

#include "renderer/base/say.h"
#include "renderer/scene/json_reader.h"

namespace rayscope {

namespace {

class FramesOfLead : public Frames {
public:
    explicit FramesOfLead(Team& team) : team_(team) {}
    std::optional<int> next() override {
        read();
        if (waiting_.empty()) return {};
        const Order order = waiting_.front();
        waiting_.pop_front();
        numbers_[order.frame] = order.number;
        return order.frame;
    }
    void written(int frame) override {
        ++done_;
        team_.send(0, {Word::reply, numbers_[frame], "written"});
    }
    bool over() override {
        read();
        return team_.over();
    }
    int done() const override { return done_; }

private:
    struct Order {
        int number, frame;
    };
    void read() {
        while (const auto letter = team_.receive()) {
            int frame = 0;
            const char* const end = letter->text.data() + letter->text.size();
            const bool number = std::from_chars(letter->text.data(), end, frame).ptr == end;
            if (letter->word == Word::errand && number) waiting_.push_back({letter->number, frame});
        }
    }

    Team& team_;
    std::deque<Order> waiting_;
    std::map<int, int> numbers_;
    int done_ = 0;
};

}  // namespace

TeamHelpers::TeamHelpers(Team& team, Wish wish)
    : team_(team), wish_(std::move(wish)), hands_(static_cast<std::size_t>(team.size())) {}

Result<void> TeamHelpers::resume(const std::string& path) {
    const Result<Checkpoint> checkpoint = readCheckpoint(path);
    if (!checkpoint) return checkpoint.failure();
    const nlohmann::json& head = checkpoint->head;
    if (head["kind"] != wish_.kind) {
        return Failure{fmt::format("{} is a checkpoint of rayscope {}, not of {}", path,
                                   briefly(head["kind"]), wish_.kind)};
    }
    if (head.value("what", nlohmann::json()) != wish_.what) {
        return Failure{fmt::format(
            "{} is a checkpoint of the same command with other options, or of another device",
            path)};
    }
    auto ledger = ledgerFrom(checkpoint->body);
    if (!ledger) return Failure{fmt::format("{} is damaged: its list ends too early", path)};
    ledger_ = *std::move(ledger);
    return {};
}

void TeamHelpers::begin() {
    for (std::deque<Given>& hand : hands_) {
        for (Given& given : hand) given.wanted = false;
    }
}

std::optional<std::string> TeamHelpers::known(const std::string& errand) const {
    const auto found = ledger_.find(errand);
    return found == ledger_.end() ? std::nullopt : std::optional(found->second);
}

bool TeamHelpers::give(int number, const std::string& errand) {
    for (int rank = 1; rank < team_.size(); ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        const Member& member = team_.members()[at];
        if (!member.takesPart || member.gone) continue;
        if (hands_[at].size() >= static_cast<std::size_t>(wish_.inHand)) continue;
        hands_[at].push_back({.number = number, .errand = errand});
        team_.send(rank, {Word::errand, number, errand});
        return true;
    }
    return false;
}

std::optional<Helpers::Reply> TeamHelpers::take() {
    if (millisecondsSince(saved_) > 1e3 * wish_.every) {
        const std::string problem = save();
        if (!problem.empty() && problem != problem_) complain(problem);
        problem_ = problem;
    }
    while (auto letter = team_.receive()) {
        if (letter->word != Word::reply) continue;
        std::deque<Given>& hand = hands_[static_cast<std::size_t>(letter->from)];
        if (hand.empty() || hand.front().number != letter->number) continue;
        const Given given = std::move(hand.front());
        hand.pop_front();
        done(given.errand, letter->text);
        if (given.wanted) return Reply{given.number, std::move(letter->text)};
    }
    return {};
}

std::optional<int> TeamHelpers::takeBack() {
    for (std::size_t rank = 1; rank < hands_.size(); ++rank) {
        if (!team_.members()[rank].gone) continue;
        while (!hands_[rank].empty()) {
            const Given given = std::move(hands_[rank].front());
            hands_[rank].pop_front();
            if (given.wanted) return given.number;
        }
    }
    return {};
}

void TeamHelpers::done(const std::string& errand, const std::string& reply) {
    ledger_[errand] = reply;
    dirty_ = true;
}

std::string TeamHelpers::save() {
    saved_ = Clock::now();
    if (wish_.checkpoint.empty() || !dirty_) return {};
    const Result<void> written = writeCheckpoint(
        wish_.checkpoint, {{"kind", wish_.kind}, {"what", wish_.what}}, bytesOf(ledger_));
    dirty_ = !written;
    return written.reason();
}

void serveErrands(Team& team,
                  const std::function<std::optional<std::string>(const std::string&)>& work,
                  const Team::GoOn& goOn) {
    while (!team.over() && goOn()) {
        const auto letter = team.receive();
        if (!letter || letter->word != Word::errand) {
            std::this_thread::sleep_for(kHelpersWait);
            continue;
        }
        const auto reply = work(letter->text);
        if (!reply) return;
        team.send(0, {Word::reply, letter->number, *reply});
    }
}

std::unique_ptr<Frames> framesOfLead(Team& team) {
    return std::make_unique<FramesOfLead>(team);
}

}  // namespace rayscope
