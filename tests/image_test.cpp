#include "renderer/film/image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <png.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "renderer/film/image_files.h"
#include "renderer/scene/json.h"
#include "renderer/scene/picture_formats.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A folder for each test, gone afterwards.
class ImageFile : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / fmt::format("rayscope-image-{}", getpid());
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string at(const std::string& name) const { return (folder_ / name).string(); }
    size_t filesInFolder() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
    }

private:
    fs::path folder_;
};

Image gradient(int width, int height) {
    Image image{width, height, {}};
    for (int i = 0; i < 3 * width * height; ++i) {
        image.rgb.push_back(static_cast<float>(i) * .37f - 3);
    }
    image.rgb[1] = 1e-30f;
    image.rgb[2] = 12345.678f;
    return image;
}

Picture somePicture(int width, int height) {
    Picture picture{width, height, {}};
    for (int i = 0; i < 3 * width * height; ++i) {
        picture.rgb.push_back(static_cast<std::uint8_t>(i * 7 + i / 256));
    }
    return picture;
}

std::string contentsOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

Picture readPng(const std::string& path) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&png, path.c_str())) return {};
    png.format = PNG_FORMAT_RGB;
    Picture picture{static_cast<int>(png.width), static_cast<int>(png.height), {}};
    picture.rgb.resize(PNG_IMAGE_SIZE(png));
    png_image_finish_read(&png, nullptr, picture.rgb.data(), 0, nullptr);
    return picture;
}

std::string textOf(const Result<std::string>& state) {
    return state ? *state : "";
}

std::string reasonOf(const Result<std::string>& state) {
    return state ? "" : state.reason();
}

// --- Film to image to screen
// ----------------------------------------------------------------------

TEST(ImageOf, MeansAreSumsOverSamples) {
    Pixel pixels[] = {{2, 4, 8, 4}, {1, 1, 1, 0}, {3, 6, 9, 3}, {0, 0, 1, 1}};
    Film film;
    film.width = film.height = 2;
    film.pixels = pixels;
    const Image image = meanOf(film);
    const Image expected{2, 2, {.5, 1, 2, 0, 0, 0, 1, 2, 3, 0, 0, 1}};
    EXPECT_EQ(image, expected);
    EXPECT_EQ(meanRadiance(image), (glm::dvec3{.375, .75, 1.5}));
}

TEST(ImageOf, TheMeanIsAddedUpInDouble) {
    // 1e8 + 1 is 1e8 in single precision
    const Image image{2, 1, {1e8f, 0, 0, 1, 0, 0}};
    EXPECT_EQ(meanRadiance(image).x, 50000000.5);
}

TEST(ImageOf, TheHashIsFnv1aOfSizeAndFloats) {
    // computed by hand in another language: FNV-1a of <int32 1, int32 1, float 1, 2, .5>
    EXPECT_EQ(imageHash({1, 1, {1, 2, .5}}), "def41a89bf4ae2c5");
    EXPECT_NE(imageHash({1, 1, {1, 2, .5}}), imageHash({1, 1, {1, 2, std::nextafter(.5f, 1.f)}}));
    EXPECT_NE(imageHash({2, 1, {1, 2, 3, 4, 5, 6}}), imageHash({1, 2, {1, 2, 3, 4, 5, 6}}));
}

/// A film is written and described without an image of its own.
TEST(ImageOf, AFilmHasTheFactsAndTheRowsOfItsImage) {
    constexpr int kWidth = 67, kHeight = 41;
    std::vector<Pixel> pixels(kWidth * kHeight);
    for (size_t i = 0; i < pixels.size(); ++i) {
        const float x = static_cast<float>(i % 97) / 31;
        pixels[i] = {x, 2 * x * x, 1 / (x + .1f), static_cast<float>(i % 4)};
    }
    const Film film{kWidth, kHeight, pixels.data()};
    const Image image = meanOf(film);
    EXPECT_EQ(factsOf(film).mean, meanRadiance(image));
    EXPECT_EQ(factsOf(film).hash, imageHash(image));
    const DisplayTransform display{.9, .02, 2.2};
    const View view{.5, ToneMapper::filmic};
    Picture picture{kWidth, kHeight, std::vector<std::uint8_t>(3 * pixels.size())};
    const PictureRows rows = toneMapped(film, display, view);
    for (int y = 0; y < kHeight; ++y)
        rows.write(y, &picture.rgb[3 * kWidth * static_cast<size_t>(y)]);
    EXPECT_EQ(picture, toneMap(image, display, view));
}

