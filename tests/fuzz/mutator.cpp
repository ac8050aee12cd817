// libFuzzer's own mutations seldom give JSON or a PNG that is read beyond its first characters.
// These change a value of a document, or mend the checksums of a picture's chunks.

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tests/fuzz/promise.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t maximum);

namespace {

using nlohmann::json;
using Random = std::minstd_rand;

json oddValue(Random& random) {
    static const std::vector<json> kOdd{nullptr,
                                        true,
                                        0,
                                        -1,
                                        1,
                                        2,
                                        1e-320,
                                        1e308,
                                        -0.0,
                                        16384,
                                        100001,
                                        4294967296,
                                        -2147483649,
                                        json::number_unsigned_t(-1),
                                        1e-6,
                                        "",
                                        "a/b",
                                        "../outside.json",
                                        "inside.json",
                                        "link.json",
                                        "/etc/passwd",
                                        "/dev/zero",
                                        "\u001b[2J",
                                        "\u009b2J",
                                        "\";#include",
                                        "inf",
                                        "nan",
                                        std::string(300, 'x'),
                                        json::array(),
                                        json::object(),
                                        json::array({0, 0, 0}),
                                        json::array({1e7, -1e7, 5})};
    return kOdd[random() % kOdd.size()];
}

std::string mutated(std::string text) {
    const std::size_t size = text.size();
    text.resize(size + 32);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
    return text;
}

/// All values of the document.
void list(json& value, std::vector<json*>& values) {
    values.push_back(&value);
    if (value.is_structured()) {
        for (json& member : value) list(member, values);
    }
}

void change(json& value, const json& other, Random& random) {
    const auto member = [&] {
        auto at = value.begin();
        std::advance(at, random() % value.size());
        return at;
    };
    const bool filled = value.is_structured() && !value.empty();
    switch (random() % 8) {
        case 0:
            if (filled) value.erase(member());
            return;
        case 1:
            if (value.is_array() && filled) value.push_back(*member());
            if (value.is_object() && filled) value[mutated(member().key())] = *member();
            return;
        case 2:
            if (value.is_string()) value = mutated(value.get<std::string>());
            return;
        case 3:
            if (value.is_number()) value = value.get<double>() * (random() % 2 ? -10 : .1);
            return;
        case 4:
            value = json::array({value});
            return;
        case 5:
            value = json(other);
            return;
        default:
            value = oddValue(random);
    }
}

/// Writes the checksum of every chunk that lies within the bytes.
void mendChunks(std::uint8_t* data, std::size_t size) {
    for (std::size_t at = 8; at + 12 <= size;) {
        const std::size_t length = std::size_t{data[at]} << 24 | std::size_t{data[at + 1]} << 16 |
                                   std::size_t{data[at + 2]} << 8 | data[at + 3];
        if (length > size - at - 12) return;
        const auto sum = crc32(0, data + at + 4, static_cast<uInt>(length + 4));
        for (int i = 0; i < 4; ++i)
            data[at + 8 + length + i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
        at += 12 + length;
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maximum, unsigned seed) {
    Random random(seed + 1);
    if (size >= 8 && std::memcmp(data, "\x89PNG", 4) == 0) {
        const std::size_t changed = LLVMFuzzerMutate(data, size, maximum);
        if (random() % 8 != 0) mendChunks(data, changed);
        return changed;
    }
    json document = json::parse(data, data + size, nullptr, false);
    if (document.is_discarded() || random() % 4 == 0) return LLVMFuzzerMutate(data, size, maximum);
    std::vector<json*> values;
    list(document, values);
    const json other = *values[random() % values.size()];
    change(*values[random() % values.size()], other, random);
    const std::string text = document.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > maximum) return LLVMFuzzerMutate(data, size, maximum);
    std::copy(text.begin(), text.end(), data);
    return text.size();
}
