#pragma once

// Models that tests write and read.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "renderer/scene/model.h"

namespace rayscope {

/// A folder of its own for each test.
class ModelFile : public testing::Test {
protected:
    void SetUp() override {
        const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(testing::TempDir()) /
                  (std::string(test->test_suite_name()) + "_" + test->name());
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_ / "below");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& bytes) {
        const std::string path = (folder_ / name).string();
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    Mesh read(const std::string& name, const std::string& bytes) {
        const auto model = readModel(write(name, bytes));
        EXPECT_TRUE(model) << (model ? "" : model.reason());
        return model ? model->mesh : Mesh{};
    }
    std::string reasonOf(const std::string& name, const std::string& bytes) {
        const auto model = readModel(write(name, bytes));
        return model ? "" : model.reason();
    }

    std::filesystem::path folder_;
};

/// The words appear in the text.
inline void expectWords(const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << "'" << text << "' lacks '" << words << "'";
}

inline double areaOf(const Mesh& mesh) {
    double area = 0;
    for (const Triangle& face : mesh.faces) area += doubleArea(mesh, face) / 2;
    return area;
}

inline std::string remarksOf(const Model& model) {
    std::string all;
    for (const Remark& remark : model.remarks.all()) all += remarkSentence(remark) + "\n";
    return all;
}

/// The words appear in the remarks; empty: there are none.
inline void expectRemark(const Model& model, const std::string& words) {
    const std::string all = remarksOf(model);
    if (words.empty())
        EXPECT_EQ(all, "");
    else
        expectWords(all, words);
}

}  // namespace rayscope
