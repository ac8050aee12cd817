# accel=embree on the CPU, where Embree 3 is installed (Debian: libembree-dev).
if(RAYSCOPE_EMBREE STREQUAL "AUTO")
    find_package(embree 3 QUIET)
    if(NOT embree_FOUND)
        message(STATUS "Embree 3 not found: building without accel=embree")
        return()
    endif()
else()
    find_package(embree 3 REQUIRED)
endif()
target_link_libraries(cpu PRIVATE embree)
# alone, for what it compiles of core/ is a build of its own
set_source_files_properties(renderer/cpu/embree_scene.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                            COMPILE_DEFINITIONS RAYSCOPE_EMBREE
                            COMPILE_OPTIONS -ffp-contract=off)
