// {fmt}'s compiled part. Debian ships it as a shared library only, and "header only" would compile it again in every file
// (half of the build's time); here it is compiled once.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
// What numbers with a locale ('L') ask for; the header declares these as compiled elsewhere.
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
}  // namespace detail
FMT_END_NAMESPACE
