# version.cmake: writes version.h when the commit has changed since the last build.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty
                OUTPUT_VARIABLE MURMUR_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(PROJECT_VERSION ${VERSION})
configure_file(${SOURCE}/cmake/version.h.in ${HEADER} @ONLY)
