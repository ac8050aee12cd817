#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <vector>

#include "ui/feature.h"

namespace rayscope {

/// What a folder has that can be opened: folders first, each part in the order of the alphabet;
/// hidden ones are left out.
struct FolderContents {
    std::vector<std::string> folders, files;
};
FolderContents contentsOf(const std::filesystem::path& folder);

/// Whether the window opens files whose names end like this one.
bool opens(const std::string& path);

/// A dialog that opens files, Ctrl+O: the desktop's own, by zenity or kdialog, or a list of the
/// window's where there is neither; and scenes that are made when they are opened, with the number
/// of what they consist of.
class OpenDialog : public WindowFeature {
public:
    void chord(const Chord& chord, Frame& frame) override;
    void key(const KeyPress& press, Frame& frame) override;
    void act(Frame& frame) override;
    void draw(const Ui& ui) override;
    void close(Frame& frame) override;
    /// "open": "files", or the prefix of the scenes that are made; absent where it is closed
    void describe(const Frame& frame, nlohmann::json& status) const override;

private:
    void begin(const std::string& what, Frame& frame);
    void drawFiles(const Ui& ui);
    void drawMade(const Ui& ui);
    void enter(const std::filesystem::path& folder);

    std::string shown_;  ///< as in describe()
    std::filesystem::path folder_;
    FolderContents contents_;
    std::string typed_;
    int count_ = 1000;
    std::future<std::string> chosen_;  ///< by the desktop's dialog; empty: cancelled
    std::shared_ptr<std::atomic<bool>> goOn_;
};

}  // namespace rayscope
