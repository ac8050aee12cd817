// Ranks that do one command together, here as threads of one process.

#include "renderer/team/team.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "renderer/base/say.h"
#include "renderer/choices/sources.h"
#include "renderer/lab/studies.h"
#include "renderer/lab/wire.h"
#include "renderer/scene/json.h"
#include "renderer/team/film_team.h"
#include "renderer/team/team_helpers.h"
#include "tests/made_up_renderer.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

/// What the ranks of one process have in common.
struct Room {
    explicit Room(int size) : letters(static_cast<size_t>(size)), size(size) {}
    struct Sum {
        std::vector<PixelSum> pixels;
        int ranks = 0;
        size_t least = SIZE_MAX;  ///< pixels of a rank
        int asked = 0;            ///< times that it was asked for
    };
    std::mutex mutex;
    struct Sent {
        int from;
        std::string bytes;
    };
    std::vector<std::deque<Sent>> letters;
    std::vector<Sum> sums;
    int size;
};

class ThreadTeam : public Team {
public:
    ThreadTeam(Room& room, int rank) : room_(room), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return room_.size; }
    std::string host() const override { return "here"; }
    int place() const override { return rank_; }
    void beginSum(const std::vector<PixelSum>& pixels) override {
        const std::lock_guard lock(room_.mutex);
        if (room_.sums.size() <= begun_) room_.sums.resize(begun_ + 1);
        Room::Sum& sum = room_.sums[begun_++];
        sum.least = std::min(sum.least, pixels.size());
        sum.pixels.resize(std::max(sum.pixels.size(), pixels.size()));
        ++sum.ranks;
        for (size_t i = 0; i < pixels.size(); ++i) {
            sum.pixels[i].r += pixels[i].r;
            sum.pixels[i].g += pixels[i].g;
            sum.pixels[i].b += pixels[i].b;
            sum.pixels[i].samples += pixels[i].samples;
        }
    }
    const std::vector<PixelSum>* sum() override {
        const std::lock_guard lock(room_.mutex);
        Room::Sum& sum = room_.sums[begun_ - 1];
        ++sum.asked;
        if (sum.ranks < room_.size) return nullptr;
        total_ = sum.pixels;
        return &total_;
    }

protected:
    void post(int to, std::string bytes) override {
        const std::lock_guard lock(room_.mutex);
        room_.letters[static_cast<size_t>(to)].push_back({rank_, std::move(bytes)});
    }
    std::optional<Parcel> fetch() override {
        const std::lock_guard lock(room_.mutex);
        auto& mine = room_.letters[static_cast<size_t>(rank_)];
        if (mine.empty()) return {};
        Parcel parcel{mine.front().from, std::move(mine.front().bytes)};
        mine.pop_front();
        return parcel;
    }

private:
    Room& room_;
    const int rank_;
    size_t begun_ = 0;
    std::vector<PixelSum> total_;
};

bool always() {
    return true;
}
void everybody(std::vector<Member>&) {}

FilmCheckpoint wished(int spp) {
    FilmCheckpoint film;
    film.state.scene = *findScene("vt9");
    film.state.camera = film.state.scene->camera;
    film.state.settings = defaultSettings(Backend::cpu, film.state.scene);
    film.state.settings.threads = 1;
    film.state.settings.samples = 4;
    film.width = 64;
    film.height = 36;
    film.spp = spp;
    return film;
}

std::unique_ptr<Renderer> rendererFor(const FilmCheckpoint& film) {
    auto renderer = makeCpuRenderer();
    renderer->setScene(film.state.scene);
    return renderer;
}

/// What a single process makes of it.
struct Single {
    explicit Single(const FilmCheckpoint& wish) {
        const auto renderer = rendererFor(wish);
        OffscreenFilm memory;
        EXPECT_TRUE(memory.allocate(*renderer, Backend::cpu, wish.width, wish.height));
        FilmRun run(*renderer, memory, wish.state.settings, wish.state.camera, wish.spp);
        playToEnd(run);
        stats = run.stats();
        pixels.assign(memory.fetch(), memory.fetch() + wish.width * wish.height);
    }
    std::vector<Pixel> pixels;
    FrameStats stats;

