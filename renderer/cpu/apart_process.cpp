#include "renderer/cpu/apart_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "renderer/backend/kernel_isolation.h"
#include "renderer/base/text.h"
#include "renderer/base/timeline.h"
#include "renderer/cpu/apart_end.h"

namespace rayscope {

namespace {

/// Loading takes some 20 ms.
constexpr double kLoadingMs = 20e3;
/// How long to wait without looking whether a pass gets on.
constexpr double kLookMs = 50;
/// What waking another process and its threads may take beside what they say that a pass took.
constexpr double kHandOverMs = 1, kHandOver = .05;

struct Program {
    std::mutex mutex;
    std::string path;
    std::function<bool()> interrupted;
};

Program& program() {
    static Program only;
    return only;
}

std::string programPath() {
    const std::lock_guard lock(program().mutex);
    return program().path;
}

[[noreturn]] void doesNotStart(int error) {
    throw std::runtime_error(
        fmt::format("no process starts for an edited kernel: {}", std::strerror(error)));
}

/// An edited kernel can read its environment: it has only what programs need to start.
std::vector<std::string> plainEnvironment() {
    std::vector<std::string> variables;
    for (const char* name : {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"}) {
        if (const char* value = std::getenv(name))
            variables.push_back(fmt::format("{}={}", name, value));
    }
    return variables;
}

std::vector<char*> pointersTo(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// A copy of a descriptor above those that the new process gets, so that none is overwritten.
int raised(int descriptor) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, kChannel + 1);
}

double processorMilliseconds(pid_t process) {
    clockid_t clock{};
    timespec t{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

/// A text in memory that the other process can change at any time.
template <std::size_t N>
std::string said(const char (&text)[N]) {
    char copy[N];
    std::memcpy(copy, text, N);
    copy[N - 1] = '\0';
    return printable(copy);
}

constexpr const char* kMeddles = "was ended: it wrote to what is not its own";

bool mayNotGoOn() {
    const std::lock_guard lock(program().mutex);
    return program().interrupted && program().interrupted();
}

}  // namespace

void runEditedKernelsBy(const std::string& path) {
    const std::lock_guard lock(program().mutex);
    program().path = path;
}

void endEditedKernelsWhen(std::function<bool()> interrupted) {
    const std::lock_guard lock(program().mutex);
    program().interrupted = std::move(interrupted);
}

bool editedKernelsRun() {
    return !programPath().empty();
}

ApartProcess::ApartProcess(const CompiledKernel& kernel, int threads) {
    const std::string path = programPath();
    if (path.empty()) throw std::runtime_error("this program runs no edited kernels on a CPU");
    layOut(kernel, threads);
    began_ = Clock::now();
    spawn(path);
}

ApartProcess::~ApartProcess() {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    if (channel_ >= 0) close(channel_);
}

void ApartProcess::layOut(const CompiledKernel& kernel, int threads) {
    ArenaParts given(given_, 0), work(work_, 0);
    given.take<ApartOrders>(1);
    work.take<ApartReport>(1);
    auto* const object = given.take<unsigned char>(kernel.code.size());
    auto* const counters = work.take<ThreadCounters>(static_cast<std::size_t>(threads));
    auto* const samples = work.take<SampleBuffer>(static_cast<std::size_t>(threads));
    given_.reserve(givenBytes_ = given.end());
    work_.reserve(workBytes_ = work.end());
    std::memcpy(object, kernel.code.data(), kernel.code.size());
    ApartOrders& o = orders();
    o.threads = threads;
    o.object = object;
    o.objectBytes = kernel.code.size();
    o.report = &report();
    o.counters = counters;
    o.samples = samples;
}

void ApartProcess::spawn(const std::string& path) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) doesNotStart(errno);
    channel_ = ends[0];
    const int from[] = {raised(given_.file()), raised(work_.file()), raised(ends[1])};
    close(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    const int to[] = {kGivenFile, kWorkFile, kChannel};
    for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&actions, from[i], to[i]);
    posix_spawnattr_t attributes;  // own process group: Ctrl-C does not reach it
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    const auto address = [](const SharedArena& arena) {
        return fmt::format("{:x}", reinterpret_cast<std::uintptr_t>(arena.data()));
    };
    std::vector<std::string> words{path, kRunKernelCommand, address(given_), address(work_)};
    std::vector<std::string> variables = plainEnvironment();
    const int error = posix_spawn(&process_, path.c_str(), &actions, &attributes,
                                  pointersTo(words).data(), pointersTo(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    for (const int descriptor : from) close(descriptor);
    if (error != 0) {
        process_ = -1;
        close(channel_);
        doesNotStart(error);
    }
}

void ApartProcess::begin() {
    char word = 0;  // nothing has been asked
    if (recv(channel_, &word, 1, MSG_DONTWAIT | MSG_PEEK) == 1) return finish(kMeddles);
    report().next = orders().plan.begin;
    lastNext_ = orders().plan.begin;
    began_ = movedOn_ = Clock::now();
    workAtBegin_ = workAtMove_ = processorMilliseconds(process_);
    state_ = State::busy;
    const ssize_t sent = send(channel_, &kPass, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    // where the process has ended, wait() sees why
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) finish(kMeddles);
}

ApartProcess::State ApartProcess::wait(double ms, double stallMs) {
    const Clock::time_point start = Clock::now();
    while (state_ == State::loading || state_ == State::busy) {
        const double left = std::max(0., ms - millisecondsSince(start));
        pollfd channel{channel_, POLLIN, 0};
        const int ready = poll(&channel, 1, static_cast<int>(std::ceil(std::min(left, kLookMs))));
        if (ready > 0) {
            hear();
        } else if (mayNotGoOn()) {
            finish("was ended: the program is interrupted");
        } else if (stalls(stallMs)) {
            finish(state_ == State::loading
                       ? "was ended: it is not loaded within 20 s"
                       : fmt::format("was ended: it did not get on for {:.0f} s (an endless loop?)",
                                     stallMs / 1e3));
        } else if (left <= 0) {
            break;
        }
    }
    return state_;
}

/// Something is said, or the process has ended.
void ApartProcess::hear() {
    char word = 0;
    const ssize_t n = recv(channel_, &word, 1, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n != 1) return finish({});
    if (state_ == State::loading && word == kNotLoaded) {
        return finish("is not loaded: " + said(report().problem));
    }
    if (state_ == State::busy && word == kDone) {
        const PassPlan& plan = orders().plan;
        const int next = report().next;
        // a pass renders a piece at least
        if (next <= plan.begin || next > plan.end) return finish(kMeddles);
        if (recv(channel_, &word, 1, MSG_DONTWAIT | MSG_PEEK) == 1) return finish(kMeddles);
        wallMs_ = millisecondsSince(began_);
        processorMs_ = processorMilliseconds(process_) - workAtBegin_;
    }
    if ((state_ == State::loading && word == kLoaded) || (state_ == State::busy && word == kDone))
        state_ = State::idle;
    else
        finish(kMeddles);
}

/// Whether it computes without getting on. A machine on which others work may let it wait longer.
bool ApartProcess::stalls(double stallMs) {
    constexpr double kWaited = 6;  // times as long, whatever it does
    if (state_ == State::loading) return millisecondsSince(began_) > kLoadingMs;
    const int next = report().next;
    if (next > lastNext_) {
        lastNext_ = next;
        movedOn_ = Clock::now();
        workAtMove_ = processorMilliseconds(process_);
        return false;
    }
    const double ms = millisecondsSince(movedOn_);
    return ms > kWaited * stallMs ||
           (ms > stallMs && processorMilliseconds(process_) - workAtMove_ > .9 * stallMs);
}

/// It has ended by itself where no reason is given.
void ApartProcess::finish(std::string why) {
    if (!why.empty()) kill(process_, SIGKILL);
    int status = -1;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    end_ = why.empty() ? whyItEnded(status) : std::move(why);
    process_ = -1;
    state_ = State::ended;
}

std::string ApartProcess::whyItEnded(int status) const {
    return rayscope::whyItEnded(status, report().denied);
}

Result<HostSamples> ApartProcess::samples() const {
    const auto& orders = *reinterpret_cast<const ApartOrders*>(given_.data());
    if (std::string problem = said(report().unsampled); !problem.empty())
        return Failure{std::move(problem)};
    HotSampler::Samples all;
    for (int i = 0; i < orders.threads; ++i) all.add(orders.samples[i]);
    all.sort();
    return samplesIn(all, ObjectInMemory(report().kernel));
}

void ApartProcess::setSampled(bool sampled) {
    orders().sampled = sampled;
    if (!sampled) return;
    for (int i = 0; i < orders().threads; ++i) orders().samples[i].count = 0;
}

ApartProcess::Pass ApartProcess::pass() const {
    const PassPlan& plan = reinterpret_cast<const ApartOrders*>(given_.data())->plan;
    const WorkTime said = report().time;
    const int next = report().next;
    // it may say that it took less than was seen from here, but hardly less
    const auto plausible = [](double value, double seen) {
        const double least = std::max(0., (1 - kHandOver) * seen - kHandOverMs);
        return std::isfinite(value) ? std::clamp(value, least, std::max(least, seen)) : seen;
    };
    Pass pass{std::clamp(next, plan.begin, plan.end), {}};
    pass.time.wallMs = plausible(said.wallMs, wallMs_);
    pass.time.processorMs = plausible(said.processorMs, processorMs_);
    const double most = wallMs_ * plan.threads;
    pass.time.waitedMs = std::isfinite(said.waitedMs) ? std::clamp(said.waitedMs, 0., most) : 0;
    return pass;
}

}  // namespace rayscope
