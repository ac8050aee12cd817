#include "renderer/base/text.h"

#include <gtest/gtest.h>

namespace rayscope {
namespace {

TEST(Text, WhatIsPrintableStays) {
    for (const char* text : {"", "plain", "ünïcode – ✓ 𝄞", "a\u00A0b"})
        EXPECT_EQ(printable(text), text);
}

TEST(Text, DurationsAreRound) {
    EXPECT_EQ(durationText(.2), "0 s");
    EXPECT_EQ(durationText(59.4), "59 s");
    EXPECT_EQ(durationText(59.6), "1 min");
    EXPECT_EQ(durationText(131), "2 min 10 s");
    EXPECT_EQ(durationText(3900), "1 h 5 min");
}

TEST(Text, ControlsDoNotReachATerminal) {
    EXPECT_EQ(printable("\x1b[2Jx"), "\uFFFD[2Jx");
    EXPECT_EQ(printable("a\nb\tc\x7f"), "a\uFFFDb\uFFFDc\uFFFD");
    EXPECT_EQ(printable("a\nb\tc\x7f", "\n\t"), "a\nb\tc\uFFFD");
    EXPECT_EQ(printable("\u009b2J"), "\uFFFD2J");  // the same as ESC [, in C1
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\uFFFDb");
}

/// "gpj.exe" would look like "exe.jpg".
TEST(Text, NothingReordersIt) {
    EXPECT_EQ(printable("a\u202Egpj.exe"), "a\uFFFDgpj.exe");
    for (const char* mark : {"\u061C", "\u200E", "\u200F", "\u2028", "\u202A", "\u202B", "\u202C",
                             "\u202D", "\u2066", "\u2067", "\u2068", "\u2069"})
        EXPECT_EQ(printable(mark), "\uFFFD");
    EXPECT_EQ(printable("שלום"), "שלום");
}

TEST(Text, BytesThatAreNotUtf8DoNotEither) {
    EXPECT_EQ(printable("\x9b"
                        "2J"),
              "\uFFFD2J");
    EXPECT_EQ(printable("\xff\xfe"), "\uFFFD\uFFFD");
    EXPECT_EQ(printable("\xc0\x9b"), "\uFFFD\uFFFD") << "two bytes for one";
    EXPECT_EQ(printable("\xe0\x80\x9b"), "\uFFFD\uFFFD\uFFFD") << "three bytes for one";
    EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "half a surrogate";
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond U+10FFFF";
    EXPECT_EQ(printable("a\xe2\x82"), "a\uFFFD\uFFFD") << "cut off";
}

TEST(Text, IsShortenedBetweenCharacters) {
    EXPECT_EQ(shortened("abc", 3), "abc");
    EXPECT_EQ(shortened("abcd", 3), "abc...");
    EXPECT_EQ(shortened("aüü", 2), "a...");
}

TEST(Text, OnlyLettersFromAToZBecomeSmall) {
    EXPECT_EQ(smallLetters("Tex_01.PNG"), "tex_01.png");
    EXPECT_EQ(smallLetters("\u00c4@[Z"), "\u00c4@[z");
}

TEST(Text, PercentSignsOfUrisAreDecoded) {
    EXPECT_EQ(percentDecoded("four%20colours%2Epng"), "four colours.png");
    EXPECT_EQ(percentDecoded("%c3%BC"), "\u00fc");
    EXPECT_EQ(percentDecoded("50%, %4, %zz, %-1, %"), "50%, %4, %zz, %-1, %");
    EXPECT_EQ(percentDecoded("%2520"), "%20") << "once";
}

TEST(Text, TheLastLineIsTheOneBeforeTheEnd) {
    EXPECT_EQ(lastLine("first\nlast\n\n"), "last");
    EXPECT_EQ(lastLine("alone"), "alone");
    EXPECT_EQ(lastLine("\n"), "");
    EXPECT_EQ(lastLine(""), "");
}

}  // namespace
}  // namespace rayscope