    /// Samples equal, radiance to what rounding may do to sums of so many floats.
    void expectFilm(const FilmCheckpoint& film) const {
        const double rounding = film.spp * 0x1p-23;
        ASSERT_EQ(film.pixels.size(), pixels.size());
        for (size_t i = 0; i < pixels.size(); ++i) {
            ASSERT_EQ(film.pixels[i].samples, pixels[i].samples) << i;
            ASSERT_NEAR(film.pixels[i].r, pixels[i].r, rounding * (1 + pixels[i].r)) << i;
            ASSERT_NEAR(film.pixels[i].b, pixels[i].b, rounding * (1 + pixels[i].b)) << i;
        }
    }
};

/// The CPU's, until it fails.
class FragileRenderer : public BareRenderer {
public:
    FragileRenderer(const FilmCheckpoint& film, int chunks)
        : inner_(rendererFor(film)), chunks_(chunks) {}
    DeviceInfo device() const override { return inner_->device(); }
    void setScene(const SharedScene& scene) override { inner_->setScene(scene); }
    std::string unsupported(const Settings&) const override {
        if (chunks_-- < 0) throw std::runtime_error("the device has failed");
        return {};
    }
    std::unique_ptr<Session> open(Film& film) override { return inner_->open(film); }
    FrameStats advance(const Settings&, const Camera&, MadeUpSession&, double) override {
        return {};
    }

private:
    std::unique_ptr<Renderer> inner_;
    mutable int chunks_;
};

TEST(FilmTeam, ThePictureOfSeveralRanksIsThatOfOne) {
    const FilmCheckpoint wish = wished(50);
    Room room(3);
    const auto rank = [&](int number) {
        ThreadTeam team(room, number);
        EXPECT_TRUE(team.muster({{"devices", "cpu"}}, everybody, always));
        const auto renderer = rendererFor(wish);
        EXPECT_EQ(helpWithFilm(team, *renderer, wish, always), "");
        EXPECT_EQ(team.dismiss(0, "", {}, always), 0);
    };
    std::thread one(rank, 1), two(rank, 2);
    ThreadTeam team(room, 0);
    EXPECT_TRUE(team.muster({{"devices", "cpu"}}, everybody, always));
    const auto renderer = rendererFor(wish);
    FilmLead lead(team, *renderer, {wish, "", 60});
    playToEnd(lead);
    EXPECT_TRUE(lead.complete());
    EXPECT_EQ(team.dismiss(0, "", {}, always), 0);
    one.join();
    two.join();
    const Single single(wish);
    single.expectFilm(lead.film());
    EXPECT_EQ(lead.stats().rays.total(), single.stats.rays.total());
    EXPECT_EQ(lead.film().done, SampleSet({0, 50}));
    for (const RankWork& work : lead.ranks()) EXPECT_GT(work.samples, 0);
}

TEST(FilmTeam, ARankWhoseDeviceFailsIsDoneWithout) {
    const FilmCheckpoint wish = wished(40);
    Room room(2);
    std::thread other([&] {
        ThreadTeam team(room, 1);
        EXPECT_TRUE(team.muster({}, everybody, always));
        FragileRenderer renderer(wish, 1);  // of the two chunks that it has from the start
        EXPECT_EQ(helpWithFilm(team, renderer, wish, always), "the device has failed");
        team.dismiss(0, "the device has failed\n", {}, always);
    });
    ThreadTeam team(room, 0);
    EXPECT_TRUE(team.muster({}, everybody, always));
    const auto renderer = rendererFor(wish);
    FilmLead lead(team, *renderer, {wish, "", 60});
    playToEnd(lead);
    std::vector<std::string> said;
    team.dismiss(
        0, "", [&](const std::string& line) { said.push_back(line); }, always);
    other.join();
    EXPECT_EQ(said, (std::vector<std::string>{"rank 1 on here: the device has failed"}));
    EXPECT_EQ(lead.problem(), "");
    EXPECT_EQ(lead.ranks()[1].problem, "the device has failed");
    Single(wish).expectFilm(lead.film());
}

