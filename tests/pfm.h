#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rayscope::test {

/// The colours of a PFM file.
inline std::vector<float> readPfm(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string kind, scale;
    int width = 0, height = 0;
    file >> kind >> width >> height >> scale;
    file.get();
    std::vector<float> values(size_t{3} * width * height);
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
    return values;
}

/// Equal but for what rounding may do to sums of so many floats.
inline void expectEqualPictures(const std::filesystem::path& a, const std::filesystem::path& b,
                                int samples) {
    const double rounding = samples * 0x1p-23;
    const std::vector<float> x = readPfm(a), y = readPfm(b);
    ASSERT_EQ(x.size(), y.size());
    ASSERT_FALSE(x.empty());
    for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], rounding * (1 + x[i])) << i;
}

}  // namespace rayscope::test
