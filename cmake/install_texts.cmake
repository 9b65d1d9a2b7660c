# install_texts.cmake: writes, while installing, the texts that the program tells of itself (manual pages,
# completion), and the list of what is inside. Set by install.cmake: murmur, prefix, mandir, datadir,
# docdir, source, python.

# told(FILE ARGUMENT...): what the program prints becomes a file below the prefix.
function(told file)
  execute_process(COMMAND ${murmur} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${prefix}/${file} "${text}")
  message(STATUS "Installing: ${prefix}/${file}")
endfunction()

execute_process(COMMAND ${murmur} explain --commands OUTPUT_VARIABLE commands
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" commands "${commands}")
told(${mandir}/man1/murmur.1 explain --man)
foreach(command ${commands})
  told(${mandir}/man1/murmur-${command}.1 explain --man ${command})
endforeach()
find_program(GZIP gzip)
if(GZIP)  # as every packager compresses them; -n: the same bytes whenever they are made
  file(GLOB pages ${prefix}/${mandir}/man1/murmur*.1)
  execute_process(COMMAND ${GZIP} -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()

told(${datadir}/bash-completion/completions/murmur completion bash)
told(${datadir}/zsh/vendor-completions/_murmur completion zsh)
told(${datadir}/fish/vendor_completions.d/murmur.fish completion fish)

if(python)
  execute_process(COMMAND ${python} ${source}/scripts/contents.py -o ${prefix}/${docdir}/contents.cdx.json
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