struct Tone {
    ToneMapper mapper;
    double stops;
    DisplayTransform display;
    Vec3<float> radiance;
    int r, g, b;
};

TEST(ToneMap, ValuesByHand) {
    const DisplayTransform plain{1, 0, 1};
    const DisplayTransform gamma{1, 0, 2.2};
    const DisplayTransform card{224. / 255, 13. / 255, 1};
    const std::vector<Tone> table{
        {ToneMapper::none, 0, plain, {0, .5, 1}, 0, 128, 255},       // 127.5 rounds up
        {ToneMapper::none, 0, plain, {-1, 2, .1}, 0, 255, 26},       // clipped
        {ToneMapper::none, 0, gamma, {.5, .25, .01}, 186, 136, 31},  // 186.08, 135.79, 31.43
        {ToneMapper::none, 1, gamma, {.25, .125, .5}, 186, 136, 255},
        {ToneMapper::none, -2, plain, {1, 2, 4}, 64, 128, 255},
        {ToneMapper::none, 0, card, {0, .5, 1}, 13, 125, 237},
        {ToneMapper::none, 1, card, {0, .5, 1}, 13, 237, 255},  // the offset is not exposed
        {ToneMapper::reinhard, 0, plain, {1, 1, 1}, 128, 128, 128},
        {ToneMapper::reinhard, 0, plain, {1, 0, 0}, 210, 0, 0},            // 1 / 1.2126
        {ToneMapper::reinhard, 0, plain, {0, 1, 0}, 0, 149, 0},            // 1 / 1.7152
        {ToneMapper::reinhard, 0, plain, {0, 0, .5}, 0, 0, 123},           // .5 / 1.0361
        {ToneMapper::reinhard, 1, plain, {1.5, 1.5, 1.5}, 191, 191, 191},  // 3/4
        {ToneMapper::filmic, 0, plain, {0, 1, .18}, 0, 205, 68},           // 0, .80380, .26689
        {ToneMapper::filmic, 0, gamma, {1, 1, 1}, 231, 231, 231},
    };
    for (size_t i = 0; i < table.size(); ++i) {
        const Tone& t = table[i];
        const Image image{1, 1, {t.radiance.x, t.radiance.y, t.radiance.z}};
        const Picture picture = toneMap(image, t.display, {t.stops, t.mapper});
        const Picture expected{1,
                               1,
                               {static_cast<std::uint8_t>(t.r), static_cast<std::uint8_t>(t.g),
                                static_cast<std::uint8_t>(t.b)}};
        EXPECT_EQ(picture, expected) << "row " << i << ": " << int(picture.rgb[0]) << " "
                                     << int(picture.rgb[1]) << " " << int(picture.rgb[2]);
    }
}

TEST(ToneMap, WhatIsNotANumberIsBlackAndInfinityWhite) {
    const Picture picture = toneMap({1, 1, {NAN, kInfinity, -kInfinity}}, {}, {});
    EXPECT_EQ(picture.rgb, (std::vector<std::uint8_t>{0, 255, 0}));
}

// --- Files
// ----------------------------------------------------------------------------------------

TEST_F(ImageFile, PngHoldsThePictureAndTheState) {
    const Picture picture = somePicture(37, 23);
    const std::string json = R"({"text": "ünïcode"})";
    ASSERT_EQ(writePng(at("a.png"), picture, json).reason(), "");
    EXPECT_EQ(readPng(at("a.png")), picture);
    EXPECT_EQ(textOf(readPngState(at("a.png"))), json);
    EXPECT_EQ(filesInFolder(), 1u) << "a temporary file was left";
    EXPECT_NE(contentsOf(at("a.png")).find("iTXtrayscope:state"), std::string::npos);
}

