#include "renderer/devices/device_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "renderer/backend/film_memory.h"
#include "renderer/base/text.h"

namespace rayscope {

namespace {

constexpr int kMostNumber = 255;
constexpr std::size_t kMostDevices = 64;

}  // namespace

bool DeviceList::wantsGpu() const {
    return allGpus || std::ranges::any_of(numbers, [](int number) { return number != kHost; });
}

Result<DeviceList> deviceListFrom(const std::string& text) {
    DeviceList list;
    std::istringstream words(text + ",");
    for (std::string word; std::getline(words, word, ',');) {
        int number = kHost;
        if (word == "all") {
            list.allGpus = true;
            continue;
        }
        const char* const end = word.data() + word.size();
        const bool read = word == "cpu" || std::from_chars(word.data(), end, number).ptr == end;
        if (!read || word.empty() || (word != "cpu" && (number < 0 || number > kMostNumber)) ||
            list.numbers.size() == kMostDevices) {
            return Failure{
                fmt::format("{} is not devices: GPUs by CUDA's numbers, all, and cpu, "
                            "such as 0,2 or all,cpu",
                            printable(text))};
        }
        list.numbers.push_back(number);
    }
    const auto gpu = [](int number) { return number != kHost; };
    std::stable_partition(list.numbers.begin(), list.numbers.end(), gpu);
    return list;
}

std::string textOf(const DeviceList& list) {
    std::vector<std::string> words;
    if (list.allGpus) words.push_back("all");
    for (const int number : list.numbers)
        words.push_back(number == kHost ? "cpu" : std::to_string(number));
    return fmt::format("{}", fmt::join(words, ","));
}

DeviceList resolved(const DeviceList& list) {
    if (!list.allGpus) return list;
    DeviceList result;
    const auto gpus = static_cast<int>(cudaDevices().size());
    for (int number = 0; number < std::max(gpus, 1); ++number) result.numbers.push_back(number);
    for (const int number : list.numbers)
        if (number == kHost || number >= gpus) result.numbers.push_back(number);
    return result;
}

}  // namespace rayscope
