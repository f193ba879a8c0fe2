# For a target that has no packages here: the libraries of the lowest rooms, from the headers and sources that this machine's
# own packages brought. The headers lie in a folder of their own, since beside them in /usr/include are this machine's.
find_package(Threads REQUIRED)
set(cross_headers ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${cross_headers})
foreach(name boost fmt)
  file(CREATE_LINK /usr/include/${name} ${cross_headers}/${name} SYMBOLIC)
endforeach()

add_library(fmt_static STATIC cmake/fmt.cpp)
add_library(boost_json STATIC cmake/boost_json.cpp)
add_library(Boost::json ALIAS boost_json)
foreach(library fmt_static boost_json)
  target_compile_options(${library} PRIVATE -fvisibility=hidden)
  target_include_directories(${library} SYSTEM PUBLIC ${cross_headers})
endforeach()

if(PUNA_TESTS)
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
endif()
