#include "renderer/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "renderer/base/elapsed.h"
#include "renderer/base/own_files.h"
#include "renderer/base/reader.h"
#include "renderer/base/stop.h"
#include "renderer/base/temporary_folder.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
    static struct stat infoOf(const std::string& path) {
        struct stat info {};
        EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
        return info;
    }
    static std::string textOf(const std::string& path) {
        const auto text = readFile(path, 1 << 20);
        return text ? *text : text.reason();
    }

    TemporaryFolder folder_;
};

TEST_F(Files, AReplacedFileKeepsItsMode) {
    ASSERT_TRUE(writeTextFile(at("a"), "old"));
    for (const mode_t mode : {0600, 0640, 0444 | 0200, 0755}) {
        ASSERT_EQ(chmod(at("a").c_str(), mode), 0);
        ASSERT_TRUE(writeTextFile(at("a"), "new"));
        EXPECT_EQ(infoOf(at("a")).st_mode & 07777, mode);
    }
    EXPECT_EQ(textOf(at("a")), "new");
}

TEST_F(Files, AReplacedFileKeepsItsOwner) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    ASSERT_TRUE(writeTextFile(at("a"), "old"));
    ASSERT_EQ(chown(at("a").c_str(), 65534, 65533), 0);
    ASSERT_TRUE(writeTextFile(at("a"), "new"));
    EXPECT_EQ(infoOf(at("a")).st_uid, 65534u);
    EXPECT_EQ(infoOf(at("a")).st_gid, 65533u);
}

TEST_F(Files, AReplacedFileKeepsItsOtherNames) {
    ASSERT_TRUE(writeTextFile(at("a"), "a text that is longer"));
    ASSERT_EQ(link(at("a").c_str(), at("b").c_str()), 0);
    ASSERT_EQ(symlink("a", at("c").c_str()), 0);
    ASSERT_TRUE(writeTextFile(at("c"), "new"));
    EXPECT_EQ(textOf(at("a")), "new");
    EXPECT_EQ(textOf(at("b")), "new");
    EXPECT_TRUE(S_ISLNK(infoOf(at("c")).st_mode));
    EXPECT_EQ(infoOf(at("a")).st_nlink, 2u);
}

TEST_F(Files, OneThatIsKeptStays) {
    ASSERT_TRUE(writeTextFile(at("a"), "old"));
    EXPECT_FALSE(writeTextFile(at("a"), "new", Existing::kept));
    EXPECT_EQ(textOf(at("a")), "old");
    EXPECT_TRUE(writeTextFile(at("b"), "new", Existing::kept));
    EXPECT_EQ(textOf(at("b")), "new");
}

TEST_F(Files, TheUsersOwnIsForNobodyElse) {
    ASSERT_TRUE(writeTextFile(at("a"), "mine", Existing::replaced, Privacy::own));
    EXPECT_EQ(infoOf(at("a")).st_mode & 07777, 0600u);
    ASSERT_EQ(chmod(at("a").c_str(), 0666), 0);
    ASSERT_TRUE(writeTextFile(at("a"), "mine", Existing::replaced, Privacy::own));
    EXPECT_EQ(infoOf(at("a")).st_mode & 07777, 0644u);
}

TEST_F(Files, OneThatOthersCanWriteIsNotTheUsersOwn) {
    ASSERT_TRUE(writeTextFile(at("a"), "mine"));
    EXPECT_TRUE(readOwnFile(at("a"), 100));
    ASSERT_EQ(chmod(at("a").c_str(), 0664), 0);
    const auto refused = readOwnFile(at("a"), 100);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.reason().find("can be written by other users"), std::string::npos);
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    ASSERT_EQ(chmod(at("a").c_str(), 0600), 0);
    ASSERT_EQ(chown(at("a").c_str(), 65534, 65534), 0);
    EXPECT_NE(readOwnFile(at("a"), 100).reason().find("another user"), std::string::npos);
}

TEST_F(Files, FoldersAreMadeForTheUserAlone) {
    const mode_t before = umask(0);
    EXPECT_TRUE(makeOwnFolder(at("x/y")));
    umask(before);
    EXPECT_EQ(infoOf(at("x")).st_mode & 07777, 0700u);
    EXPECT_EQ(infoOf(at("x/y")).st_mode & 07777, 0700u);
    EXPECT_TRUE(makeOwnFolder(at("x/y")));
    ASSERT_EQ(chmod(at("x/y").c_str(), 0777), 0);
    EXPECT_FALSE(makeOwnFolder(at("x/y")));
    ASSERT_TRUE(writeTextFile(at("file"), ""));
    EXPECT_FALSE(makeOwnFolder(at("file/y")));
}

/// A process that is killed while it writes: the worst moment is any.
TEST_F(Files, AKilledProcessLeavesNothing) {
    const pid_t child = fork();
    if (child == 0) {
        static_cast<void>(writeFile(at("a"), [](std::FILE* file) -> Result<void> {
            std::fputs("half", file);
            std::fflush(file);
            raise(SIGKILL);
            return {};
        }));
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    // where the file system knows no files without names, the next process removes it
    const pid_t next = fork();
    if (next == 0) _exit(writeTextFile(at("b"), "whole") ? 0 : 1);
    waitpid(next, &status, 0);
    EXPECT_EQ(status, 0);
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
        names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"b"});
}

/// In a process of its own, as an interrupt is for good. Its exit code, and the time from the
/// interrupt to its end.
template <class Work>
std::pair<int, double> interruptedAfter(int ms, const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        ::signal(SIGPIPE, SIG_IGN);
        struct sigaction action {};
        action.sa_handler = [](int) { askToStop(); };
        action.sa_flags = SA_RESTART;
        sigaction(SIGTERM, &action, nullptr);
        _exit(work());
    }
    usleep(1000 * ms);
    const Clock::time_point start = Clock::now();
    kill(child, SIGTERM);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0 && millisecondsSince(start) < 5000) usleep(5000);
    kill(child, SIGKILL);
    const double took = millisecondsSince(start);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, took};
}

TEST_F(Files, APipeWithoutAReaderIsGivenUpAfterAnInterrupt) {
    ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
    EXPECT_TRUE(canBeWritten(at("pipe")));
    const auto [code, ms] = interruptedAfter(200, [&] {
        return writeTextFile(at("pipe"), "text").reason().ends_with("nobody reads it") ? 3 : 4;
    });
    EXPECT_EQ(code, 3);
    EXPECT_LT(ms, 1000);
}

TEST_F(Files, AFullPipeIsGivenUpAfterAnInterrupt) {
    ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
    const int reader = open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
    const std::string much(1 << 20, 'x');
    const auto [code, ms] = interruptedAfter(200, [&] {
        return writeTextFile(at("pipe"), much).reason().ends_with("nobody reads it") ? 3 : 4;
    });
    close(reader);
    EXPECT_EQ(code, 3);
    EXPECT_LT(ms, 1000);
}

TEST_F(Files, ASlowReaderGetsAll) {
    ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
    const std::string much(300'000, 'x');
    std::atomic<std::size_t> got{0};
    std::thread reader([&] {
        usleep(200'000);
        const int file = open(at("pipe").c_str(), O_RDONLY);
        char bytes[20'000];
        for (ssize_t n = 1; n > 0; usleep(5000)) {
            n = read(file, bytes, sizeof bytes);
            if (n > 0) got += static_cast<std::size_t>(n);
        }
        close(file);
    });
    EXPECT_TRUE(writeTextFile(at("pipe"), much));
    reader.join();
    EXPECT_EQ(got, much.size());
}

}  // namespace
}  // namespace rayscope
