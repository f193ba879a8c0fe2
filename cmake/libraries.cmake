# What others keep well: static archives where the distribution ships them, so that the binary can be copied.
if(CMAKE_CROSSCOMPILING)
  include(cmake/libraries_cross.cmake)
  return()
endif()
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL REQUIRED)
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json)  # not CMake's own module, which 3.30 retires

# {fmt}'s compiled part, which has no archive there.
add_library(fmt_static STATIC cmake/fmt.cpp)
target_compile_options(fmt_static PRIVATE -fvisibility=hidden)

# A static archive by name, with what it needs itself.
function(puna_static target archive)
  find_library(${target}_archive NAMES lib${archive}.a ${archive} REQUIRED)
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${${target}_archive} ${ARGN})
endfunction()

puna_static(pcre2_static pcre2-8)
puna_static(utf8proc_static utf8proc)
puna_static(tinfo_static tinfo)
puna_static(md_static md)
puna_static(bsd_static bsd md_static)
puna_static(edit_static edit tinfo_static bsd_static)
target_compile_definitions(pcre2_static INTERFACE PCRE2_STATIC)
target_compile_definitions(utf8proc_static INTERFACE UTF8PROC_STATIC)
