# The kernels of each instruction set are compiled with that set's flags, and always optimised: tests run them by the
# million, and an inline function of a shared header that is not inlined here would be emitted with instructions that
# another machine may lack.
set(isa_dir ${CMAKE_SOURCE_DIR}/src/backend/cpu/isa)
set(isa_common -O3 -fno-trapping-math)
if(PUNA_SANITIZE)  # a third of the time to compile
  set(isa_common -O1 -fno-trapping-math)
  if(PUNA_FUZZ)  # no fuzz target comes here
    list(APPEND isa_common -fno-sanitize=fuzzer-no-link)
  endif()
endif()
# Words of 16 floats as plain arrays take minutes to compile at -O3 and are no faster for it.
set_source_files_properties(${isa_dir}/scalar.cpp PROPERTIES COMPILE_OPTIONS "${isa_common};-O1")
set_source_files_properties(${isa_dir}/avx2.cpp PROPERTIES COMPILE_OPTIONS "${isa_common};-mavx2;-mfma;-mf16c")
set_source_files_properties(${isa_dir}/avx512.cpp PROPERTIES COMPILE_OPTIONS
  "${isa_common};-mavx2;-mfma;-mf16c;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vnni;-mprefer-vector-width=512")
set_source_files_properties(${isa_dir}/scalar.cpp ${isa_dir}/avx2.cpp ${isa_dir}/avx512.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # its AVX-512 header starts from undefined registers on purpose and warns of it
  set_property(SOURCE ${isa_dir}/avx512.cpp APPEND PROPERTY COMPILE_OPTIONS -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${isa_dir}/avx2.cpp ${isa_dir}/avx512.cpp PROPERTIES HEADER_FILE_ONLY TRUE)
endif()
