// rayscope-import: reads one model by assimp, for rayscope, which starts it. On damaged files the
// library crashes, hangs and takes all memory, so it runs here: with the file's bytes and a file in
// memory for what it has found, no other files, no network, no processes, and limits of memory and
// time. rayscope checks all that comes from here.
//
// usage: rayscope-import ENDING MEGABYTES SECONDS, with the descriptors of import_protocol.h

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <string>
#include <vector>

#include "renderer/scene/import_protocol.h"

namespace rayscope {
namespace {

[[noreturn]] void endWith(int code) {
    _exit(code);
}

/// The library opens nothing: what it reads is in memory.
class NoFiles : public Assimp::IOSystem {
public:
    bool Exists(const char*) const override { return false; }
    char getOsSeparator() const override { return '/'; }
    Assimp::IOStream* Open(const char*, const char*) override { return nullptr; }
    void Close(Assimp::IOStream*) override {}
};

void limit(__rlimit_resource resource, rlim_t most) {
    const rlimit value{most, most};
    if (setrlimit(resource, &value) != 0) endWith(kImportRefused);
}

/// From now on this process may compute, take memory and write, and no more.
void contain() {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (filter == nullptr) endWith(kImportRefused);
    bool done = true;
    for (const int call :
         {SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(futex),
          SCMP_SYS(exit_group), SCMP_SYS(exit), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
          SCMP_SYS(getrandom), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(getpid),
          SCMP_SYS(gettid), SCMP_SYS(sched_yield)})
        done = done && seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
    // memory without a file, which is never code
    done = done && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
                                    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
                                    SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS)) == 0;
    done = done && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
                                    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
    done = done && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
                                    SCMP_A0(SCMP_CMP_EQ, kImportResult)) == 0;
    // abort()
    done = done && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                                    SCMP_A2(SCMP_CMP_EQ, SIGABRT)) == 0;
    if (!done || seccomp_load(filter) != 0) endWith(kImportRefused);
}

void writeAll(const void* bytes, std::size_t size) {
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t written = write(kImportResult, at, size);
        if (written <= 0) endWith(kImportLarge);
        at += written;
        size -= static_cast<std::size_t>(written);
    }
}
template <class T>
void writeAll(const std::vector<T>& values) {
    writeAll(values.data(), values.size() * sizeof(T));
}
void writeText(const void* bytes, std::size_t size) {
    const std::uint64_t length = size;
    writeAll(&length, sizeof length);
    writeAll(bytes, size);
}

/// What is handed over, as it is put together.
struct Found {
    std::vector<float> corners, normals, uvs, colours;
    std::vector<std::uint32_t> faces;
    bool hasNormals = false, hasUvs = false, hasColours = false;
    bool lines = false, morphs = false;
};

