# The rooms: each folder is a target whose sources can include its own headers and those of the rooms it
# stands on, nothing else. The source tree itself is on no include path: each room has an include folder
# in the build folder, which contains only a link to the room's folder.

# Headers that most sources include, parsed once. Sources still include what they use;
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DRAYSCOPE_UNITY=OFF shows where one does not.
set(common_headers <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map>
    <memory> <optional> <string> <string_view> <variant> <vector> <fmt/format.h>
    <nlohmann/json.hpp>)
file(WRITE ${PROJECT_BINARY_DIR}/generated/precompiled.cpp "")
add_library(precompiled OBJECT ${PROJECT_BINARY_DIR}/generated/precompiled.cpp)
target_precompile_headers(precompiled PRIVATE ${common_headers})
target_link_libraries(precompiled PRIVATE flags fmt::fmt nlohmann_json::nlohmann_json)

# Compiles a target's sources several at a time, so that their headers are read, and what these
# instantiate is made, once for all: a third of the time. A name in an anonymous namespace is then
# its room's.
function(together target)
    if(RAYSCOPE_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
        # meant for headers; sources are included too now
        target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
endfunction()

# Makes an include folder with a link to this folder of the source tree and no other.
function(room_includes result name folder)
    set(root ${PROJECT_BINARY_DIR}/rooms/${name})
    get_filename_component(parent ${root}/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
    set(${result} ${root} PARENT_SCOPE)
endfunction()

# room(NAME FOLDER [ON room ...] [WITH library ...] [PRIVATE target ...] [WITHOUT file ...])
#   FOLDER   its path in the source tree, as includes name it: "renderer/scene/camera.h"
#   ON       the rooms that it stands on; it may also include what those stand on
#   WITH     libraries whose headers its own headers need
#   PRIVATE  rooms and libraries for its own sources; rooms that stand on it do not see them
#   WITHOUT  sources that are not part of its library
# A room without sources is a header-only library.
function(room name folder)
    cmake_parse_arguments(PARSE_ARGV 2 room "" "" "ON;WITH;PRIVATE;WITHOUT")
    room_includes(root ${name} ${folder})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(TRANSFORM room_WITHOUT PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
    list(REMOVE_ITEM sources "" ${room_WITHOUT})
    if(sources)
        add_library(${name} STATIC ${sources})
        target_precompile_headers(${name} REUSE_FROM precompiled)
        together(${name})
        target_include_directories(${name} PUBLIC ${root})
        target_link_libraries(${name} PUBLIC flags ${room_ON} ${room_WITH} PRIVATE ${room_PRIVATE})
    else()
        add_library(${name} INTERFACE)
        target_include_directories(${name} INTERFACE ${root})
        target_link_libraries(${name} INTERFACE flags ${room_ON} ${room_WITH})
    endif()
endfunction()
