#include "cli/version.h"

#include <curl/curlver.h>
#include <fmt/core.h>
#include <histedit.h>
#include <openssl/opensslv.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <utf8proc.h>
#include <zlib.h>

#include <CLI/Version.hpp>
#include <boost/version.hpp>

#include "engine/processor.h"

namespace puna::cli {

namespace {

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string libraries() {
  return fmt::format(
      "Boost.JSON {}.{}.{}, fmt {}.{}.{}, CLI11 {}, PCRE2 {}.{}, utf8proc {}.{}.{}, libedit {}.{}, libcurl {}, {}, zlib {}",
      BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100, FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
      FMT_VERSION % 100, CLI11_VERSION, PCRE2_MAJOR, PCRE2_MINOR, UTF8PROC_VERSION_MAJOR, UTF8PROC_VERSION_MINOR,
      UTF8PROC_VERSION_PATCH, LIBEDIT_MAJOR, LIBEDIT_MINOR, LIBCURL_VERSION, OPENSSL_VERSION_TEXT, ZLIB_VERSION);
}

}  // namespace

std::string_view version() { return PUNA_VERSION; }

std::string version_text() {
  return fmt::format("puna {}\ncompiler   {}\nkernels    {}\nlibraries  {}\n", PUNA_VERSION, compiler(),
                     engine::processor_kernels(), libraries());
}

}  // namespace puna::cli
