#include "renderer/lab/helpers.h"

#include <algorithm>
#include <utility>

namespace rayscope {

Parts::Parts(Helpers* helpers, Content content)
    : helpers_(helpers),
      content_(std::move(content)),
      states_(static_cast<size_t>(content_.count), State::waiting) {
    if (helpers_ == nullptr) return;
    helpers_->begin();
    for (int part = 0; part < content_.count; ++part) {
        const auto reply = helpers_->known(content_.errand(part));
        if (reply && content_.accept(part, *reply)) set(part, State::done);
    }
}

void Parts::set(int part, State state) {
    State& now = states_[static_cast<size_t>(part)];
    done_ += (state == State::done) - (now == State::done);
    now = state;
    if (state == State::waiting) from_ = std::min(from_, part);
}

std::optional<int> Parts::waiting() {
    while (from_ < content_.count && states_[static_cast<size_t>(from_)] != State::waiting) ++from_;
    if (from_ == content_.count) return {};
    return from_;
}

void Parts::collect() {
    if (helpers_ == nullptr) return;
    while (const auto reply = helpers_->take()) {
        const bool meant = content_.accept(reply->number, reply->text);
        set(reply->number, meant ? State::done : State::waiting);
    }
    while (const auto part = helpers_->takeBack()) set(*part, State::waiting);
}

void Parts::serve() {
    collect();
    if (helpers_ == nullptr) return;
    for (auto part = waiting(); part; part = waiting()) {
        if (!helpers_->give(*part, content_.errand(*part))) return;
        set(*part, State::away);
    }
}

std::optional<int> Parts::next() {
    serve();
    const auto part = waiting();
    if (part) set(*part, State::here);
    return part;
}

void Parts::finish(int part, const std::function<std::string()>& reply) {
    set(part, State::done);
    if (helpers_ != nullptr) helpers_->done(content_.errand(part), reply());
}

int Parts::leading() const {
    const auto open = std::find_if(states_.begin(), states_.end(),
                                   [](State state) { return state != State::done; });
    return static_cast<int>(open - states_.begin());
}

}  // namespace rayscope
