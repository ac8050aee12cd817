#pragma once

#include <string>
#include <string_view>

namespace rayscope {

/// Bytes as a file in memory, so that what is loaded is what has been checked.
class MemoryFile {
public:
    /// Throws std::runtime_error.
    explicit MemoryFile(std::string_view bytes);
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string path() const;

private:
    int file_;
};

}  // namespace rayscope
