#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace rayscope::test {

/// A virtual X server, ended by the destructor.
class VirtualDisplay {
public:
    static bool available() { return std::system("command -v Xvfb >/dev/null 2>&1") == 0; }

    VirtualDisplay() {
        std::string file = std::filesystem::temp_directory_path() / "rayscope-display-XXXXXX";
        close(mkstemp(file.data()));
        // The shell opens the file on which the server writes the number of its display.
        const std::string command =
            "exec Xvfb -displayfd 4 -screen 0 1920x1080x24 -nolisten tcp 4>" + file +
            " >/dev/null 2>&1";
        server_ = fork();
        if (server_ == 0) {
            execlp("sh", "sh", "-c", command.c_str(), nullptr);
            _exit(127);
        }
        for (int i = 0; i < 5000 && number_.empty(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            std::string line;
            std::ifstream in(file);
            if (std::getline(in, line) && !in.eof()) number_ = line;
        }
        std::error_code error;
        std::filesystem::remove(file, error);
    }
    ~VirtualDisplay() {
        kill(server_, SIGTERM);
        waitpid(server_, nullptr, 0);
    }
    VirtualDisplay(const VirtualDisplay&) = delete;
    VirtualDisplay& operator=(const VirtualDisplay&) = delete;

    /// ":1", the value of DISPLAY.
    std::string name() const { return ":" + number_; }

private:
    pid_t server_ = -1;
    std::string number_;
};

}  // namespace rayscope::test
