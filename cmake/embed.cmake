# Embeds the kernel sources in the program, as a table of {name, text} that is passed to the compilers.
function(embed_kernel_sources target)
    file(GLOB sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
         ${PROJECT_SOURCE_DIR}/renderer/core/*.h
         ${PROJECT_SOURCE_DIR}/renderer/cpu/kernels/*
         ${PROJECT_SOURCE_DIR}/renderer/cuda/kernels/*)
    list(REMOVE_ITEM sources renderer/core/parts.h)  # about the others; no kernel includes it
    set(output ${PROJECT_BINARY_DIR}/generated/kernel_sources.cpp)
    list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} "-DFILES=${sources}" -DOUTPUT=${output}
                -P ${PROJECT_SOURCE_DIR}/cmake/write_kernel_sources.cmake
        DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/write_kernel_sources.cmake
        COMMENT "Embedding the kernel sources" VERBATIM)
    target_sources(${target} PRIVATE ${output})
endfunction()