TEST_F(ImageFile, ARealStateSurvivesAPng) {
    const auto scene = *findScene("weekend");
    State state{
        scene, scene.camera, defaultSettings(Backend::cuda, scene), {1.5, ToneMapper::filmic}};
    state.camera.from = {1. / 3, 2, 3};
    const Image image = gradient(16, 16);
    ASSERT_EQ(
        writeImage(at("a.png"), image, scene.display, state.view, toJson(state).dump()).reason(),
        "");
    const auto again = readState(at("a.png"));
    ASSERT_TRUE(again) << again.reason();
    EXPECT_TRUE(*again == state);
    EXPECT_EQ(readPng(at("a.png")), toneMap(image, scene.display, state.view));
    write(at("a.json"), toJson(state).dump(2));
    EXPECT_TRUE(*readState(at("a.json")) == state);
}

TEST_F(ImageFile, AFilmIsWrittenAsItsImage) {
    std::vector<Pixel> pixels(300 * 200);
    for (size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = {static_cast<float>(i % 300), 100, static_cast<float>(i / 300), 250};
    const Film film{300, 200, pixels.data()};
    for (const char* name : {"a.png", "a.exr", "a.pfm"}) {
        const std::string filmFile = at(std::string("film-") + name);
        ASSERT_EQ(writeImage(filmFile, film, {}, {}, [] { return "{}"; }).reason(), "");
        ASSERT_EQ(writeImage(at(name), meanOf(film), {}, {}, "{}").reason(), "");
        EXPECT_TRUE(contentsOf(filmFile) == contentsOf(at(name))) << name;
    }
}

/// Compressed in another way, in bands of two megabytes by all cores; half of it is noise.
TEST_F(ImageFile, LargePicturesReadBack) {
    constexpr int kWidth = 5000, kHeight = 4600;
    Picture picture{kWidth, kHeight, std::vector<std::uint8_t>(size_t{3} * kWidth * kHeight)};
    unsigned state = 1;
    for (size_t i = 0; i < picture.rgb.size() / 2; ++i)
        picture.rgb[i] = static_cast<std::uint8_t>((state = state * 747796405u + 1) >> 24);
    ASSERT_EQ(writePng(at("a.png"), picture).reason(), "");
    EXPECT_TRUE(readPng(at("a.png")) == picture);
    EXPECT_LT(fs::file_size(at("a.png")), picture.rgb.size() * 51 / 100);
}

TEST_F(ImageFile, AWrongStateIsNamedWithItsFile) {
    ASSERT_EQ(writePng(at("a.png"), somePicture(2, 2), R"({"format": 9})").reason(), "");
    EXPECT_EQ(readState(at("a.png")).reason(),
              at("a.png") + ": format is 9, expected a whole number from 1 to 1");
    ASSERT_EQ(writePng(at("b.png"), somePicture(2, 2), "{").reason(), "");
    EXPECT_NE(readState(at("b.png")).reason().find("line 1"), std::string::npos);
}

TEST_F(ImageFile, AReportOpensInItsState) {
    const auto scene = *findScene("vt9");
    State state{scene, scene.camera, defaultSettings(Backend::cpu, scene), {}};
    state.settings.depth = 3;
    write(at("a.json"),
          nlohmann::json{{"kind", "comparison"}, {"version", "0.1.0"}, {"state", toJson(state)}}
              .dump());
    const auto read = readStateOrScene(at("a.json"));
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(std::get<State>(*read).settings.depth, 3);
}

TEST_F(ImageFile, AReportWithoutAStateIsNoScene) {
    write(at("a.json"), R"({"kind": "comparison", "version": "0.1.0", "complete": true})");
    EXPECT_EQ(readStateOrScene(at("a.json")).reason(),
              at("a.json") +
                  " is a report, which has no scene: `rayscope compare` shows two of "
                  "them side by side");
}

TEST_F(ImageFile, FilesWithoutAStateSaySo) {
    ASSERT_EQ(writePng(at("a.png"), somePicture(2, 2)).reason(), "");
    EXPECT_NE(reasonOf(readPngState(at("a.png"))).find("carries no state"), std::string::npos);
    write(at("b.png"), "GIF89a....");
    EXPECT_EQ(reasonOf(readPngState(at("b.png"))), at("b.png") + " is not a PNG file");
    write(at("c.png"), "");
    EXPECT_EQ(reasonOf(readPngState(at("c.png"))), at("c.png") + " is not a PNG file");
    EXPECT_NE(reasonOf(readPngState(at("d.png"))).find("No such file"), std::string::npos);
    fs::resize_file(at("b.png"), (std::uintmax_t{256} << 20) + 1);  // sparse
    EXPECT_NE(reasonOf(readPngState(at("b.png"))).find("at most 268435456"), std::string::npos);
}

TEST_F(ImageFile, TruncatedPngsGiveTheStateOrASentence) {
    const std::string json = R"({"a": [1, 2, 3, 4, 5, 6, 7, 8]})";
    ASSERT_EQ(writePng(at("a.png"), somePicture(8, 8), json).reason(), "");
    const std::string bytes = contentsOf(at("a.png"));
    const size_t end = bytes.find("IDAT") - 4;  // of the chunk with the text
    for (size_t size = 0; size < bytes.size(); ++size) {
        write(at("b.png"), bytes.substr(0, size));
        const auto state = readPngState(at("b.png"));
        if (size >= end)
            EXPECT_EQ(textOf(state), json) << size;
        else
            EXPECT_NE(reasonOf(state), "") << size;
    }
}

TEST_F(ImageFile, FlippedBitsNeverGiveAnotherState) {
    const std::string json = R"({"a": [1, 2, 3, 4, 5, 6, 7, 8]})";
    ASSERT_EQ(writePng(at("a.png"), somePicture(8, 8), json).reason(), "");
    const std::string bytes = contentsOf(at("a.png"));
    const size_t chunk = bytes.find("iTXt");
    for (size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        write(at("b.png"), damaged);
        const auto state = readPngState(at("b.png"));
        if (state) {
            EXPECT_EQ(textOf(state), json) << i;
        }
        if (i > chunk + 4 && i < bytes.find("IDAT") - 8) {
            EXPECT_NE(reasonOf(state).find("CRC"), std::string::npos) << i << reasonOf(state);
        }
    }
}

/// The chunk with the text moved behind the picture, where other programs write it.
std::string withTextLast(const std::string& png) {
    const size_t type = png.find("iTXt");
    const auto byte = [&](size_t i) {
        return static_cast<size_t>(static_cast<unsigned char>(png[i]));
    };
    const size_t length = byte(type - 2) << 8 | byte(type - 1);
    const size_t size = 12 + length;
    std::string moved = png;
    moved.erase(type - 4, size);
    moved.insert(moved.size() - 12, png.substr(type - 4, size));
    return moved;
}

TEST_F(ImageFile, AStateBehindThePictureIsFound) {
    ASSERT_EQ(writePng(at("a.png"), somePicture(50, 50), "{\"a\": 1}").reason(), "");
    const std::string moved = withTextLast(contentsOf(at("a.png")));
    ASSERT_GT(moved.find("iTXt"), moved.find("IDAT"));
    write(at("b.png"), moved);
    EXPECT_EQ(textOf(readPngState(at("b.png"))), "{\"a\": 1}");
    write(at("b.png"), moved.substr(0, moved.find("IDAT") + 20));
    EXPECT_NE(reasonOf(readPngState(at("b.png"))).find("damaged"), std::string::npos);
}

TEST_F(ImageFile, ATextThatUnpacksTooFarIsRefused) {
    const std::string bomb((size_t{64} << 20) + 1, ' ');  // 64 KiB when packed
    ASSERT_EQ(writePng(at("a.png"), somePicture(2, 2), bomb).reason(), "");
    EXPECT_LT(fs::file_size(at("a.png")), 1u << 20);
    const std::string reason = reasonOf(readPngState(at("a.png")));
    EXPECT_NE(reason.find("no readable state"), std::string::npos) << reason;
}

/// Each unpacks to less than the limit, and all together to 2 GB.
TEST_F(ImageFile, OfManyTextsOneIsUnpacked) {
    const std::string text(size_t{60} << 20, ' ');
    ASSERT_EQ(writePng(at("a.png"), somePicture(2, 2), text).reason(), "");
    const std::string bytes = contentsOf(at("a.png"));
    const size_t begin = bytes.find("iTXt") - 4, end = bytes.find("IDAT") - 4;
    std::string many = bytes;
    for (int i = 0; i < 34; ++i) many.insert(begin, bytes, begin, end - begin);
    const auto peak = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;  // KiB
    };
    const long before = peak();
    EXPECT_TRUE(textOf(pngState(many, "many.png")) == text);
    EXPECT_LT(peak() - before, 1 << 20);
}

