#pragma once

#include <string>

namespace rayscope {

/// A file in the folder for temporary ones that is deleted with this object.
class TemporaryFile {
public:
    /// `ending`: of its name, ".json".
    TemporaryFile(const std::string& bytes, const std::string& ending);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }
    /// Empty where all bytes are in it; else why not.
    const std::string& problem() const { return problem_; }

private:
    std::string path_, problem_;
};

}  // namespace rayscope
