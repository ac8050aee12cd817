#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace rayscope {

// Packed scenes are equal to the byte, so padding is 0.

/// Records of zeros. Assigning to their members leaves the padding alone, assigning a record does
/// not.
template <class Record>
std::vector<Record> zeroRecords(std::size_t count) {
    std::vector<Record> records(count);
    if (count > 0) std::memset(static_cast<void*>(records.data()), 0, count * sizeof(Record));
    return records;
}

/// Copies a record up to the end of its last member.
template <class Record, class Last>
void copyRecord(Record& to, const Record& record, const Last& last) {
    const auto* const begin = reinterpret_cast<const char*>(&record);
    const auto used = reinterpret_cast<const char*>(&last) + sizeof last - begin;
    std::memcpy(static_cast<void*>(&to), begin, static_cast<std::size_t>(used));
}

}  // namespace rayscope