/// A picture that would take minutes and 32 GB: it is not looked at.
TEST_F(ImageFile, ThePictureIsNotUnpacked) {
    ASSERT_EQ(writePng(at("a.png"), somePicture(2, 2), "{}").reason(), "");
    std::string bytes = withTextLast(contentsOf(at("a.png")));
    const size_t header = bytes.find("IHDR");
    bytes.replace(header + 4, 9, std::string("\0\0\xff\xff\0\0\xff\xff\x10", 9));
    const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + header), 17);
    for (size_t i = 0; i < 4; ++i) bytes[header + 17 + i] = static_cast<char>(sum >> (24 - 8 * i));
    EXPECT_EQ(textOf(pngState(bytes, "large.png")), "{}");
}

/// The state of a scene of kMaxSpheres spheres is as long; libpng's own limit is 8 MB.
TEST_F(ImageFile, LargeStatesAreRead) {
    std::string text = "\"";
    for (unsigned i = 0; i < 20'000'000; ++i) text += static_cast<char>('a' + i % 23);
    text += "\"";
    ASSERT_EQ(writePng(at("a.png"), somePicture(2, 2), text).reason(), "");
    EXPECT_TRUE(textOf(readPngState(at("a.png"))) == text);
}

TEST_F(ImageFile, PfmReadsBack) {
    const Image image = gradient(7, 5);
    ASSERT_EQ(writePfm(at("a.pfm"), image).reason(), "");
    const std::string bytes = contentsOf(at("a.pfm"));
    const std::string head = "PF\n7 5\n-1.0\n";
    ASSERT_EQ(bytes.substr(0, head.size()), head);
    ASSERT_EQ(bytes.size(), head.size() + 7 * 5 * 12);
    Image read{7, 5, std::vector<float>(image.rgb.size())};
    for (size_t y = 0; y < 5; ++y) {  // rows from the bottom
        std::memcpy(&read.rgb[(4 - y) * 21], bytes.data() + head.size() + y * 84, 84);
    }
    EXPECT_EQ(read, image);
}

