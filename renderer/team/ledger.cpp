#include "renderer/team/ledger.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace rayscope {

namespace {

void appendText(std::string& bytes, const std::string& text) {
    const std::uint64_t size = text.size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += text;
}

std::optional<std::string> nextText(std::string_view& bytes) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size) return {};
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (bytes.size() < size) return {};
    std::string text(bytes.substr(0, size));
    bytes.remove_prefix(size);
    return text;
}

}  // namespace

std::string bytesOf(const Ledger& ledger) {
    std::string bytes;
    for (const auto& [errand, reply] : ledger) {
        appendText(bytes, errand);
        appendText(bytes, reply);
    }
    return bytes;
}

std::optional<Ledger> ledgerFrom(std::string_view bytes) {
    Ledger ledger;
    while (!bytes.empty()) {
        auto errand = nextText(bytes), reply = nextText(bytes);
        if (!errand || !reply) return {};
        ledger[*std::move(errand)] = *std::move(reply);
    }
    return ledger;
}

}  // namespace rayscope
