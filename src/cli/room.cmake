set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/version.cpp PROPERTIES
  COMPILE_DEFINITIONS "PUNA_VERSION=\"${PROJECT_VERSION}\"")
