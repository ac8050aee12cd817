# The kernels that scenes start with on a CPU, made with the compiler and the flags with which the program
# makes all others, so that the first picture need not wait, and there is one without a compiler.
option(RAYSCOPE_ALL_PROCESSORS "Prebuilt kernels for all x86-64 processors, not only for this one" OFF)
add_executable(prebuild ${PROJECT_SOURCE_DIR}/app/prebuild.cpp)
target_link_libraries(prebuild PRIVATE devices cpu)
target_precompile_headers(prebuild REUSE_FROM precompiled)
set(prebuilt ${PROJECT_BINARY_DIR}/kernels/compilers)
add_custom_command(OUTPUT ${prebuilt}
    COMMAND ${CMAKE_COMMAND} -E env "CXX=${CMAKE_CXX_COMPILER}" $<TARGET_FILE:prebuild> ${PROJECT_BINARY_DIR}/kernels
            ${PROJECT_SOURCE_DIR}/assets/scenes $<$<BOOL:${RAYSCOPE_ALL_PROCESSORS}>:all>
    DEPENDS prebuild COMMENT "Compiling the kernels that scenes start with" VERBATIM)
add_custom_target(prebuilt_kernels ALL DEPENDS ${prebuilt})