TEST_F(ImageFile, ExrReadsBack) {
    for (const auto& [width, height] : {std::pair{7, 5}, {1, 1}, {1, 40}, {333, 17}}) {
        const Image image = gradient(width, height);
        ASSERT_EQ(writeExr(at("a.exr"), image).reason(), "");
        const auto read = exrPicture(contentsOf(at("a.exr")));
        ASSERT_TRUE(read) << read.reason();
        ASSERT_EQ(read->width, width);
        ASSERT_EQ(read->height, height);
        ASSERT_EQ(read->rgb, image.rgb);
    }
}

TEST_F(ImageFile, TheEndingChoosesTheFormat) {
    const Image image = gradient(4, 4);
    EXPECT_EQ(writeImage(at("a.PNG"), image, {}, {}).reason(), "");
    EXPECT_EQ(writeImage(at("a.exr"), image, {}, {}).reason(), "");
    EXPECT_EQ(writeImage(at("a.pfm"), image, {}, {}).reason(), "");
    EXPECT_EQ(contentsOf(at("a.PNG")).substr(1, 3), "PNG");
    EXPECT_EQ(contentsOf(at("a.exr")).substr(0, 4), "\x76\x2f\x31\x01");
    EXPECT_EQ(contentsOf(at("a.pfm")).substr(0, 2), "PF");
    for (const char* name : {"a.jpg", "png", ".png"}) {
        const std::string reason = writeImage(at(name), image, {}, {}).reason();
        EXPECT_NE(reason.find("must end in .png, .exr or .pfm"), std::string::npos) << name;
        EXPECT_EQ(checkImageName(at(name)).reason(), reason);
    }
    EXPECT_EQ(checkImageName(at("a.png")).reason(), "");
}

// --- Failures
// -------------------------------------------------------------------------------------

/// All three writers.
std::vector<std::string> reasonsFor(const std::string& path) {
    return {writePng(path, somePicture(64, 64), "{}").reason(),
            writeExr(path, gradient(64, 64)).reason(), writePfm(path, gradient(64, 64)).reason()};
}

