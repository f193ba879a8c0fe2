# Flags for every target of ours. Contraction is off: a product and a sum become one rounding only where the code says
# fma, so that every kernel and every compiler computes the same bits.
add_library(puna_flags INTERFACE)
target_compile_options(puna_flags INTERFACE
  -ffp-contract=off -fno-math-errno -fvisibility=hidden -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror=return-type)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(puna_flags INTERFACE PUNA_DEBUG=1)
endif()
if(PUNA_SANITIZE)
  target_compile_options(puna_flags INTERFACE -fsanitize=${PUNA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(puna_flags INTERFACE -fsanitize=${PUNA_SANITIZE})
  target_compile_definitions(puna_flags INTERFACE PUNA_DEBUG=1)
endif()
