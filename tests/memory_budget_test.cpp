#include "renderer/base/memory_budget.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>

namespace rayscope {
namespace {

/// What free(1) shows as available, in bytes.
std::size_t availableByProc() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word && word != "MemAvailable:") {
    }
    std::size_t kilobytes = 0;
    file >> kilobytes;
    return kilobytes * 1024;
}

TEST(MemoryBudget, SizesAreReadInPowersOfAThousand) {
    EXPECT_EQ(*bytesFrom("8G"), 8'000'000'000u);
    EXPECT_EQ(*bytesFrom("1.5M"), 1'500'000u);
    EXPECT_EQ(*bytesFrom("20k"), 20'000u);
    EXPECT_EQ(*bytesFrom("123"), 123u);
    for (const char* wrong : {"", "G", "0", "-1G", "8 G", "8GB", "nan", "inf", "1e30G"})
        EXPECT_FALSE(bytesFrom(wrong)) << wrong;
}

TEST(MemoryBudget, SizesAreShownWithThreeDigits) {
    EXPECT_EQ(bytesText(999), "999 bytes");
    EXPECT_EQ(bytesText(331'000), "331 kB");
    EXPECT_EQ(bytesText(999'900), "1 MB");
    EXPECT_EQ(bytesText(11'300'000'000), "11.3 GB");
}

TEST(MemoryBudget, WhatNeedsMoreIsRefusedWithBothNumbers) {
    MemoryBudget budget;
    budget.setLimit(10'000'000);
    EXPECT_TRUE(budget.check(1'000'000, "a picture"));
    const auto refused = budget.check(2'000'000'000, "the picture a.png");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.reason().find("the picture a.png needs 2 GB of memory, but "),
              std::string::npos);
    EXPECT_NE(refused.reason().find("--memory"), std::string::npos);
}

TEST(MemoryBudget, AHalfOfWhatIsFreeUnlessSaidOtherwise) {
    MemoryBudget budget;
    const std::size_t before = availableByProc();
    const std::size_t left = budget.left();
    EXPECT_LT(left, before * 6 / 10);
    EXPECT_GT(left, 0u);
    EXPECT_FALSE(budget.check(std::numeric_limits<std::size_t>::max() / 2, "everything"));
}

TEST(MemoryBudget, WhatTheProcessTakesIsTakenFromIt) {
    MemoryBudget budget;
    budget.setLimit(100'000'000);
    const std::size_t before = budget.left();
    const std::vector<char> taken(40'000'000, 'x');
    EXPECT_LT(budget.left(), before - 35'000'000);
}

/// `ulimit -v` counts addresses, which a sanitizer takes many of.
TEST(MemoryBudget, ALimitOfAddressesCounts) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer maps more";
#endif
    const pid_t child = fork();
    if (child == 0) {
        const rlim_t most = rlim_t{600} << 20;
        const rlimit limit{most, most};
        if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
        _exit(availableMemory() < most ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace rayscope
