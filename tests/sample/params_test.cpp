#include "sample/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace puna::sample {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Order, of_llama_cpp_is_the_default) {
  EXPECT_EQ(order_text(default_order()), "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature");
  EXPECT_EQ(parse_order(order_text(default_order())).value(), default_order());
  EXPECT_EQ(parse_order_letters("edskypmxt").value(), default_order());
}

TEST(Order, is_read_with_either_separator_dash_or_underscore_and_the_longer_names) {
  EXPECT_THAT(parse_order("top-k; temp").value(), ElementsAre(Step::top_k, Step::temperature));
  EXPECT_THAT(parse_order("typical,min_p").value(), ElementsAre(Step::typical, Step::min_p));
  EXPECT_THAT(parse_order_letters("tk").value(), ElementsAre(Step::temperature, Step::top_k));
  EXPECT_THAT(parse_order("").value(), IsEmpty());
  EXPECT_THAT(parse_order_letters("").value(), IsEmpty());
}

TEST(Order, names_what_it_does_not_know_and_what_comes_twice) {
  const auto unknown = parse_order("top_k;tfs_z");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, StartsWith("there is no step 'tfs_z'"));
  EXPECT_THAT(unknown.error().hint, HasSubstr("penalties, dry, top_n_sigma, top_k, typ_p"));
  EXPECT_THAT(parse_order("temp;top_k;temperature").error().message, HasSubstr("'temperature' appears twice"));
  EXPECT_THAT(parse_order("top_k;;min_p").error().message, HasSubstr("there is no step ''"));
  EXPECT_THAT(parse_order_letters("kq").error().message, StartsWith("there is no step 'q'"));
  EXPECT_THAT(parse_order_letters("kk").error().message, HasSubstr("'top_k' appears twice"));
}

TEST(Validate, accepts_the_defaults_and_every_value_that_means_off) {
  EXPECT_TRUE(validate({}, 100));
  EXPECT_TRUE(validate({.temp = 0}, 100));
  EXPECT_TRUE(validate({.temp = -1}, 100));
  EXPECT_TRUE(validate({.top_k = 0, .top_p = 1, .min_p = 0, .typical_p = 1, .top_n_sigma = 0, .xtc_threshold = 1}, 100));
  EXPECT_TRUE(validate({.top_k = -1, .top_p = 0}, 100));
  EXPECT_TRUE(validate({.penalty_last_n = -1, .dry_allowed_length = 0, .dry_penalty_last_n = -1}, 100));
  EXPECT_TRUE(validate({.logit_bias = {{99, -kInfinity}, {0, -5.0f}}, .order = {}}, 100));
}

struct Refused {
  Params params;
  const char* message;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.message; }

class ValidateRefuses : public testing::TestWithParam<Refused> {};

TEST_P(ValidateRefuses, a_value_without_a_meaning_by_its_flag_value_and_range) {
  const auto result = validate(GetParam().params, 100);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::invalid);
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Values, ValidateRefuses,
    testing::Values(
        Refused{{.temp = kNan}, "--temp is nan, but must be a finite number"}, Refused{{.temp = kInfinity}, "--temp is inf"},
        Refused{{.dynatemp_range = -0.5f}, "--dynatemp-range is -0.5, but must be 0 (off) or more"},
        Refused{{.dynatemp_exponent = -1}, "--dynatemp-exp is -1"},
        Refused{{.top_p = 1.1f}, "--top-p is 1.1, but must be between 0 and 1 (1 is off)"},
        Refused{{.top_p = -0.1f}, "--top-p is -0.1"}, Refused{{.top_p = kNan}, "--top-p is nan"},
        Refused{{.min_p = 1.5f}, "--min-p is 1.5"}, Refused{{.min_p = -1}, "--min-p is -1"},
        Refused{{.typical_p = 2}, "--typical is 2"}, Refused{{.top_n_sigma = kNan}, "--top-n-sigma is nan"},
        Refused{{.xtc_probability = 1.01f}, "--xtc-probability is 1.01"}, Refused{{.xtc_threshold = -1}, "--xtc-threshold is -1"},
        Refused{{.min_keep = -1}, "--min-keep is -1"}, Refused{{.penalty_last_n = -2}, "--repeat-last-n is -2"},
        Refused{{.repeat_penalty = 0}, "--repeat-penalty is 0, but must be above 0"},
        Refused{{.repeat_penalty = -1}, "--repeat-penalty is -1"}, Refused{{.repeat_penalty = kNan}, "--repeat-penalty is nan"},
        Refused{{.repeat_penalty = kInfinity}, "--repeat-penalty is inf"},
        Refused{{.frequency_penalty = kInfinity}, "--frequency-penalty is inf"},
        Refused{{.presence_penalty = kNan}, "--presence-penalty is nan"},
        Refused{{.dry_multiplier = -0.1f}, "--dry-multiplier is -0.1"}, Refused{{.dry_base = 0.5f}, "--dry-base is 0.5"},
        Refused{{.dry_allowed_length = -1}, "--dry-allowed-length is -1, but must be 0 or more"},
        Refused{{.dry_penalty_last_n = -2}, "--dry-penalty-last-n is -2"},
        Refused{{.dry_sequence_breakers = {"\n", ""}}, "--dry-sequence-breaker is empty"},
        Refused{{.mirostat = 3}, "--mirostat is 3, but must be 0 (off), 1 or 2"},
        Refused{{.mirostat_tau = -1}, "--mirostat-ent is -1"}, Refused{{.mirostat_eta = kNan}, "--mirostat-lr is nan"},
        Refused{{.logit_bias = {{100, 1.0f}}}, "--logit-bias names token 100, but the vocabulary has tokens 0 to 99"},
        Refused{{.logit_bias = {{-1, 1.0f}}}, "--logit-bias names token -1"},
        Refused{{.logit_bias = {{5, kInfinity}}}, "--logit-bias of token 5 is inf"},
        Refused{{.logit_bias = {{5, kNan}}}, "--logit-bias of token 5 is nan"},
        Refused{{.order = {Step::top_k, Step::top_k}}, "'top_k' appears twice"}));

}  // namespace
}  // namespace puna::sample
