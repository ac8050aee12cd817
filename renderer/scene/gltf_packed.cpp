#include "renderer/scene/gltf_packed.h"

#include <draco/compression/decode.h>
#include <fmt/format.h>
#include <meshoptimizer.h>

#include <cstring>

#include "renderer/base/text.h"
#include "renderer/scene/gltf_buffers.h"
#include "renderer/scene/loose_json.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// Bytes that meshoptimizer makes of one at most: of 16 zero bytes it writes two bits.
constexpr std::size_t kMostOfAMeshoptByte = 128;

const unsigned char* unsignedBytes(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

void undoFilter(const std::string& filter, std::string& bytes, std::size_t count,
                std::size_t stride) {
    if (filter.empty() || filter == "NONE") return;
    if (filter == "OCTAHEDRAL" && (stride == 4 || stride == 8))
        return meshopt_decodeFilterOct(bytes.data(), count, stride);
    if (filter == "QUATERNION" && stride == 8)
        return meshopt_decodeFilterQuat(bytes.data(), count, stride);
    if (filter == "EXPONENTIAL") return meshopt_decodeFilterExp(bytes.data(), count, stride);
    throw GltfProblem{fmt::format("EXT_meshopt_compression has a filter '{}' that is not read",
                                  printable(shortened(filter, 30)))};
}

/// The library's loops take four at a time of what it filters.
constexpr std::size_t kFilteredTogether = 4;

/// What a whole number is divided by where it is a share of the largest; 1: it is no whole number,
/// or the library has divided it.
double largestOf(const draco::PointAttribute& attribute) {
    if (attribute.normalized()) return 1;
    switch (attribute.data_type()) {
        case draco::DT_INT8:
            return 127;
        case draco::DT_UINT8:
            return 255;
        case draco::DT_INT16:
            return 32767;
        case draco::DT_UINT16:
            return 65535;
        default:
            return 1;
    }
}

/// One attribute as floats, for each point of a mesh.
DracoMesh::Attribute floatsOf(const draco::Mesh& mesh, const draco::PointAttribute& attribute) {
    DracoMesh::Attribute found;
    found.parts = static_cast<std::size_t>(attribute.num_components());
    found.largest = largestOf(attribute);
    const std::size_t size = found.parts * sizeof(float);
    found.floats.resize(size * mesh.num_points());
    std::vector<float> values(found.parts);
    for (std::uint32_t p = 0; p < mesh.num_points(); ++p) {
        const auto value = attribute.mapped_index(draco::PointIndex(p));
        if (value.value() >= attribute.size() ||
            !attribute.ConvertValue<float>(value, static_cast<std::int8_t>(found.parts),
                                           values.data()))
            throw GltfProblem{"its Draco data have a value that is not there"};
        std::memcpy(found.floats.data() + p * size, values.data(), size);
    }
    return found;
}

}  // namespace

std::string meshoptUnpacked(const json& extension, std::string_view packed, long long view) {
    const auto count = static_cast<std::size_t>(std::max(0LL, countOf(member(extension, "count"))));
    const auto stride =
        static_cast<std::size_t>(std::max(0LL, countOf(member(extension, "byteStride"))));
    const std::string mode = textOf(member(extension, "mode"));
    const bool vertices = mode == "ATTRIBUTES";
    if (vertices ? stride == 0 || stride > 256 || stride % 4 != 0 : stride != 2 && stride != 4)
        throw GltfProblem{fmt::format("bufferViews[{}] has a stride that is not read", view)};
    if (count > kMostOfAMeshoptByte * packed.size() / stride + 16)
        throw GltfProblem{fmt::format("bufferViews[{}] is too short for {} elements", view, count)};
    const std::size_t padded = (count + kFilteredTogether - 1) / kFilteredTogether;
    std::string bytes(padded * kFilteredTogether * stride, '\0');
    int failed = 1;
    if (vertices)
        failed = meshopt_decodeVertexBuffer(bytes.data(), count, stride, unsignedBytes(packed),
                                            packed.size());
    else if (mode == "TRIANGLES" && count % 3 == 0)
        failed = meshopt_decodeIndexBuffer(bytes.data(), count, stride, unsignedBytes(packed),
                                           packed.size());
    else if (mode == "INDICES")
        failed = meshopt_decodeIndexSequence(bytes.data(), count, stride, unsignedBytes(packed),
                                             packed.size());
    if (failed != 0)
        throw GltfProblem{
            fmt::format("bufferViews[{}] is no data of EXT_meshopt_compression", view)};
    if (vertices) undoFilter(textOf(member(extension, "filter")), bytes, count, stride);
    bytes.resize(count * stride);
    return bytes;
}

DracoMesh dracoUnpacked(std::string_view packed, const json& attributes) {
    draco::DecoderBuffer buffer;
    buffer.Init(packed.data(), packed.size());
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok())
        throw GltfProblem{fmt::format("its Draco data (KHR_draco_mesh_compression) are damaged: {}",
                                      printable(decoded.status().error_msg_string()))};
    const std::unique_ptr<draco::Mesh> mesh = std::move(decoded).value();
    constexpr auto kMost = static_cast<std::uint32_t>(kMaxTriangles);
    if (mesh->num_points() > kMost || mesh->num_faces() > kMost)
        throw GltfProblem{kTooManyTriangles};
    DracoMesh found;
    found.indices.resize(std::size_t{12} * mesh->num_faces());
    for (std::uint32_t f = 0; f < mesh->num_faces(); ++f) {
        const draco::Mesh::Face& face = mesh->face(draco::FaceIndex(f));
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t corner = face[k].value();
            std::memcpy(found.indices.data() + 12 * f + 4 * k, &corner, 4);
        }
    }
    for (const auto& [name, number] : attributes.items()) {
        const draco::PointAttribute* const attribute =
            mesh->GetAttributeByUniqueId(static_cast<std::uint32_t>(countOf(number)));
        if (attribute == nullptr || attribute->num_components() < 1)
            throw GltfProblem{
                fmt::format("its Draco data lack {}", printable(shortened(name, 30)))};
        found.attributes.emplace(name, floatsOf(*mesh, *attribute));
    }
    return found;
}

}  // namespace rayscope
