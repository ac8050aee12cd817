#include "ui/errands.h"

#include <chrono>
#include <utility>

#include "renderer/base/free_memory.h"

namespace rayscope {

void Errands::send(Work work) {
    running_.push_back(std::async(std::launch::async, [work = std::move(work)] {
        Then then = work();
        trimHeap();
        return then;
    }));
}

void Errands::afterwards(Then then) {
    if (running_.empty()) return then();
    std::promise<Then> done;
    done.set_value(std::move(then));
    running_.push_back(done.get_future());
}

void Errands::finish() {
    while (!running_.empty() &&
           running_.front().wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        const Then then = running_.front().get();
        running_.pop_front();
        then();
    }
}

}  // namespace rayscope
