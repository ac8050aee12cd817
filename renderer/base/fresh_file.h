#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "renderer/base/files.h"

namespace rayscope {

struct CloseStream {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, CloseStream>;

/// A file without a name in the folder of the one that it is to become, so that a program that is
/// killed leaves nothing. Where the file system knows no such files it has a name that tells whose
/// it is, and what a dead program has left in the folder is removed.
class FreshFile {
public:
    /// `target`: links in it are followed already.
    explicit FreshFile(std::string target, Privacy privacy = Privacy::usual);
    ~FreshFile();
    FreshFile(const FreshFile&) = delete;
    FreshFile& operator=(const FreshFile&) = delete;

    /// Why there is none; empty if there is.
    const std::string& problem() const { return problem_; }
    /// To write into, once.
    Stream stream();
    /// Puts what was written in the place of the target, whose mode, owner and names stay.
    Result<void> place(Existing existing);

private:
    void openNamed(const std::string& folder);
    Result<void> giveName();
    Result<void> copyInto(const std::string& target) const;

    std::string target_, name_, problem_;  ///< `name_`: empty while it has none
    Privacy privacy_;
    int descriptor_ = -1;
};

}  // namespace rayscope
