#include "leeway/transport/secret.h"

#include <catch2/catch.hpp>

using namespace leeway;

namespace {
std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
}  // namespace

TEST_CASE("a secret survives being written as text, and no two are the same") {
  const Secret secret = Secret::random();
  const Secret again = Secret::from_text(secret.to_text()).value();
  CHECK(again.sign("x", bytes_of("data")) == secret.sign("x", bytes_of("data")));
  CHECK(Secret::random().to_text() != secret.to_text());
}

TEST_CASE("a proof depends on the secret, the label and the data") {
  const Secret secret = Secret::random();
  const Digest proof = secret.sign("client", bytes_of("data"));
  CHECK(proof != Secret::random().sign("client", bytes_of("data")));
  CHECK(proof != secret.sign("server", bytes_of("data")));
  CHECK(proof != secret.sign("client", bytes_of("date")));
  CHECK(secret.sign("ab", bytes_of("c")) != secret.sign("a", bytes_of("bc")));
}

TEST_CASE("text that is no secret is refused") {
  for (const char* text : {"", "abc", "zz", "00112233"}) {
    CHECK(Secret::from_text(text).error().kind == ErrorKind::Input);
  }
  CHECK_FALSE(Secret::from_text(std::string(65, 'a')).has_value());
}
