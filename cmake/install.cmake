# install.cmake: what `cmake --install` puts beside program and library, found from where the program lies
# so that the whole may move: the page where it is built, manual pages and completion as the program
# itself writes them, a desktop entry, and the list of what is inside.
set(data ${CMAKE_INSTALL_DATADIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/studio/dist/ DESTINATION ${data}/murmur/studio
        COMPONENT program OPTIONAL)
install(FILES packaging/murmur-studio.desktop DESTINATION ${data}/applications COMPONENT program)
install(FILES studio/public/icon.svg DESTINATION ${data}/icons/hicolor/scalable/apps
        RENAME murmur-studio.svg COMPONENT program)
install(FILES LICENSE docs/libraries.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT program)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

find_program(MURMUR_INTERPRETER NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT MURMUR_INTERPRETER)
  set(MURMUR_INTERPRETER "")
endif()
install(CODE "set(murmur \"$<TARGET_FILE:murmur_program>\")
set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
set(mandir \"${CMAKE_INSTALL_MANDIR}\")
set(datadir \"${data}\")
set(docdir \"${CMAKE_INSTALL_DOCDIR}\")
set(source \"${CMAKE_SOURCE_DIR}\")
set(python \"${MURMUR_INTERPRETER}\")
include(\"${CMAKE_SOURCE_DIR}/cmake/install_texts.cmake\")" COMPONENT program)