/// Rank 2 is gone without a word; of rank 1, what it has is sent for.
TEST(FilmTeam, ALostRankLosesItsOwnAloneAndTheRestGoesOnLater) {
    FilmCheckpoint wish = wished(5000);
    Room room(3);
    std::atomic<int> rendered{0};
    const auto rank = [&](int number, const Team::GoOn& goOn) {
        ThreadTeam team(room, number);
        EXPECT_TRUE(team.muster({}, everybody, always));
        const auto renderer = rendererFor(wish);
        helpWithFilm(team, *renderer, wish, goOn);
    };
    const auto lost = [&]() -> bool {
        if (rendered < 12) return true;
        throw 0;
    };
    std::thread one(rank, 1, always), two([&] {
        try {
            rank(2, lost);
        } catch (int) {
        }
    });
    ThreadTeam team(room, 0);
    EXPECT_TRUE(team.muster({}, everybody, always));
    const auto renderer = rendererFor(wish);
    FilmLead lead(team, *renderer, {wish, "", 60});
    for (; rendered < 25; ++rendered) ASSERT_FALSE(lead.step(20));
    two.join();
    lead.cancel();
    EXPECT_TRUE(lead.stopped());
    EXPECT_FALSE(lead.complete());
    team.sendAll({Word::over});
    one.join();
    FilmCheckpoint film = lead.film();
    EXPECT_GT(lead.ranks()[1].samples, 0) << "was sent for";
    EXPECT_EQ(lead.ranks()[2].samples, 0);
    EXPECT_FALSE(film.done.missing(film.done.next()).empty()) << "what the lost one had";
    for (const PixelSum& pixel : film.pixels) ASSERT_EQ(pixel.samples, film.done.count());

    film.spp = film.done.next() + 3;
    Alone alone;
    FilmLead rest(alone, *renderer, {film, "", 60});
    playToEnd(rest);
    EXPECT_EQ(rest.film().done, SampleSet({0, film.spp}));
    Single(rest.film()).expectFilm(rest.film());
}

/// Rank 0, which is this thread, gives a sum up in which everybody is.
TEST(FilmTeam, NobodyWaitsForASumThatRank0HasGivenUp) {
    const FilmCheckpoint wish = wished(8);
    Room room(2);
    std::thread other([&] {
        ThreadTeam team(room, 1);
        EXPECT_TRUE(team.muster({}, everybody, always));
        const auto renderer = rendererFor(wish);
        EXPECT_EQ(helpWithFilm(team, *renderer, wish, always), "");
    });
    ThreadTeam team(room, 0);
    EXPECT_TRUE(team.muster({}, everybody, always));
    const auto wordFrom1 = [&](Word word) {
        while (true) {
            const auto letter = team.receive();
            if (letter && letter->word == word) return *letter;
            std::this_thread::yield();
        }
    };
    team.send(1, {Word::chunk, 0, "0 8"});
    wordFrom1(Word::rendered);
    team.sendAll({Word::sum, 1});
    const std::vector<PixelSum> mine(wish.width * wish.height);
    team.beginSum(mine);
    wordFrom1(Word::portion);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    team.sendAll({Word::rescue, 0});
    const Letter sent = wordFrom1(Word::rescued);
    EXPECT_EQ(room.sums[0].asked, 0) << "it would wait for rank 0";
    team.sendAll({Word::over});
    other.join();
    Portion portion;
    portion.addText(sent.text.substr(mine.size() * sizeof(PixelSum)));
    EXPECT_EQ(portion.ranges, (std::vector<SampleRange>{{0, 8}}));
}

