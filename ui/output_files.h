#pragma once

#include <set>
#include <string>
#include <vector>

namespace rayscope {

/// Where files go that nobody gave a place: the current folder; where that cannot be written, the
/// user's pictures or home folder.
std::string outputFolder();

/// The folder for pictures that a user-dirs.dirs file names (XDG user directories), or empty.
std::string picturesFolderIn(const std::string& userDirs, const std::string& home);

/// "rayscope-YYYYMMDD-HHMMSS", in local time.
std::string stemOfNow();

/// FOLDER/STEM, or with -2, -3 ... where a file with one of the endings is there or `given` away.
std::string freshStem(const std::string& folder, const std::string& stem,
                      const std::vector<std::string>& endings,
                      const std::set<std::string>& given = {});

/// Names in outputFolder() that nobody else writes.
class OutputFiles {
public:
    /// Of today.
    std::string freshPath(const std::string& ending) {
        return freshStem(stemOfNow(), {ending}) + ending;
    }
    /// For files of several endings.
    std::string freshStem(const std::string& stem, const std::vector<std::string>& endings);

private:
    std::set<std::string> given_;
};

}  // namespace rayscope
