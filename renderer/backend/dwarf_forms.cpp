#include "renderer/backend/dwarf_forms.h"

namespace rayscope::dwarf {

static std::size_t sizeOf(std::uint64_t form) {
    switch (form) {
        case kData1:
        case kFlag:
        case kReference1:
        case kTextIndex1:
        case kAddressIndex1:
            return 1;
        case kData2:
        case kReference2:
        case kTextIndex2:
        case kAddressIndex2:
            return 2;
        case kTextIndex3:
        case kAddressIndex3:
            return 3;
        case kData4:
        case kReference4:
        case kReferenceInAll:
        case kTextAt:
        case kLineTextAt:
        case kOffset:
        case kTextIndex4:
        case kAddressIndex4:
            return 4;
        case kAddress:
        case kData8:
        case kReference8:
        case kSignature:
            return 8;
        default:
            throw DamagedLines();
    }
}

Value readValue(DwarfBytes& bytes, std::uint64_t form, std::int64_t constant) {
    switch (form) {
        case kText:
            return {form, 0, bytes.text()};
        case kBlock1:
            return {form, 0, bytes.bytes(bytes.take<std::uint8_t>())};
        case kBlock2:
            return {form, 0, bytes.bytes(bytes.take<std::uint16_t>())};
        case kBlock4:
            return {form, 0, bytes.bytes(bytes.take<std::uint32_t>())};
        case kBlock:
        case kExpression:
            return {form, 0, bytes.bytes(bytes.number())};
        case kData16:
            return {form, 0, bytes.bytes(16)};
        case kSigned:
            return {form, static_cast<std::uint64_t>(bytes.signedNumber()), {}};
        case kUnsigned:
        case kReferenceUnsigned:
        case kTextIndex:
        case kAddressIndex:
        case kLocationsIndex:
        case kRangesIndex:
            return {form, bytes.number(), {}};
        case kPresent:
            return {form, 1, {}};
        case kConstant:
            return {form, static_cast<std::uint64_t>(constant), {}};
        case kIndirect:
            if (const std::uint64_t real = bytes.number(); real != kIndirect && real != kConstant)
                return readValue(bytes, real, 0);
            throw DamagedLines();
        default:
            return {form, bytes.unsignedOf(sizeOf(form)), {}};
    }
}

}  // namespace rayscope::dwarf
