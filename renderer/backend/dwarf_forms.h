#pragma once

#include <cstdint>
#include <string_view>

#include "renderer/backend/dwarf_bytes.h"

namespace rayscope::dwarf {

/// How a value is written: DW_FORM_* (DWARF Debugging Information Format, version 5, 7.5.6).
enum Form : std::uint64_t {
    kAddress = 0x01,
    kBlock2 = 0x03,
    kBlock4,
    kData2,
    kData4,
    kData8,
    kText,
    kBlock,
    kBlock1,
    kData1,
    kFlag,
    kSigned,
    kTextAt,
    kUnsigned,
    kReferenceInAll,
    kReference1,
    kReference2,
    kReference4,
    kReference8,
    kReferenceUnsigned,
    kIndirect,
    kOffset,
    kExpression,
    kPresent,
    kTextIndex,
    kAddressIndex,
    kData16 = 0x1e,
    kLineTextAt,
    kSignature,
    kConstant,
    kLocationsIndex,
    kRangesIndex,
    kTextIndex1 = 0x25,
    kTextIndex2,
    kTextIndex3,
    kTextIndex4,
    kAddressIndex1,
    kAddressIndex2,
    kAddressIndex3,
    kAddressIndex4
};

/// The value of an attribute.
struct Value {
    std::uint64_t form = 0;  ///< 0: there is no such attribute
    std::uint64_t number = 0;
    std::string_view text;
};

/// Of the form; `constant` is that of kConstant. Throws DamagedLines.
Value readValue(DwarfBytes& bytes, std::uint64_t form, std::int64_t constant);

/// It is the number of a text or of an address in a table: `first`, or one of the four from `one`
/// on.
inline bool isIndex(std::uint64_t form, Form first, Form one) {
    return form == first || (form >= one && form < one + 4);
}

}  // namespace rayscope::dwarf
