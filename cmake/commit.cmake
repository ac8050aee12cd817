# Writes OUTPUT, a header with the commit of the tree SOURCE and whether the tree is as committed, if that
# has changed. Runs at every build.

set(commit "")
set(clean false)
if(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND "${changes}" STREQUAL "")
        set(clean true)
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#pragma once

inline constexpr const char* kCommit = "@commit@";
inline constexpr bool kCleanTree = @clean@;
]] @ONLY)