TEST(FilmTeam, AFilmThatCannotBeHadIsNoCrash) {
    const FilmCheckpoint wish = wished(8);
    MadeUpRenderer refusing;
    refusing.refusal = "there is not enough memory";
    Alone alone;
    FilmLead lead(alone, refusing, {wish, "", 60});
    playToEnd(lead);
    EXPECT_EQ(lead.problem(), refusing.refusal);
    EXPECT_FALSE(lead.complete());

    Room room(2);
    std::thread other([&] {
        ThreadTeam team(room, 1);
        EXPECT_TRUE(team.muster({}, everybody, always));
        EXPECT_EQ(helpWithFilm(team, refusing, wish, always), refusing.refusal);
        team.dismiss(0, "", {}, always);
    });
    ThreadTeam team(room, 0);
    EXPECT_TRUE(team.muster({}, everybody, always));
    const auto renderer = rendererFor(wish);
    FilmLead rest(team, *renderer, {wish, "", 60});
    playToEnd(rest);
    team.dismiss(0, "", {}, always);
    other.join();
    EXPECT_EQ(rest.problem(), "");
    for (const Room::Sum& sum : room.sums)
        EXPECT_EQ(sum.least, rest.film().pixels.size()) << "MPI adds up as many everywhere";
    Single(wish).expectFilm(rest.film());
}

TEST(Parts, OthersDoSomeAndWhatComesBackIsDoneHere) {
    Room room(3);
    const auto serve = [&](int rank, int most) {
        ThreadTeam team(room, rank);
        EXPECT_TRUE(team.muster({}, everybody, always));
        int done = 0;
        serveErrands(
            team,
            [&](const std::string& errand) -> std::optional<std::string> {
                if (done++ == most) return {};
                return errand + "!";
            },
            always);
        team.dismiss(0, "", {}, always);
    };
    std::thread one(serve, 1, 100), two(serve, 2, 1);
    ThreadTeam team(room, 0);
    EXPECT_TRUE(team.muster({}, everybody, always));
    TeamHelpers helpers(team, {"test", {}, "", 60, 1});
    std::vector<std::string> replies(40);
    int here = 0;
    Parts parts(&helpers, {40, [](int part) { return std::to_string(part); },
                           [&](int part, const std::string& reply) {
                               replies[static_cast<size_t>(part)] = reply;
                               return true;
                           }});
    while (!parts.over()) {
        const auto part = parts.next();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (!part) continue;
        ++here;
        replies[static_cast<size_t>(*part)] = std::to_string(*part) + "!";
        parts.finish(*part, [&] { return replies[static_cast<size_t>(*part)]; });
    }
    EXPECT_EQ(parts.leading(), 40);
    team.dismiss(0, "", {}, always);
    one.join();
    two.join();
    EXPECT_GT(here, 0);
    EXPECT_LT(here, 40);
    for (size_t i = 0; i < replies.size(); ++i) {
        EXPECT_EQ(replies[i], std::to_string(i) + "!");
        EXPECT_EQ(helpers.known(std::to_string(i)), replies[i]) << "for the checkpoint";
    }
}

