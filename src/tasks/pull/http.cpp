#include "tasks/pull/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "base/check.h"

namespace puna::tasks {
namespace {

constexpr int kMostRedirects = 10;

template <auto kFree>
struct Freed {
  template <class T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};
using Url = std::unique_ptr<CURLU, Freed<curl_url_cleanup>>;
using Easy = std::unique_ptr<CURL, Freed<curl_easy_cleanup>>;
using Multi = std::unique_ptr<CURLM, Freed<curl_multi_cleanup>>;
using Headers = std::unique_ptr<curl_slist, Freed<curl_slist_free_all>>;

Url parse_url(const std::string& text) {
  Url url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) url.reset();
  return url;
}

// A piece of a URL; ports as numbers even where the scheme implies them. Empty where it has none.
std::string piece(const Url& url, CURLUPart part) {
  char* text = nullptr;
  if (!url || curl_url_get(url.get(), part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
  std::string result = text;
  curl_free(text);
  return result;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "[::1]" || host.starts_with("127."); }

// A secret may go to this URL: it is where the secret belongs, and nobody on the way can read it.
bool may_send_token(const std::string& url, const std::string& origin) {
  const Url parsed = parse_url(url);
  return same_origin(url, origin) &&
         (piece(parsed, CURLUPART_SCHEME) == "https" || is_loopback(lower(piece(parsed, CURLUPART_HOST))));
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "bytes 100-199/1000": the first number and the last; the last may be "*".
void read_content_range(std::string_view text, HttpHead& head) {
  if (!text.starts_with("bytes ")) return;
  text.remove_prefix(6);
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return;
  head.range_begin = number(text.substr(0, text.substr(0, slash).find('-')));
  head.range_total = number(text.substr(slash + 1));
}

// One request as libcurl's callbacks see it.
struct Exchange {
  const HttpGet& get;
  HttpHead head;
  std::string location;
  std::optional<Error> refused;  // by on_head or on_body
  bool announced = false;

  bool is_redirect() const { return head.status >= 300 && head.status < 400 && !location.empty(); }

  void header(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) {  // a new answer: the one before was only "100 Continue"
      head = {.status = 0, .url = head.url};
      location.clear();
      const auto space = line.find(' ');
      if (space != std::string_view::npos) head.status = static_cast<int>(number(line.substr(space + 1, 3)).value_or(0));
      return;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string name = lower(std::string(line.substr(0, colon)));
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    if (name == "content-length") head.length = number(value);
    if (name == "content-range") read_content_range(value, head);
    if (name == "etag") head.etag = value;
    if (name == "last-modified") head.last_modified = value;
    if (name == "retry-after") head.retry_after = std::chrono::seconds(std::min<std::uint64_t>(number(value).value_or(0), 3600));
    if (name == "location") location = value;
  }

  bool announce() {
    if (announced) return true;
    announced = true;
    return keep(get.on_head ? get.on_head(head) : Result<void>());
  }

  bool body(std::span<const std::byte> bytes) {
    if (head.status >= 400 || is_redirect()) return true;
    return announce() && keep(get.on_body ? get.on_body(bytes) : Result<void>());
  }

  bool keep(Result<void> result) {
    if (!result) refused = std::move(result).error();
    return !refused;
  }
};

std::size_t on_header_line(char* data, std::size_t size, std::size_t count, void* exchange) {
  static_cast<Exchange*>(exchange)->header({data, size * count});
  return size * count;
}

std::size_t on_body_bytes(char* data, std::size_t size, std::size_t count, void* exchange) {
  const auto bytes = std::as_bytes(std::span(data, size * count));
  return static_cast<Exchange*>(exchange)->body(bytes) ? size * count : CURL_WRITEFUNC_ERROR;
}

Headers header_list(const HttpGet& get, const std::string& url) {
  Headers list;
  const auto add = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    PUNA_CHECK(longer != nullptr);
    (void)list.release();
    list.reset(longer);
  };
  for (const std::string& line : get.headers) add(line);
  if (!get.token.empty() && may_send_token(url, get.token_origin)) add("Authorization: Bearer " + get.token);
  return list;
}

void set_up(CURL* easy, Exchange& exchange, const std::string& url, curl_slist* headers, char* error_text) {
  const Patience& patience = exchange.get.patience;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "puna");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, static_cast<long>(patience.connect.count()));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(patience.stall.count()));
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header_line);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body_bytes);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
}

// Runs the transfer; empty if it was stopped. A loop of our own, because libcurl's blocking call asks whether to stop only
// once a second.
std::optional<CURLcode> transfer(CURL* easy, const std::stop_token& stop) {
  const Multi multi(curl_multi_init());
  PUNA_CHECK(multi && curl_multi_add_handle(multi.get(), easy) == CURLM_OK);
  std::optional<CURLcode> code;
  for (int running = 1; running && !stop.stop_requested();) {
    if (curl_multi_perform(multi.get(), &running) != CURLM_OK) break;
    if (running) curl_multi_poll(multi.get(), nullptr, 0, 50, nullptr);
  }
  for (int left = 0; const CURLMsg* message = curl_multi_info_read(multi.get(), &left);)
    if (message->msg == CURLMSG_DONE) code = message->data.result;
  curl_multi_remove_handle(multi.get(), easy);
  return code;
}

