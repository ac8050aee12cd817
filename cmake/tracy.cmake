# Tracy::TracyClient, 0.11 or newer: from RAYSCOPE_TRACY_SOURCE, or else the one installed.
if(RAYSCOPE_TRACY_SOURCE)
    set(TRACY_ENABLE ON CACHE BOOL "" FORCE)
    set(TRACY_ON_DEMAND ON CACHE BOOL "Record only while a profiler is connected")
    add_subdirectory(${RAYSCOPE_TRACY_SOURCE} ${PROJECT_BINARY_DIR}/tracy EXCLUDE_FROM_ALL)
else()
    # no version is requested, because Tracy's version file rejects later ones, which work too
    find_package(Tracy CONFIG QUIET)
    if(NOT Tracy_FOUND OR Tracy_VERSION VERSION_LESS 0.11)
        message(FATAL_ERROR "RAYSCOPE_TRACY: Tracy 0.11 or newer is not installed: give its source "
                            "folder with -DRAYSCOPE_TRACY_SOURCE=...")
    endif()
endif()