/// Autotune ends a list when its time is up, and begins a shorter one.
TEST(Parts, AReplyThatComesLateIsNoneOfTheNextList) {
    Room room(2);
    std::thread other([&] {
        ThreadTeam team(room, 1);
        EXPECT_TRUE(team.muster({}, everybody, always));
        serveErrands(
            team,
            [&](const std::string& errand) -> std::optional<std::string> {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                return errand + "!";
            },
            always);
        team.dismiss(0, "", {}, always);
    });
    ThreadTeam team(room, 0);
    EXPECT_TRUE(team.muster({}, everybody, always));
    TeamHelpers helpers(team, {"test", {}, "", 60, 2});
    const auto nothing = [](int, const std::string&) { return true; };
    {
        Parts given(&helpers, {8, [](int part) { return "old" + std::to_string(part); }, nothing});
        given.serve();  // two of them
    }
    std::vector<std::string> replies;
    Parts parts(&helpers, {2, [](int part) { return "new" + std::to_string(part); },
                           [&](int, const std::string& reply) {
                               replies.push_back(reply);
                               return true;
                           }});
    while (!parts.over()) {
        parts.serve();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(replies, (std::vector<std::string>{"new0!", "new1!"}));
    EXPECT_EQ(helpers.known("old0"), "old0!") << "for the checkpoint";
    team.dismiss(0, "", {}, always);
    other.join();
}

/// A GPU that fails when it is to recurse.
class LostGpu : public MadeUpRenderer {
public:
    std::string unsupported(const Settings& settings) const override {
        if (settings.variant.path == Path::recursive) throw std::runtime_error("it fell off");
        return {};
    }
};

Machine losingItsGpu() {
    Machine machine;
    machine.cpu = std::make_unique<MadeUpRenderer>();
    machine.cuda = std::make_unique<LostGpu>();
    return machine;
}

/// Remembers what this process has done.
class Notes : public Helpers {
public:
    std::vector<std::string> errands;
    void begin() override {}
    std::optional<std::string> known(const std::string&) const override { return {}; }
    bool give(int, const std::string&) override { return false; }
    std::optional<Reply> take() override { return {}; }
    std::optional<int> takeBack() override { return {}; }
    void done(const std::string& errand, const std::string&) override { errands.push_back(errand); }
};

TEST(LostDevice, EndsAStudyThatGoesOnLater) {
    const Scene scene = *findScene("vt9");
    Study study;
    study.scenes.push_back(SharedScene(scene));
    for (const Path path : {Path::loop, Path::recursive, Path::stack}) {
        StudyItem& item = study.items.emplace_back();
        item.a = item.b = defaultSettings(Backend::cpu, scene);
        if (path == Path::recursive) item.b = defaultSettings(Backend::cuda, scene);
        item.b.variant.path = path;
    }
    StudyWish wish;
    wish.width = wish.height = 8;
    wish.seconds = .02;
    wish.warmUpMs = 0;
    wish.work = false;
    const std::string lost = "CUDA has failed in \"\": it fell off";
    {
        Machine machine = losingItsGpu();
        StudyJob job(machine, study, wish);
        playToEnd(job);
        EXPECT_EQ(job.problem(), "");
        EXPECT_EQ(job.study().items[1].problem, lost);
        EXPECT_TRUE(job.study().items[2].result) << "nothing is kept: the rest goes on";
    }
    Notes notes;
    wish.helpers = &notes;
    Machine machine = losingItsGpu();
    StudyJob job(machine, study, wish);
    playToEnd(job);
    EXPECT_EQ(job.problem(), lost);
    EXPECT_EQ(notes.errands.size(), 1u);
    EXPECT_EQ(job.done(), 1u);
    EXPECT_TRUE(job.study().items[0].result);
    for (size_t i : {1, 2}) {
        EXPECT_FALSE(job.study().items[i].result) << i;
        EXPECT_EQ(job.study().items[i].problem, "") << i;
    }
}

TEST(LostDevice, EndsAClimbThatGoesOnLater) {
    const Ladder ladder = *ladderFromJson(nlohmann::json::parse(R"({
        "title": "Three", "scene": "vt9", "size": [8, 8], "spp": 1, "measures": "rate",
        "unit": "rays/s", "rungs": [
        {"name": "a", "why": "w", "settings": {"backend": "cpu"}},
        {"name": "b", "why": "w", "settings": {"backend": "cuda", "path": "recursive"}},
        {"name": "c", "why": "w", "settings": {"backend": "cpu", "path": "loop"}}]})"),
                                          "three.json");
    ClimbWish wish;
    wish.preferred = Backend::cuda;
    wish.seconds = .02;
    for (const bool later : {false, true}) {
        Notes notes;
        if (later) wish.helpers = &notes;
        Machine machine = losingItsGpu();
        LadderRun run(ladder, machine, wish);
        playToEnd(run);
        const std::string lost = "CUDA has failed in \"b\": it fell off";
        EXPECT_EQ(run.problem(), later ? lost : "");
        ASSERT_EQ(run.results().size(), later ? 1u : 3u);
        EXPECT_EQ(run.results()[0].problem, "");
        EXPECT_EQ(notes.errands.size(), later ? 1u : 0u);
        const nlohmann::json report = reportOf(ladder, machine, wish, run.results());
        EXPECT_EQ(report["complete"], !later);
        EXPECT_EQ(report["cuda"]["missing"], lost);
        if (!later) {
            EXPECT_EQ(run.results()[1].problem, lost);
        }
    }
}

