#pragma once

#include <cstddef>
#include <cstdint>

namespace rayscope {

/// Memory that two processes have at the same address, so that pointers into it mean the same in
/// both.
class SharedArena {
public:
    /// As much address space as an arena takes; memory only where it is used.
    static constexpr std::size_t kMostBytes = std::size_t{64} << 30;

    /// New memory. Throws std::runtime_error.
    SharedArena();
    /// The memory of another process, of which `file` is an inherited descriptor. Throws
    /// std::runtime_error.
    SharedArena(int file, std::uintptr_t address, bool writable);
    ~SharedArena();
    SharedArena(const SharedArena&) = delete;
    SharedArena& operator=(const SharedArena&) = delete;

    unsigned char* data() const { return data_; }
    int file() const { return file_; }

    /// Makes the first bytes usable; new ones are 0. Throws std::runtime_error.
    void reserve(std::size_t bytes);

private:
    int file_ = -1;
    unsigned char* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Hands out parts of an arena, one behind the other, each aligned for any vector. They may be used
/// once the arena has end() bytes.
class ArenaParts {
public:
    ArenaParts(const SharedArena& arena, std::size_t begin) : base_(arena.data()), end_(begin) {}

    template <class T>
    T* take(std::size_t count) {
        constexpr std::size_t kAlignment = 128;
        end_ = (end_ + kAlignment - 1) / kAlignment * kAlignment;
        T* const part = reinterpret_cast<T*>(base_ + end_);
        end_ += count * sizeof(T);
        return part;
    }
    std::size_t end() const { return end_; }

private:
    unsigned char* base_;
    std::size_t end_;
};

}  // namespace rayscope
