#pragma once

#include <string>
#include <string_view>

#include "renderer/lab/run_ladder.h"
#include "renderer/lab/study.h"

// What was measured, in bytes: for another process of the same build, and for checkpoints. Of a
// kernel, the variant is left out, which the settings tell.

namespace rayscope {

/// Problem and result of an item.
std::string bytesOf(const StudyItem& item);
/// False if the bytes are no such thing; the item then is as it was.
bool fromBytes(std::string_view bytes, StudyItem& item);

/// All of a rung but its number and its settings.
std::string bytesOf(const RungResult& result);
bool fromBytes(std::string_view bytes, RungResult& result);

/// The question that an item asks, and how long one looks for the answer. As text it has the values
/// of the axes by name: the numbers of sources are a process's own.
struct StudyErrand {
    Settings a, b;
    int scene = 0;
    double seconds = 0;
    bool work = false;
};
std::string textOf(const StudyErrand& errand);
/// Of a study of these scenes; nothing if the text is none.
std::optional<StudyErrand> errandFrom(const std::string& text,
                                      const std::vector<SharedScene>& scenes);

}  // namespace rayscope