TEST(TeamHelpers, ACheckpointThatFailsIsWrittenTheNextTime) {
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope_helpers_" + std::to_string(getpid()));
    const std::string path = (folder / "a.checkpoint").string();
    Alone alone;
    TeamHelpers::Wish wish{"test", {}, path, 0, 1};
    TeamHelpers helpers(alone, wish);
    helpers.done("question", "answer");
    const std::string before = complaints();
    for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        helpers.take();
    }
    const std::string said = complaints().substr(before.size());
    EXPECT_NE(said.find(path), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    fs::create_directories(folder);
    EXPECT_EQ(helpers.save(), "");
    TeamHelpers later(alone, wish);
    EXPECT_EQ(later.resume(path).reason(), "");
    EXPECT_EQ(later.known("question"), "answer");
    fs::remove_all(folder);
}

TEST(Wire, AnItemIsTheSameElsewhere) {
    const Scene scene = *findScene("vt9");
    Machine machine;
    machine.cpu = std::make_unique<MadeUpRenderer>();
    Settings settings = defaultSettings(Backend::cpu, scene);
    const Study study =
        *sweepStudy(*sweepAxisFrom("path=loop,recursive"), {}, settings, SharedScene(scene));
    StudyWish wish;
    wish.width = wish.height = 8;
    wish.seconds = .02;
    wish.warmUpMs = 0;
    wish.work = false;
    StudyJob job(machine, study, wish);
    playToEnd(job);
    Study copy = study;
    for (size_t i = 0; i < copy.items.size(); ++i) {
        const std::string bytes = bytesOf(job.study().items[i]);
        ASSERT_TRUE(fromBytes(bytes, copy.items[i]));
        for (size_t size = 0; size < bytes.size(); size += 7) {
            StudyItem none;
            EXPECT_FALSE(fromBytes(bytes.substr(0, size), none)) << size;
            EXPECT_FALSE(none.result);
        }
    }
    const State state{scene, scene.camera, settings, {}};
    nlohmann::json there = reportOf(copy, wish, state), here = reportOf(job.study(), wish, state);
    there["date"] = here["date"];
    EXPECT_EQ(there, here);

    const StudyItem& item = study.items[1];
    const auto errand = errandFrom(textOf({item.a, item.b, item.scene, .25, true}), study.scenes);
    ASSERT_TRUE(errand);
    EXPECT_EQ(errand->a, item.a);
    EXPECT_EQ(errand->b, item.b);
    EXPECT_EQ(errand->seconds, .25);
    EXPECT_TRUE(errand->work);
    EXPECT_FALSE(errandFrom("0 1 1 2 3", study.scenes));
    Settings edited = defaultSettings(Backend::cuda, scene);
    edited.source = *sourceNamed("wide");
    const std::string text = textOf({item.a, edited, item.scene, .25, true});
    const auto named = errandFrom(text, study.scenes);
    ASSERT_TRUE(named) << text;
    EXPECT_EQ(named->b, edited);
    EXPECT_NE(text.find(" wide "), std::string::npos) << "its number depends on the command line";
    EXPECT_FALSE(errandFrom(textOf({item.a, item.b, 7, .25, true}), study.scenes));
}

TEST(Wire, ARungIsTheSameElsewhere) {
    RungResult result;
    result.problem = "none";
    result.measured.device.name = "made up";
    result.measured.kernel.stages = {{"extend", 40, 8}};
    result.measured.raw = {{1, 2, 3, 4}};
    result.measured.mean = glm::dvec3(1, 2, 3);
    result.conditions.clockMhz = Extremes{1, 2};
    result.conditions.throttling = {"power cap"};
    result.value = {3, 2, 4};
    result.scaled = true;
    RungResult copy;
    copy.rung = 5;
    ASSERT_TRUE(fromBytes(bytesOf(result), copy));
    EXPECT_EQ(copy.rung, 5);
    EXPECT_EQ(bytesOf(copy), bytesOf(result));
    EXPECT_EQ(copy.measured.kernel.stages[0].registers, 40);
    EXPECT_EQ(copy.conditions.throttling[0], "power cap");
    EXPECT_EQ(copy.value.upper, 4);
    std::string wrong = bytesOf(result);
    wrong[0] = '\x7f';
    EXPECT_FALSE(fromBytes(wrong, copy));
}

}  // namespace
}  // namespace rayscope
