# The CUDA backend needs the toolkit's headers and its static runtime; NVRTC, CUPTI and the driver
# are loaded at run time.
# where the toolkit is on the machine that builds the program
set_source_files_properties(renderer/cuda/toolkit.cpp PROPERTIES
    COMPILE_DEFINITIONS "RAYSCOPE_CUDA_LIBRARY_DIR=\"${CUDAToolkit_LIBRARY_DIR}\"")
target_compile_definitions(devices PRIVATE RAYSCOPE_CUDA)
target_compile_definitions(renderer INTERFACE RAYSCOPE_CUDA)
target_link_libraries(renderer INTERFACE CUDA::cudart_static)
target_include_directories(cuda SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(cuda PRIVATE CUDA::cudart_static OpenGL::GL)
# CUPTI: headers only, which have a folder of their own in a toolkit
find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h
          HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_BIN_DIR}/../extras/CUPTI/include)
if(CUPTI_INCLUDE_DIR)
    set_source_files_properties(renderer/cuda/cupti.cpp renderer/cuda/cupti_library.cpp
        renderer/cuda/cupti_sass.cpp renderer/cuda/cupti_stalls.cpp PROPERTIES
        COMPILE_DEFINITIONS RAYSCOPE_CUPTI INCLUDE_DIRECTORIES "${CUPTI_INCLUDE_DIR}")
endif()
# NVTX: headers only. The disassembler is searched for in the toolkit.
set_source_files_properties(renderer/base/timeline.cpp PROPERTIES INCLUDE_DIRECTORIES
                            "${CUDAToolkit_INCLUDE_DIRS}")
set_source_files_properties(renderer/code/disassemble.cpp PROPERTIES COMPILE_DEFINITIONS
                            "RAYSCOPE_CUDA_BIN_DIR=\"${CUDAToolkit_BIN_DIR}\"")
