// Pictures as other programs write them: OpenEXR, Radiance's HDR and JPEG, made here byte by byte
// after the formats' specifications.

#include <gtest/gtest.h>

#include <cstdio>
// after what it needs
#include <jpeglib.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "renderer/scene/picture.h"
#include "renderer/scene/picture_exr.h"
#include "tests/model_files.h"

namespace rayscope {
namespace {

/// An uncompressed OpenEXR file of scan lines ("OpenEXR File Layout", 2013).
struct ExrFile {
    struct Channel {
        std::string name;
        int type = 2;  ///< 0: whole numbers, 1: half, 2: float
        int sampling = 1;
    };
    std::vector<Channel> channels{{"B"}, {"G"}, {"R"}};
    std::array<int, 4> data{0, 0, 1, 1}, shown{0, 0, 1, 1};
    bool upwards = false;
    std::string more{};  ///< further attributes
    /// Of a channel at a place.
    std::function<float(const std::string& name, int x, int y)> value;

    static std::string word(std::int32_t v) { return {reinterpret_cast<const char*>(&v), 4}; }
    static std::string real(float v) { return {reinterpret_cast<const char*>(&v), 4}; }
    static std::string attribute(const std::string& name, const std::string& type,
                                 const std::string& value) {
        return name + '\0' + type + '\0' + word(static_cast<std::int32_t>(value.size())) + value;
    }
    static std::string box(const std::array<int, 4>& b) {
        return word(b[0]) + word(b[1]) + word(b[2]) + word(b[3]);
    }

    std::string header() const {
        std::string list;
        for (const Channel& c : channels)
            list += c.name + '\0' + word(c.type) + word(0) + word(c.sampling) + word(c.sampling);
        return word(20000630) + word(2) + attribute("channels", "chlist", list + '\0') +
               attribute("compression", "compression", std::string(1, '\0')) +
               attribute("dataWindow", "box2i", box(data)) +
               attribute("displayWindow", "box2i", box(shown)) +
               attribute("lineOrder", "lineOrder", std::string(1, upwards ? '\1' : '\0')) +
               attribute("pixelAspectRatio", "float", real(1)) +
               attribute("screenWindowCenter", "v2f", real(0) + real(0)) +
               attribute("screenWindowWidth", "float", real(1)) + more + '\0';
    }

    std::string line(int y) const {
        std::string pixels;
        for (const Channel& c : channels) {
            for (int x = data[0]; x <= data[2] && y % c.sampling == 0; ++x) {
                if (x % c.sampling != 0) continue;
                const float v = value(c.name, x, y);
                pixels += c.type == 0 ? word(static_cast<std::int32_t>(v)) : real(v);
            }
        }
        return word(y) + word(static_cast<std::int32_t>(pixels.size())) + pixels;
    }

