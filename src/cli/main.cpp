#include <langinfo.h>

#include <clocale>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

int main(int argc, char** argv) {
  // Wide characters in the line editor want a UTF-8 locale; a bare container has none set. Numbers stay as C writes them.
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
  return puna::cli::run(std::vector<std::string>(argv + 1, argv + argc));
}
