# The CPU's kernels: one source, built several times. Without contraction, so that layouts agree to the
# bit; with speculative square roots, so that blocks of spheres become vector code.
function(add_cpu_library library source name)
    add_library(${library} OBJECT renderer/cpu/${source}.cpp)
    target_include_directories(${library} PRIVATE ${PROJECT_BINARY_DIR}/rooms/cpu)
    target_link_libraries(${library} PRIVATE flags core)
    target_compile_definitions(${library} PRIVATE RAYSCOPE_BUILD=${name})
    target_compile_options(${library} PRIVATE -g0 ${ARGN} -ffp-contract=off -fno-math-errno
                           -fno-trapping-math)
    target_sources(cpu PRIVATE $<TARGET_OBJECTS:${library}>)
endfunction()
function(add_cpu_source source name)
    foreach(real float double)
        add_cpu_library(${source}_${name}_${real} ${source} ${name} ${ARGN})
        target_compile_definitions(${source}_${name}_${real} PRIVATE RAYSCOPE_REAL=${real})
    endforeach()
endfunction()
# g++ 12 warns of variables in its own header of AVX-512.
function(add_packets name)
    add_cpu_library(${name} packet_kernels ${name} ${ARGN} -Wno-maybe-uninitialized -Wno-uninitialized)
endfunction()
# Sums of forces are made in any order.
function(add_forces name)
    add_cpu_source(forces ${name} ${ARGN})
    foreach(real float double)
        target_compile_options(forces_${name}_${real} PRIVATE -ffast-math -ffp-contract=fast
                               -Wno-maybe-uninitialized -Wno-uninitialized)
    endforeach()
endfunction()
function(add_cpu_kernels name)
    add_cpu_source(kernels ${name} ${ARGN})
    add_forces(${name} ${ARGN})
endfunction()
# The stages that the CPU runs for the GPU use the widest instruction set of the processor, so only these
# builds have them.
function(add_widest_kernels name)
    add_cpu_kernels(${name} ${ARGN})
    add_cpu_source(host_stages ${name} ${ARGN})
endfunction()

add_cpu_kernels(o0 -O0)
add_cpu_kernels(o1 -O1)
add_cpu_kernels(o2 -O2 ${RAYSCOPE_OPTIMISED_KERNELS})
add_widest_kernels(o3 -O3 ${RAYSCOPE_OPTIMISED_KERNELS})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # g++ 12's -O3 is 8 % slower here than -O2 with the vectoriser, measured on vt46
    set(vectorised -O2 -ftree-vectorize -fvect-cost-model=dynamic ${RAYSCOPE_OPTIMISED_KERNELS})
    add_widest_kernels(avx2 ${vectorised} -march=x86-64-v3)
    add_widest_kernels(avx512 ${vectorised} -march=x86-64-v4 -mprefer-vector-width=512)
    add_packets(packets8 -O3 ${RAYSCOPE_OPTIMISED_KERNELS} -march=x86-64-v3)
    add_packets(packets16 -O3 ${RAYSCOPE_OPTIMISED_KERNELS} -march=x86-64-v4 -mprefer-vector-width=512)
    target_compile_definitions(cpu PRIVATE RAYSCOPE_X86)
endif()
# path_lengths.cpp must trace the same rays as the kernels
set_source_files_properties(renderer/cpu/path_lengths.cpp PROPERTIES COMPILE_OPTIONS
                            -ffp-contract=off)
