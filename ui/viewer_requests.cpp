#include <fmt/format.h>

#include <filesystem>

#include "renderer/profile/chrome_trace.h"
#include "ui/open_file.h"
#include "ui/viewer_class.h"

namespace rayscope {

void Viewer::carryOutRequests() {
    errands_.finish();
    if (requests_.home) {
        flight_.start(state_.camera, state_.scene.camera, frameBegan_);
    }
    if (requests_.restart) {
        tracer_.restart();
        pinnedTracer_.restart();
    }
    if (requests_.light) memory_.light = !memory_.light;
    requests_.home = requests_.restart = requests_.light = false;
    if (!requests_.open.empty()) open(requests_.open);
    requests_.open.clear();
    if (requests_.gpu) useGpu(*requests_.gpu);
    requests_.gpu.reset();
    if (requests_.versus.race) paused_ = false;
    say(carryOutVersusRequests(requests_, compared()));
    carryOutLadderRequests();
    carryOutLabRequests();
    carryOutTimelineRequests();
    carryOutCodeRequests();
    carryOutSceneRequests();
}

void Viewer::carryOutTimelineRequests() {
    if (requests_.timeline) timeline_.show(!timeline_.shown());
    if (requests_.saveTimeline) {
        const std::string path = screenshots_.freshPath(".trace.json");
        const std::string problem =
            writeChromeTrace(path, timeline_.paused() ? timeline_.timeline() : copyTimeline());
        problem.empty() ? say(fmt::format("Saved {}", path)) : warn(problem);
        if (problem.empty()) lastTrace_ = path;
    }
    requests_.timeline = requests_.saveTimeline = false;
}

void Viewer::carryOutLabRequests() {
    if (labChoice_.ladder.empty()) labChoice_.ladder = firstOf(ladders_);
    const Size film = tracer_.size();
    warn(carryOut(labRequests_, lab_, labChoice_, film.width, film.height, driven()));
    if (labRequests_.save && !lab_.running() && lab_.shown() != nullptr) saveResults();
    labRequests_ = {};
}

void Viewer::saveResults() {
    auto record = lab_.history()[static_cast<std::size_t>(lab_.shownIndex())];
    const std::string stem = screenshots_.freshStem(stemOf(*record), {".json", ".csv"});
    errands_.send([this, stem, record = std::move(record)]() -> Errands::Then {
        return [this, stem, problem = save(*record, stem)] {
            problem.empty() ? say(fmt::format("Saved {}.json and .csv", stem)) : warn(problem);
        };
    });
}

void Viewer::carryOutLadderRequests() {
    if (requests_.tab) tab_ = *requests_.tab;
    if (tab_ == SideTab::ladder && !climb_.ladder() && requests_.ladder.empty())
        requests_.ladder = firstOf(ladders_);
    if (!requests_.ladder.empty()) {
        tour_ = -1;
        warn(climb_.choose(requests_.ladder));
    }
    if (requests_.cancelClimb) climb_.cancel();
    if (requests_.climb) {
        paused_ = false;
        climb_.start();
    }
    if (requests_.tour) goOnTour(*requests_.tour);
    if (requests_.rung) {
        climb_.cancel();
        warn(enterRung(climb_, *requests_.rung, driven()));
    }
    requests_.tab.reset();
    requests_.tour.reset();
    requests_.rung.reset();
    requests_.ladder.clear();
    requests_.climb = requests_.cancelClimb = false;
}

/// Shows the rung, in which the state is from then on where it runs here.
void Viewer::goOnTour(int rung) {
    const int count = climb_.ladder() ? static_cast<int>(climb_.standings().size()) : 0;
    tour_ = rung < count ? rung : count - 1;
    if (tour_ < 0 || !climb_.standings()[tour_].reason.empty()) return;
    paused_ = false;
    if (tour_ != climb_.current()) requests_.rung = tour_;
}

/// What goes on beside the picture, for the status strip.
std::string Viewer::doing() const {
    if (climb_.climbing()) return climbingText(climb_);
    return path_.running() ? path_.text() : labText(lab_);
}

void Viewer::climb() {
    if (tab_ != SideTab::ladder && !climb_.climbing() && tour_ < 0) return;
    if (climbOn(climb_, driven())) say("The climb has ended");
}

void Viewer::open(const std::string& nameOrPath) {
    const bool file = namesFile(nameOrPath);
    const Errands::Work read = [this, nameOrPath, file, state = state_]() -> Errands::Then {
        std::string takenBack;
        auto result = opened(nameOrPath, state, &takenBack);
        return [this, nameOrPath, file, takenBack, result = std::move(result)]() mutable {
            if (const auto* problem = std::get_if<std::string>(&result)) return warn(*problem);
            adopt(std::get<State>(std::move(result)));
            warn(takenBack);
            if (file) rememberFile(nameOrPath);
        };
    };
    std::error_code error;
    const bool quick = !file || std::filesystem::file_size(nameOrPath, error) <= kQuickBytes;
    if (quick) return errands_.afterwards([read] { read()(); });
    say(fmt::format("Reading {}", nameOrPath));
    errands_.send(read);
}

/// But for the last state, which has a place of its own in the list.
void Viewer::rememberFile(const std::string& path) {
    std::error_code error;
    const std::string file = std::filesystem::absolute(path, error).string();
    if (file == lastStatePath()) return;
    memory_.opened(file);
    list_.recent = memory_.recent;
}

/// What was on the other GPU ends; the film's pixels are carried over.
void Viewer::useGpu(int number) {
    climb_.reopen();
    say(path_.cancel());
    lab_.reopen();
    why_.reopen();
    tracer_.forget();
    pinnedTracer_.forget();
    backends_.useGpu(number);
    adopt(state_);
}

void Viewer::noticeChanges() {
    if (resetsTiming(measured_, state_.settings)) {
        rates_.mark(measured_, state_.settings, frameBegan_);
    }
    measured_ = state_.settings;
    if (!edited_) undo_.note(state_, frameBegan_);
    keepMemory();
}

}  // namespace rayscope