HttpFailure::Kind kind_of(CURLcode code) {
  using enum HttpFailure::Kind;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      return unreachable;
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return broken;
    default:
      return fatal;
  }
}

HttpFailure failure_of(CURLcode code, const std::string& url, const char* detail) {
  Error error = puna::error(ErrorKind::io, "{}: {}", shown_url(url), *detail ? detail : curl_easy_strerror(code));
  const auto kind = kind_of(code);
  if (kind == HttpFailure::Kind::unreachable) error.hint = "is this machine online? behind a proxy, set https_proxy";
  if (code == CURLE_PEER_FAILED_VERIFICATION) error.hint = "the certificate is not trusted: is ca-certificates installed?";
  return {kind, std::move(error)};
}

// Where the answer's Location leads; error where nobody should follow.
std::expected<std::string, HttpFailure> next_url(const std::string& from, const std::string& location) {
  const Url url = parse_url(from);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, location.c_str(), 0) != CURLUE_OK)
    return std::unexpected(HttpFailure{.error = error(ErrorKind::io, "{}: redirects to no address", shown_url(from))});
  std::string to = piece(url, CURLUPART_URL);
  const std::string scheme = piece(url, CURLUPART_SCHEME);
  if (scheme != "https" && !(scheme == "http" && from.starts_with("http:")))
    return std::unexpected(
        HttpFailure{.error = error(ErrorKind::io, "{}: redirects to {}, which is no https", shown_url(from), shown_url(to))});
  return to;
}

}  // namespace

bool same_origin(const std::string& url, const std::string& other) {
  const Url a = parse_url(url), b = parse_url(other);
  if (!a || !b) return false;
  for (const CURLUPart part : {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT})
    if (lower(piece(a, part)) != lower(piece(b, part))) return false;
  return true;
}

std::string shown_url(const std::string& text) {
  const Url url = parse_url(text);
  if (!url) return text;
  for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT})
    curl_url_set(url.get(), part, nullptr, 0);
  char* shown = nullptr;
  if (curl_url_get(url.get(), CURLUPART_URL, &shown, 0) != CURLUE_OK) return text;
  std::string result = shown;
  curl_free(shown);
  return result;
}

Error status_error(const HttpHead& head, bool token_sent) {
  const std::string where = shown_url(head.url);
  switch (head.status) {
    case 401:
    case 403:
      return error(ErrorKind::io, "{}: the server refuses access (HTTP {})", where, head.status)
          .with_hint(token_sent ? "does the token in HF_TOKEN have access to this repository? is the name right?"
                                : "a private or gated repository wants a token in HF_TOKEN; or the name is wrong");
    case 404:
    case 410:
      return error(ErrorKind::not_found, "{}: does not exist (HTTP {})", where, head.status)
          .with_hint("check the spelling of the repository and the file");
    case 429:
      return error(ErrorKind::io, "{}: too many requests (HTTP 429)", where).with_hint("try again later");
    default:
      return error(ErrorKind::io, "{}: the server says HTTP {}", where, head.status);
  }
}

std::expected<HttpHead, HttpFailure> http_get(const HttpGet& get) {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  PUNA_CHECK(ready);
  std::string url = get.url;
  for (int step = 0; step <= kMostRedirects; ++step) {
    Exchange exchange{.get = get, .head = {.url = url}, .location = {}, .refused = {}};
    const Easy easy(curl_easy_init());
    PUNA_CHECK(easy != nullptr);
    const Headers headers = header_list(get, url);
    char error_text[CURL_ERROR_SIZE] = "";
    set_up(easy.get(), exchange, url, headers.get(), error_text);
    const auto code = transfer(easy.get(), get.stop);
    if (exchange.refused) return std::unexpected(HttpFailure{.error = *std::move(exchange.refused)});
    if (!code) return std::unexpected(HttpFailure{.error = error(ErrorKind::cancelled, "{}: stopped", shown_url(get.url))});
    if (*code != CURLE_OK) return std::unexpected(failure_of(*code, url, error_text));
    if (!exchange.is_redirect()) {
      if (exchange.head.status < 400 && !exchange.announce())  // an empty body
        return std::unexpected(HttpFailure{.error = *std::move(exchange.refused)});
      return std::move(exchange.head);
    }
    auto next = next_url(url, exchange.location);
    if (!next) return std::unexpected(std::move(next).error());
    url = *std::move(next);
  }
  return std::unexpected(
      HttpFailure{.error = error(ErrorKind::io, "{}: more than {} redirects", shown_url(get.url), kMostRedirects)});
}

}  // namespace puna::tasks
