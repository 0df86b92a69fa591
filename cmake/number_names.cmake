# Write a header with the external functions that exist once per number type. Their names are the symbols of the objects
# that are compiled for the number type double:
#
#   #define cd_forward_kinematics CD_NUMBER_NAME(cd_forward_kinematics)
#
# src/math/number.h includes the header for all other number types. Arguments: -DNM= -DOBJECTS= -DHEADER=. The header is
# written only if its content changes.
execute_process(COMMAND ${NM} -g -P ${OBJECTS} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)_?(cd|cardan)_[A-Za-z0-9_]+ [TDRBSCVW] " defined "${table}")
set(names)
foreach(line ${defined})
  string(REGEX REPLACE "^\n?_?([A-Za-z0-9_]+) .*" "\\1" name "${line}")
  list(APPEND names ${name})
endforeach()
list(SORT names)
list(REMOVE_DUPLICATES names)
if(NOT names)
  message(FATAL_ERROR "${NM} finds no functions of this library in its objects")
endif()
set(text "// Generated: the functions that exist once per number type.\n")
foreach(name ${names})
  string(APPEND text "#define ${name} CD_NUMBER_NAME(${name})\n")
endforeach()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "${text}" @ONLY)