    std::string bytes() const {
        std::string offsets, lines;
        const std::string head = header();
        const int rows = data[3] - data[1] + 1;
        std::vector<std::size_t> at(static_cast<std::size_t>(rows));
        for (int i = 0; i < rows; ++i) {
            const int row = upwards ? rows - 1 - i : i;
            at[static_cast<std::size_t>(row)] = head.size() + 8 * at.size() + lines.size();
            lines += line(data[1] + row);
        }
        for (const std::size_t offset : at)
            offsets += word(static_cast<std::int32_t>(offset)) + word(0);
        return head + offsets + lines;
    }
};

/// Different at each place, and a number that a float has.
float placed(const std::string& name, int x, int y) {
    return static_cast<float>(name.back()) + 1000.f * static_cast<float>(x) +
           100.f * static_cast<float>(y);
}

std::vector<float> pixelAt(const RadiancePicture& p, int x, int y) {
    const auto first = p.rgb.begin() + 3L * (y * p.width + x);
    return {first, first + 3};
}

TEST(ExrFile, RowsGoFromTheTopWhateverTheirOrderInTheFile) {
    for (const bool upwards : {false, true}) {
        const auto picture = skyPictureFrom(ExrFile{.upwards = upwards, .value = placed}.bytes());
        ASSERT_TRUE(picture) << picture.reason();
        EXPECT_EQ(pixelAt(*picture, 0, 0), (std::vector<float>{82, 71, 66}));
        EXPECT_EQ(pixelAt(*picture, 1, 1), (std::vector<float>{1182, 1171, 1166}));
    }
}

/// The data window says which pixels the file has, the display window which the picture has.
TEST(ExrFile, WindowsPlaceThePixels) {
    const auto part = skyPictureFrom(
        ExrFile{.data = {1, 2, 2, 2}, .shown = {0, 0, 3, 3}, .value = placed}.bytes());
    ASSERT_TRUE(part) << part.reason();
    ASSERT_EQ(part->width, 4);
    ASSERT_EQ(part->height, 4);
    EXPECT_EQ(pixelAt(*part, 1, 2), (std::vector<float>{1282, 1271, 1266}));
    EXPECT_EQ(pixelAt(*part, 0, 2), (std::vector<float>{0, 0, 0}));
    EXPECT_EQ(pixelAt(*part, 1, 1), (std::vector<float>{0, 0, 0}));
    const auto more = skyPictureFrom(
        ExrFile{.data = {-5, -3, 4, 4}, .shown = {-1, 1, 0, 2}, .value = placed}.bytes());
    ASSERT_TRUE(more) << more.reason();
    ASSERT_EQ(more->rgb.size(), 12u);
    EXPECT_EQ(pixelAt(*more, 1, 1), (std::vector<float>{282, 271, 266}));
    EXPECT_FALSE(skyPictureFrom(
        ExrFile{.data = {0, 0, 1, 1}, .shown = {0, 0, 20000, 1}, .value = placed}.bytes()));
    const std::string wide = ExrFile{.data = {0, 0, 20000, 0}, .value = placed}.bytes();
    expectWords(skyPictureFrom(wide).reason(), "at most 16384 along a side");
}

TEST(ExrFile, ColoursAreFoundAmongOtherChannelsAndInLayers) {
    const auto layers = skyPictureFrom(ExrFile{
        .channels = {{"Z"}, {"a.B"}, {"a.G"}, {"a.R"}, {"b.B"}, {"b.G"}, {"b.R"}},
        .value = [](const std::string& name, int x, int y) {
            return name[0] == 'a' ? placed(name, x, y) : 7;
        }}.bytes());
    ASSERT_TRUE(layers) << layers.reason();
    EXPECT_EQ(pixelAt(*layers, 1, 0), (std::vector<float>{1082, 1071, 1066}));
    const auto grey = skyPictureFrom(ExrFile{.channels = {{"A"}, {"Y"}}, .value = placed}.bytes());
    ASSERT_TRUE(grey) << grey.reason();
    EXPECT_EQ(pixelAt(*grey, 0, 1), (std::vector<float>{189, 189, 189}));
    expectWords(skyPictureFrom(ExrFile{.channels = {{"Z"}}, .value = placed}.bytes()).reason(),
                "without channels R, G and B, or Y");
    expectWords(
        skyPictureFrom(ExrFile{.channels = {{"B", 0}, {"G", 0}, {"R", 0}}, .value = placed}.bytes())
            .reason(),
        "whole numbers");
}

/// Brightness Y, and (R - Y) / Y and (B - Y) / Y of every fourth pixel. Of one colour they make it
/// everywhere: Y = .2126 R + .7152 G + .0722 B (Rec. 709).
TEST(ExrFile, LuminanceAndChromaMakeColours) {
    const double r = 1, g = .5, b = .25, y = .2126 * r + .7152 * g + .0722 * b;
    const auto picture = skyPictureFrom(ExrFile{
        .channels = {{"BY", 2, 2}, {"RY", 2, 2}, {"Y"}},
        .data = {0, 0, 7, 7},
        .shown = {0, 0, 7, 7},
        .value = [&](const std::string& name, int, int) {
            return static_cast<float>(name == "Y" ? y : name == "RY" ? (r - y) / y : (b - y) / y);
        }}.bytes());
    ASSERT_TRUE(picture) << picture.reason();
    for (const int i : {0, 3, 7}) {
        const std::vector<float> pixel = pixelAt(*picture, i, i);
        EXPECT_NEAR(pixel[0], r, .01);
        EXPECT_NEAR(pixel[1], g, .01);
        EXPECT_NEAR(pixel[2], b, .01);
    }
}

/// CIE XYZ as primaries (red is X, ...): the file's numbers are X, Y and Z over their white's, a
/// third each. That of ours is at x .3127, y .329.
TEST(ExrFile, OtherPrimariesBecomeOurs) {
    std::string xyz;
    for (const float v : {1.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1 / 3.f, 1 / 3.f}) xyz += ExrFile::real(v);
    const auto picture = skyPictureFrom(ExrFile{
        .more = ExrFile::attribute("chromaticities", "chromaticities", xyz),
        .value = [](const std::string& name, int, int) {
            return name == "R" ? .3127f / .329f : name == "G" ? 1 : .3583f / .329f;
        }}.bytes());
    ASSERT_TRUE(picture) << picture.reason();
    for (const float v : pixelAt(*picture, 0, 0)) EXPECT_NEAR(v, 1, .002);
}

TEST(ExrFile, PackedFilesKeepFloats) {
    const std::vector<float> rgb{1, 2, 3, .1f, 1e-9f, 65536, 4, 5, 6, 7, 8, 9};
    const Result<std::string> bytes = exrBytes(2, 2, rgb);
    ASSERT_TRUE(bytes) << bytes.reason();
    const auto picture = skyPictureFrom(*bytes);
    ASSERT_TRUE(picture) << picture.reason();
    EXPECT_EQ(picture->rgb, rgb);
}

// --- Radiance -----------------------------------------------------------------------------------

std::string hdrFile(const std::string& lines, const std::string& size, const std::string& pixels) {
    return "#?RADIANCE\n" + lines + "\n" + size + "\n" + pixels;
}

/// A pixel of one brightness: (m + 1/2) / 256 times 2 to the power of e - 128.
std::string grey(int m, int e = 128) {
    return std::string(3, static_cast<char>(m)) + static_cast<char>(e);
}
float greyOf(int m, int e = 128) {
    return static_cast<float>((m + .5) / 256 * std::pow(2., e - 128));
}

/// The first column of numbers of a picture, one a pixel.
std::vector<float> reds(const Result<RadiancePicture>& picture) {
    std::vector<float> found;
    if (!picture) ADD_FAILURE() << picture.reason();
    for (std::size_t i = 0; picture && i < picture->rgb.size(); i += 3)
        found.push_back(picture->rgb[i]);
    return found;
}

TEST(HdrFile, AllOrdersOfPixelsAreRead) {
    // as the file has them: 0, 1, 2, then 3, 4, 5
    std::string pixels;
    for (int i = 0; i < 6; ++i) pixels += grey(128 + i);
    const std::pair<const char*, std::vector<int>> orders[] = {
        {"-Y 2 +X 3", {0, 1, 2, 3, 4, 5}}, {"+Y 2 +X 3", {3, 4, 5, 0, 1, 2}},
        {"-Y 2 -X 3", {2, 1, 0, 5, 4, 3}}, {"+Y 2 -X 3", {5, 4, 3, 2, 1, 0}},
        {"+X 2 -Y 3", {0, 3, 1, 4, 2, 5}}, {"+X 2 +Y 3", {2, 5, 1, 4, 0, 3}},
        {"-X 2 -Y 3", {3, 0, 4, 1, 5, 2}}, {"-X 2 +Y 3", {5, 2, 4, 1, 3, 0}}};
    for (const auto& [size, order] : orders) {
        std::vector<float> expected;
        for (const int i : order) expected.push_back(greyOf(128 + i));
        EXPECT_EQ(reds(skyPictureFrom(hdrFile("", size, pixels))), expected) << size;
    }
}

/// 1, 1, 1 and n repeat a pixel n times; the next such 256 n times.
TEST(HdrFile, OldRunsRepeatAPixel) {
    const std::string run = std::string("\1\1\1\2\1\1\1\1", 8);
    const auto found =
        reds(skyPictureFrom(hdrFile("", "-Y 1 +X 261", grey(200) + grey(130) + run + grey(140))));
    ASSERT_EQ(found.size(), 261u);
    EXPECT_EQ(found[0], greyOf(200));
    for (std::size_t i = 1; i < 260; ++i) EXPECT_EQ(found[i], greyOf(130)) << i;
    EXPECT_EQ(found[260], greyOf(140));
}

/// Radiance is what the pixels say over all of these.
TEST(HdrFile, ExposureAndColoursAreTakenBack) {
    const auto picture = skyPictureFrom(
        hdrFile("EXPOSURE=4\nEXPOSURE= 2.5\nCOLORCORR= 1 .5 +2\nFORMAT=32-bit_rle_rgbe\n",
                "-Y 1 +X 1", grey(127, 129)));
    ASSERT_TRUE(picture) << picture.reason();
    const float whole = greyOf(127, 129) / 10;
    EXPECT_FLOAT_EQ(picture->rgb[0], whole);
    EXPECT_FLOAT_EQ(picture->rgb[1], 2 * whole);
    EXPECT_FLOAT_EQ(picture->rgb[2], whole / 2);
}

TEST(HdrFile, LinesEndInAnyWay) {
    for (const std::string end : {"\r\n", "\r", "\n"}) {
        const std::string file = "#?RGBE" + end + "FORMAT = 32-bit_rle_rgbe " + end + end +
                                 "-Y 1  +X 2 " + end + grey(13) + grey(10);
        EXPECT_EQ(reds(skyPictureFrom(file)), (std::vector<float>{greyOf(13), greyOf(10)}));
    }
    expectWords(skyPictureFrom(hdrFile("FORMAT=32-bit_rle_xyze\n", "-Y 1 +X 1", "")).reason(),
                "X, Y and Z");
}

// --- JPEG ---------------------------------------------------------------------------------------

/// One colour of four inks. `adobe`: with the marker of Adobe's programs, whose bytes say how much
/// ink is missing.
std::string inkFile(std::array<unsigned char, 4> ink, bool adobe) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* memory = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &memory, &size);
    jpeg.image_width = jpeg.image_height = 8;
    jpeg.input_components = 4;
    jpeg.in_color_space = JCS_CMYK;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    jpeg.write_Adobe_marker = adobe ? TRUE : FALSE;
    jpeg_start_compress(&jpeg, TRUE);
    std::vector<unsigned char> row;
    for (int i = 0; i < 8; ++i) row.insert(row.end(), ink.begin(), ink.end());
    for (int y = 0; y < 8; ++y) {
        unsigned char* first = row.data();
        jpeg_write_scanlines(&jpeg, &first, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    std::string bytes(reinterpret_cast<char*>(memory), size);
    std::free(memory);
    return bytes;
}

TEST(JpegFile, InksTakeTheirSharesOfLight) {
    // cyan none, magenta and yellow 3/5 and 4/5, black 1/5
    for (const bool adobe : {false, true}) {
        const auto ink = [&](int v) { return static_cast<unsigned char>(adobe ? 255 - v : v); };
        const auto picture = pictureFrom(inkFile({ink(0), ink(153), ink(204), ink(51)}, adobe));
        ASSERT_TRUE(picture) << picture.reason();
        ASSERT_EQ(picture->texels.size(), 64u);
        const std::uint32_t texel = picture->texels[27];
        EXPECT_NEAR(static_cast<int>(texel & 255), 204, 2);       // 4/5
        EXPECT_NEAR(static_cast<int>(texel >> 8 & 255), 82, 2);   // 2/5 of 4/5
        EXPECT_NEAR(static_cast<int>(texel >> 16 & 255), 41, 2);  // 1/5 of 4/5
        EXPECT_EQ(texel >> 24, 255u);
    }
}

TEST(JpegFile, NeedsNoEndBehindItsPixels) {
    std::string whole = inkFile({20, 40, 60, 80}, true);
    const auto picture = pictureFrom(whole);
    ASSERT_TRUE(picture) << picture.reason();
    ASSERT_EQ(whole.substr(whole.size() - 2), "\xff\xd9");
    const auto ended = pictureFrom(std::string_view(whole).substr(0, whole.size() - 2));
    ASSERT_TRUE(ended) << ended.reason();
    EXPECT_EQ(*ended, *picture);
    expectWords(pictureFrom(std::string_view(whole).substr(0, whole.size() - 6)).reason(),
                "damaged JPEG file");
}

TEST(JpegFile, WhatIsNotReadIsNotCalledDamaged) {
    std::string bytes = inkFile({1, 2, 3, 4}, true);
    const std::size_t frame = bytes.find("\xff\xc0");
    ASSERT_NE(frame, bytes.npos);
    bytes[frame + 4] = 12;  // bits a sample
    const std::string reason = pictureFrom(bytes).reason();
    expectWords(reason, "that is not read");
    EXPECT_EQ(reason.find("damaged"), reason.npos);
}

}  // namespace
}  // namespace rayscope
