#include "renderer/mpi/mpi_team.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <list>
#include <utility>

namespace rayscope {

namespace {

constexpr int kTag = 1;

class MpiTeam : public Team {
public:
    explicit MpiTeam(int ranksOfMachine) {
        int level = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        if (ranksOfMachine > 0)
            MPI_Comm_split(MPI_COMM_WORLD, rank_ / ranksOfMachine, rank_, &machine_);
        else
            MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL,
                                &machine_);
        MPI_Comm_rank(machine_, &place_);
        MPI_Comm_split(MPI_COMM_WORLD, place_ == 0 ? 0 : MPI_UNDEFINED, rank_, &leaders_);
        std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
        int length = 0;
        if (leaders_ != MPI_COMM_NULL) MPI_Comm_size(leaders_, &machines_);
        MPI_Bcast(&machines_, 1, MPI_INT, 0, machine_);
        takeCores();
        MPI_Get_processor_name(name.data(), &length);
        host_.assign(name.data(), static_cast<std::size_t>(length));
    }
    ~MpiTeam() override {
        // nobody waits for a rank that is lost
        if (pixels_ != nullptr) return;
        for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&machine_);
        if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
        MPI_Finalize();
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string host() const override { return host_; }
    int place() const override { return place_; }

    /// MPI_Reduce is two to four times as fast as MPI_Ireduce, but waits, and nobody who waits for
    /// a rank that is lost would hear of it: it begins when all are there.
    void beginSum(const std::vector<PixelSum>& pixels) override {
        pixels_ = &pixels;
        MPI_Ibarrier(MPI_COMM_WORLD, &request_);
    }

    const std::vector<PixelSum>* sum() override {
        if (pixels_ == nullptr) return &total_;
        int all = 0;
        MPI_Test(&request_, &all, MPI_STATUS_IGNORE);
        if (all == 0) return nullptr;
        const std::vector<PixelSum>& pixels = *std::exchange(pixels_, nullptr);
        const bool oneMachine = rank_ == 0 && machines_ == 1;
        std::vector<PixelSum>& partial = oneMachine ? total_ : partial_;
        if (place_ == 0) partial.resize(pixels.size());
        const auto numbers = static_cast<int>(pixels.size() * sizeof(PixelSum) / sizeof(double));
        MPI_Reduce(pixels.data(), partial.data(), numbers, MPI_DOUBLE, MPI_SUM, 0, machine_);
        if (place_ != 0 || machines_ == 1) return &total_;
        if (rank_ == 0) total_.resize(pixels.size());
        MPI_Reduce(partial.data(), total_.data(), numbers, MPI_DOUBLE, MPI_SUM, 0, leaders_);
        return &total_;
    }

protected:
    void post(int to, std::string bytes) override {
        sent_.remove_if([](Sent& sent) {
            int done = 0;
            MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE);
            return done != 0;
        });
        Sent& sent = sent_.emplace_back(Sent{std::move(bytes), MPI_REQUEST_NULL});
        MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to, kTag,
                  MPI_COMM_WORLD, &sent.request);
    }

    std::optional<Parcel> fetch() override {
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &status);
        if (there == 0) return {};
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        Parcel parcel{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
        MPI_Recv(parcel.bytes.data(), size, MPI_BYTE, parcel.from, kTag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return parcel;
    }

private:
    /// Of ranks on a machine that may use the same cores, each takes its part of them.
    void takeCores() {
        int ranks = 0;
        MPI_Comm_size(machine_, &ranks);
        cpu_set_t mine;
        CPU_ZERO(&mine);
        if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
        std::vector<cpu_set_t> all(static_cast<std::size_t>(ranks));
        MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, machine_);
        int number = 0, sharing = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            if (!CPU_EQUAL(&mine, &all[static_cast<std::size_t>(rank)])) continue;
            if (rank < place_) ++number;
            ++sharing;
        }
        const int cores = CPU_COUNT(&mine);
        if (sharing < 2 || cores == 0) return;
        const int begin = cores < sharing ? number % cores : cores * number / sharing;
        const int end = cores < sharing ? begin + 1 : cores * (number + 1) / sharing;
        cpu_set_t part;
        CPU_ZERO(&part);
        for (int core = 0, index = 0; core < CPU_SETSIZE; ++core) {
            if (!CPU_ISSET(core, &mine)) continue;
            if (index >= begin && index < end) CPU_SET(core, &part);
            ++index;
        }
        sched_setaffinity(0, sizeof part, &part);
    }

    struct Sent {
        std::string bytes;
        MPI_Request request;
    };

    int rank_ = 0, size_ = 1, place_ = 0, machines_ = 1;
    MPI_Comm machine_ = MPI_COMM_NULL, leaders_ = MPI_COMM_NULL;
    std::string host_;
    std::list<Sent> sent_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    const std::vector<PixelSum>* pixels_ = nullptr;  ///< of the sum for which not all are there
    std::vector<PixelSum> partial_, total_;
};

}  // namespace

std::unique_ptr<Team> makeMpiTeam(int ranksOfMachine) {
    return std::make_unique<MpiTeam>(ranksOfMachine);
}

}  // namespace rayscope
