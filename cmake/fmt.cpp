// {fmt}'s compiled part. Debian ships it as a shared library only, and "header only" would compile it again in every file
// (half of the build's time); here it is compiled once.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
// The headers declare these as compiled elsewhere: the work itself (in {fmt} 10), and what numbers with a locale ('L') ask for.
template void vformat_to<char>(buffer<char>&, basic_string_view<char>, basic_format_args<format_context>, locale_ref);
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
}  // namespace detail
FMT_END_NAMESPACE
