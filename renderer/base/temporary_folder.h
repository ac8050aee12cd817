#pragma once

#include <string>

namespace rayscope {

/// A folder in the one for temporary files that is deleted with this object, with all that is in
/// it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    /// Empty where there is one; else why not.
    const std::string& problem() const { return problem_; }

private:
    std::string path_, problem_;
};

}  // namespace rayscope