TEST_F(ImageFile, PathsThatCannotBeWrittenAreNamedWithTheReason) {
    write(at("file"), "text");
    const std::pair<std::string, std::string> table[] = {
        {at("nowhere/a.png"), "there is no folder " + at("nowhere")},
        {at("file/a.png"), "Not a directory"},
        {at(""), "it is a folder"},
        {"/dev/full", "No space left on device"},
        {at(std::string(300, 'a')), "File name too long"},
    };
    for (const auto& [path, expected] : table) {
        for (const std::string& reason : reasonsFor(path)) {
            EXPECT_EQ(reason, fmt::format("cannot write {}: {}", path, expected));
        }
    }
    EXPECT_EQ(contentsOf(at("file")), "text");
    EXPECT_EQ(filesInFolder(), 1u);
    struct stat info {};
    ASSERT_EQ(stat("/dev/full", &info), 0);
    EXPECT_TRUE(S_ISCHR(info.st_mode)) << "the device was replaced by a file";
}

TEST_F(ImageFile, ADiskThatFillsUpLeavesTheOldFile) {
    write(at("a.png"), "precious");
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small{200, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const std::vector<std::string> reasons = reasonsFor(at("a.png"));
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, before);
    for (const std::string& reason : reasons) {
        EXPECT_EQ(reason, fmt::format("cannot write {}: File too large", at("a.png")));
    }
    EXPECT_EQ(contentsOf(at("a.png")), "precious");
    EXPECT_EQ(filesInFolder(), 1u) << "a temporary file was left";
}

TEST_F(ImageFile, LinksStayLinks) {
    write(at("target.pfm"), "old");
    fs::create_symlink(at("target.pfm"), at("link.pfm"));
    ASSERT_EQ(writePfm(at("link.pfm"), gradient(2, 2)).reason(), "");
    EXPECT_TRUE(fs::is_symlink(at("link.pfm")));
    EXPECT_EQ(contentsOf(at("target.pfm")).substr(0, 2), "PF");
}

TEST_F(ImageFile, LinksToNothingAreFollowed) {
    fs::create_symlink("later.pfm", at("link.pfm"));
    ASSERT_EQ(writePfm(at("link.pfm"), gradient(2, 2)).reason(), "");
    EXPECT_TRUE(fs::is_symlink(at("link.pfm")));
    EXPECT_EQ(contentsOf(at("later.pfm")).substr(0, 2), "PF");
}

TEST_F(ImageFile, WhatIsKeptIsNotReplaced) {
    EXPECT_EQ(writeTextFile(at("a.txt"), "first", Existing::kept).reason(), "");
    EXPECT_EQ(writeTextFile(at("a.txt"), "second", Existing::kept).reason(),
              fmt::format("cannot write {}: File exists", at("a.txt")));
    EXPECT_EQ(contentsOf(at("a.txt")), "first");
    EXPECT_EQ(filesInFolder(), 1u) << "a temporary file was left";
}

TEST_F(ImageFile, NamesMayBeAsLongAsTheSystemsAndTemporaryOnesTaken) {
    const std::string path = at(std::string(251, 'a') + ".pfm");
    EXPECT_EQ(writePfm(path, gradient(2, 2)).reason(), "");
    // what a killed program of the same number has left
    for (int i = 0; i < 1000; ++i) write(at(fmt::format(".rayscope-{}-{}.tmp", getpid(), i)), "");
    EXPECT_EQ(writePfm(at("b.pfm"), gradient(2, 2)).reason(), "");
    EXPECT_EQ(filesInFolder(), 1002u);
}

TEST_F(ImageFile, StandardOutputIsNotBegunAnew) {
    write(at("log"), "precious\n");
    const int log = open(at("log").c_str(), O_WRONLY | O_APPEND), before = dup(STDOUT_FILENO);
    dup2(log, STDOUT_FILENO);
    const std::string problem = writeTextFile("/dev/stdout", "more\n").reason();
    dup2(before, STDOUT_FILENO);
    close(before);
    close(log);
    EXPECT_EQ(problem, "");
    EXPECT_EQ(contentsOf(at("log")), "precious\nmore\n");
}

TEST_F(ImageFile, NewFilesObeyTheUmask) {
    const mode_t before = umask(027);
    EXPECT_EQ(writePfm(at("a.pfm"), gradient(2, 2)).reason(), "");
    umask(before);
    struct stat info {};
    ASSERT_EQ(stat(at("a.pfm").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0640u);
}

}  // namespace
}  // namespace rayscope
