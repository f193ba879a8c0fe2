# The kernels of each instruction set are compiled with that set's flags, and always optimised: tests run them by the
# million, and an inline function of a shared header that is not inlined here would be emitted with instructions that
# another machine may lack.
set(isa_common -O3 -fno-trapping-math)
if(PUNA_SANITIZE OR CMAKE_CROSSCOMPILING)  # a third of the time to compile
  set(isa_common -O1 -fno-trapping-math)
endif()
if(PUNA_SANITIZE AND PUNA_FUZZ)  # no fuzz target comes here
  list(APPEND isa_common -fno-sanitize=fuzzer-no-link)
endif()

# puna_isa(NAME PROCESSORS flag…): isa/NAME.cpp, for processors whose name matches.
function(puna_isa name processors)
  set(source ${CMAKE_SOURCE_DIR}/src/backend/cpu/isa/${name}.cpp)
  set(options ${isa_common} ${ARGN})
  # Instrumented kernels take minutes to compile. The sets share their loops, and in every test their memory ends at a guard
  # page: the plainest set and the one that most machines use are enough, for races the latter.
  if((PUNA_SANITIZE AND NOT name MATCHES "^(scalar|avx512)$") OR (PUNA_SANITIZE MATCHES thread AND name STREQUAL scalar))
    list(APPEND options -fno-sanitize=all)
  endif()
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "${processors}")
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY TRUE)
  endif()
endfunction()

# Words of 16 floats as plain arrays take minutes to compile at -O3 and are no faster for it.
puna_isa(scalar . -O1)

set(avx2 -mavx2 -mfma -mf16c)
puna_isa(avx2 "x86_64|AMD64" ${avx2})
puna_isa(avxvnni "x86_64|AMD64" ${avx2} -mavxvnni)
set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mprefer-vector-width=512)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # its AVX-512 header starts from undefined registers on purpose and warns of it
  list(APPEND avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
puna_isa(avx512 "x86_64|AMD64" ${avx512})
puna_isa(amx "x86_64|AMD64" ${avx512} -mamx-tile -mamx-int8)

puna_isa(neon "aarch64|arm64")
puna_isa(neon_dot "aarch64|arm64" -march=armv8.2-a+dotprod)
puna_isa(neon_i8mm "aarch64|arm64" -march=armv8.2-a+dotprod+i8mm)