/// From the file's axes and unit to ours: y up, z to the viewer, metres. FBX says its own; of other
/// formats the library has turned and scaled what they say.
aiMatrix4x4 toOurs(const aiScene& scene) {
    aiMatrix4x4 matrix;
    double centimetres = 0;
    if (scene.mMetaData == nullptr) return matrix;
    if (!scene.mMetaData->Get("UnitScaleFactor", centimetres)) {
        float single = 0;
        if (!scene.mMetaData->Get("UnitScaleFactor", single)) return matrix;
        centimetres = single;
    }
    const auto number = [&](const char* name, int otherwise) {
        int value = otherwise;
        scene.mMetaData->Get(name, value);
        return value;
    };
    const int axes[3] = {number("CoordAxis", 0), number("UpAxis", 1), number("FrontAxis", 2)};
    const int signs[3] = {number("CoordAxisSign", 1), number("UpAxisSign", 1),
                          number("FrontAxisSign", 1)};
    bool seen[3] = {};
    for (const int axis : axes) {
        if (axis < 0 || axis > 2 || seen[axis]) return matrix;
        seen[axis] = true;
    }
    const auto scale =
        static_cast<float>(std::isfinite(centimetres) && centimetres > 0 ? centimetres / 100 : .01);
    matrix = aiMatrix4x4(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    for (unsigned row = 0; row < 3; ++row)
        matrix[row][axes[row]] = (signs[row] < 0 ? -1.f : 1.f) * scale;
    return matrix;
}

aiMatrix4x4 transformOf(const aiNode* node) {
    aiMatrix4x4 matrix;
    for (; node != nullptr; node = node->mParent) matrix = node->mTransformation * matrix;
    return matrix;
}

/// Where each corner of a skinned mesh goes; empty: it has no bones that move it.
std::vector<aiMatrix4x4> bonesOf(const aiScene& scene, const aiMesh& mesh) {
    if (mesh.mNumBones == 0) return {};
    const aiMatrix4x4 none(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    std::vector<aiMatrix4x4> sums(mesh.mNumVertices, none);
    std::vector<float> whole(mesh.mNumVertices, 0);
    for (unsigned b = 0; b < mesh.mNumBones; ++b) {
        const aiBone& bone = *mesh.mBones[b];
        const aiNode* const node = scene.mRootNode->FindNode(bone.mName);
        if (node == nullptr) return {};
        const aiMatrix4x4 matrix = transformOf(node) * bone.mOffsetMatrix;
        for (unsigned w = 0; w < bone.mNumWeights; ++w) {
            const aiVertexWeight& weight = bone.mWeights[w];
            if (weight.mVertexId >= mesh.mNumVertices || !(weight.mWeight > 0)) continue;
            sums[weight.mVertexId] = sums[weight.mVertexId] + matrix * weight.mWeight;
            whole[weight.mVertexId] += weight.mWeight;
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (!(whole[i] > 0)) return {};
        sums[i] = sums[i] * (1 / whole[i]);
    }
    return sums;
}

void push(std::vector<float>& to, const aiVector3D& v) {
    to.insert(to.end(), {v.x, v.y, v.z});
}

void addMesh(const aiScene& scene, const aiMesh& mesh, const aiMatrix4x4& placed,
             const aiMatrix4x4& ours, Found& found) {
    const std::size_t first = found.corners.size() / 3;
    const std::vector<aiMatrix4x4> bones = bonesOf(scene, mesh);
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
        const aiMatrix4x4 matrix = ours * (bones.empty() ? placed : bones[i]);
        push(found.corners, matrix * mesh.mVertices[i]);
        aiVector3D normal;
        if (mesh.HasNormals()) {
            aiMatrix3x3 turned(matrix);
            normal = turned.Inverse().Transpose() * mesh.mNormals[i];
        }
        push(found.normals, normal);
        found.uvs.push_back(mesh.HasTextureCoords(0) ? mesh.mTextureCoords[0][i].x : 0);
        // the library counts from below, we from above
        found.uvs.push_back(mesh.HasTextureCoords(0) ? 1 - mesh.mTextureCoords[0][i].y : 0);
        const aiColor4D colour =
            mesh.HasVertexColors(0) ? mesh.mColors[0][i] : aiColor4D(1, 1, 1, 1);
        push(found.colours, {colour.r, colour.g, colour.b});
    }
    found.hasNormals |= mesh.HasNormals();
    found.hasUvs |= mesh.HasTextureCoords(0);
    found.hasColours |= mesh.HasVertexColors(0);
    found.morphs |= mesh.mNumAnimMeshes > 0;
    const bool mirrored = (ours * placed).Determinant() < 0;
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
        const aiFace& face = mesh.mFaces[f];
        if (face.mNumIndices != 3) {
            found.lines = true;
            continue;
        }
        const unsigned* const c = face.mIndices;
        for (const unsigned corner : {c[0], c[mirrored ? 2 : 1], c[mirrored ? 1 : 2]})
            found.faces.push_back(static_cast<std::uint32_t>(first + corner));
        found.faces.push_back(mesh.mMaterialIndex);
    }
}

void addNodes(const aiScene& scene, const aiMatrix4x4& ours, Found& found) {
    struct Waiting {
        const aiNode* node;
        aiMatrix4x4 above;
    };
    std::vector<Waiting> waiting{{scene.mRootNode, {}}};
    while (!waiting.empty()) {
        const Waiting next = waiting.back();
        waiting.pop_back();
        const aiMatrix4x4 transform = next.above * next.node->mTransformation;
        for (unsigned i = 0; i < next.node->mNumMeshes; ++i)
            addMesh(scene, *scene.mMeshes[next.node->mMeshes[i]], transform, ours, found);
        for (unsigned i = next.node->mNumChildren; i-- > 0;)
            waiting.push_back({next.node->mChildren[i], transform});
    }
}

void readColour(const aiMaterial& material, double (&to)[3], const char* key, unsigned type,
                unsigned index) {
    aiColor3D colour;
    if (material.Get(key, type, index, colour) != aiReturn_SUCCESS) return;
    to[0] = colour.r;
    to[1] = colour.g;
    to[2] = colour.b;
}

void writeMaterial(const aiMaterial& material) {
    ImportMaterial m;
    readColour(material, m.base, AI_MATKEY_COLOR_DIFFUSE);
    readColour(material, m.base, AI_MATKEY_BASE_COLOR);
    readColour(material, m.emission, AI_MATKEY_COLOR_EMISSIVE);
    const auto number = [&](double& to, const char* key, unsigned type, unsigned index) {
        ai_real value = 0;
        if (material.Get(key, type, index, value) == aiReturn_SUCCESS) to = value;
    };
    double opacity = 1;
    number(opacity, AI_MATKEY_OPACITY);
    m.transmission = 1 - opacity;
    number(m.metallic, AI_MATKEY_METALLIC_FACTOR);
    number(m.roughness, AI_MATKEY_ROUGHNESS_FACTOR);
    number(m.index, AI_MATKEY_REFRACTI);
    writeAll(&m, sizeof m);
    const auto texture = [&](std::initializer_list<aiTextureType> types) {
        aiString name;
        for (const aiTextureType type : types) {
            if (material.GetTexture(type, 0, &name) == aiReturn_SUCCESS && name.length > 0)
                return writeText(name.data, name.length);
        }
        writeText("", 0);
    };
    texture({aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE});
    texture({aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE});
}

void writeScene(const aiScene& scene) {
    Found found;
    addNodes(scene, toOurs(scene), found);
    std::vector<const char*> remarks;
    if (scene.mNumAnimations > 0)
        remarks.push_back("animations are not played: the pose of the file is shown");
    if (scene.mNumCameras > 0) remarks.push_back("cameras of this format are not used");
    if (scene.mNumLights > 0) remarks.push_back("lights of this format are not shown");
    if (found.lines) remarks.push_back("points and lines are not shown");
    if (found.morphs) remarks.push_back("morph targets are not shown");
    ImportHead head;
    head.normals = found.hasNormals;
    head.uvs = found.hasUvs;
    head.colours = found.hasColours;
    head.corners = found.corners.size() / 3;
    head.faces = found.faces.size() / 4;
    head.materials = scene.mNumMaterials;
    head.pictures = scene.mNumTextures;
    head.remarks = remarks.size();
    writeAll(&head, sizeof head);
    writeAll(found.corners);
    if (found.hasNormals) writeAll(found.normals);
    if (found.hasUvs) writeAll(found.uvs);
    if (found.hasColours) writeAll(found.colours);
    writeAll(found.faces);
    for (unsigned i = 0; i < scene.mNumMaterials; ++i) writeMaterial(*scene.mMaterials[i]);
    for (unsigned i = 0; i < scene.mNumTextures; ++i) {
        const aiTexture& texture = *scene.mTextures[i];
        // a height of 0: a file of so many bytes
        writeText(texture.pcData, texture.mHeight == 0 ? texture.mWidth : 0);
    }
    for (const char* remark : remarks) writeText(remark, std::strlen(remark));
}

int run(const char* ending) {
    struct stat status {};
    if (fstat(kImportFile, &status) != 0 || status.st_size < 1) return kImportRefused;
    const auto size = static_cast<std::size_t>(status.st_size);
    const void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, kImportFile, 0);
    if (bytes == MAP_FAILED) return kImportNoMemory;
    Assimp::Importer importer;
    importer.SetIOHandler(new NoFiles);
    contain();
    const aiScene* const scene = importer.ReadFileFromMemory(
        bytes, size,
        aiProcess_Triangulate | aiProcess_JoinIdenticalVertices | aiProcess_ValidateDataStructure,
        ending);
    if (scene == nullptr || scene->mRootNode == nullptr) {
        const char* const why = importer.GetErrorString();
        if (std::strstr(why, "bad_alloc") != nullptr) return kImportNoMemory;
        writeAll(why, std::strlen(why));
        return kImportRefused;
    }
    writeScene(*scene);
    return kImportDone;
}

}  // namespace
}  // namespace rayscope

int main(int argc, char** argv) {
    using namespace rayscope;
    if (argc != 4) {
        std::fputs("rayscope starts this program for models that assimp reads\n", stderr);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::setlocale(LC_ALL, "C");
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 16);
    const rlim_t memory = std::strtoull(argv[2], nullptr, 10) << 20;
    limit(RLIMIT_FSIZE, memory);
    limit(RLIMIT_CPU, std::strtoull(argv[3], nullptr, 10));
#ifndef __SANITIZE_ADDRESS__  // which has reserved terabytes
    limit(RLIMIT_AS, memory);
#endif
    try {
        _exit(run(argv[1]));
    } catch (const std::bad_alloc&) {
        _exit(kImportNoMemory);
    }
}
