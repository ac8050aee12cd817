// Checkpoints: the file, a film in it, and what was measured. Behind the head, whose hash would
// turn away all that is changed, a film and a ledger are read without it, too.

#include "renderer/film/checkpoint.h"

#include "renderer/lab/wire.h"
#include "renderer/scene/json_reader.h"
#include "renderer/team/ledger.h"
#include "tests/fuzz/promise.h"

namespace rayscope {
namespace {

void readFilm(Checkpoint checkpoint) {
    const auto film = filmCheckpointFrom(std::move(checkpoint), "film");
    if (!film) return promiseSentence(film.reason());
    const std::size_t pixels = std::size_t{1} * film->width * film->height;
    promise(film->pixels.size() == pixels, "a film has all of its pixels");
    promise(film->done.count() > 0, "a film has samples");
    for (const PixelSum& pixel : film->pixels)
        promise(pixel.samples == static_cast<double>(film->done.count()), "as many everywhere");
}

void readReplies(std::string_view bytes) {
    const auto ledger = ledgerFrom(bytes);
    if (!ledger) return;
    promise(ledgerFrom(bytesOf(*ledger)) == ledger, "a ledger survives a round trip");
    for (const auto& [errand, reply] : *ledger) {
        StudyItem item;
        if (fromBytes(reply, item)) promise(bytesOf(item) == reply, "an item has one spelling");
        RungResult rung;
        if (fromBytes(reply, rung)) promise(bytesOf(rung) == reply, "a rung has one spelling");
    }
}

void read(std::string_view bytes) {
    auto checkpoint = checkpointFrom(std::string(bytes), "file");
    if (!checkpoint)
        promiseSentence(checkpoint.reason());
    else
        readFilm(*std::move(checkpoint));
    const std::size_t magic = bytes.find('\n'), head = bytes.find('\n', magic + 1);
    if (magic == bytes.npos || head == bytes.npos) return;
    readReplies(bytes.substr(head + 1));
    auto json = parseJson(bytes.substr(magic + 1, head - magic - 1), "head");
    if (json && json->is_object() && json->contains("kind"))
        readFilm({*std::move(json), std::string(bytes.substr(head + 1))});
}

}  // namespace
}  // namespace rayscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rayscope::read(rayscope::textOf(data, size));
    return 0;
}
