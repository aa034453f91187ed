#include "transport/secret.h"

#include <catch2/catch.hpp>

using namespace leeway;

namespace {
std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    for (const auto digit :
         {std::to_integer<unsigned>(byte) >> 4U, std::to_integer<unsigned>(byte) & 15U})
      text += "0123456789abcdef"[digit];
  }
  return text;
}
}  // namespace

TEST_CASE("a secret can be written as text and read, and secrets differ") {
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

TEST_CASE("text that is not a secret is refused") {
  for (const char* text : {"", "abc", "zz", "00112233"}) {
    CHECK(Secret::from_text(text).error().kind == ErrorKind::Input);
  }
  CHECK_FALSE(Secret::from_text(std::string(65, 'a')).has_value());
}

TEST_CASE("a secret wrapped for one process can be unwrapped by that process only") {
  const Secret secret = Secret::random();
  const KeyPair receiver, other;
  auto wrapped = KeyPair::wrap(secret, receiver.public_half()).value();
  CHECK(receiver.unwrap(wrapped).value().to_text() == secret.to_text());
  CHECK(other.unwrap(wrapped).error().kind == ErrorKind::Peer);
  wrapped[5] ^= std::byte{1};
  CHECK_FALSE(receiver.unwrap(wrapped).has_value());
  CHECK_FALSE(KeyPair::wrap(secret, KeyPair::PublicHalf{}).has_value());
}

TEST_CASE("authentication and encryption match published test vectors") {
  // RFC 8439, 2.8.2: its text, additional data, key and nonce. Our nonce is a number, so the tag
  // differs; it was computed by OpenSSL with the nonce 07 00 .. 00.
  const Secret key =
      Secret::from_text("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f").value();
  std::string text = "Ladies and Gentlemen of the class of '99";
  Aead aead(key);
  const Mark mark = aead.seal(7, bytes_of("header"), std::as_writable_bytes(std::span(text)), true);
  CHECK(hex(bytes_of(text)) ==
        "536b288c4b27fae71e243580369134b20e0e2021caf127e947b5cdaa934c93554f69d1ff1957b9d4");
  CHECK(hex(mark) == "f9e6812ea8242436df8e726928e334fe");
  std::string other = text;
  CHECK_FALSE(
      aead.unseal(8, bytes_of("header"), std::as_writable_bytes(std::span(other)), true, mark));
  CHECK(aead.unseal(7, bytes_of("header"), std::as_writable_bytes(std::span(text)), true, mark));
  CHECK(text == "Ladies and Gentlemen of the class of '99");
}

TEST_CASE("the tag covers header, payload and number, wherever they are stored") {
  const bool encrypted = GENERATE(false, true);
  const Secret key = Secret::random();
  Aead sender(key), receiver(key), stranger(Secret::random());
  for (const std::size_t bytes : {0u, 1u, 15u, 16u, 17u, 1000u, 70'000u}) {
    const std::string text(bytes, 'x');
    std::string sent = text;
    const auto seen = [&](std::string header, std::string payload, std::uint64_t number, Aead& by) {
      std::string copy = std::move(payload);
      const Mark mark = sender.seal(7, bytes_of("header"),
                                    std::as_writable_bytes(std::span(sent = text)), encrypted);
      if (copy == text) copy = sent;
      return by.unseal(number, bytes_of(header), std::as_writable_bytes(std::span(copy)), encrypted,
                       mark) &&
             copy == text;
    };
    CHECK(seen("header", text, 7, receiver));
    CHECK_FALSE(seen("headex", text, 7, receiver));
    CHECK_FALSE(seen("header", text + "x", 7, receiver));
    CHECK_FALSE(seen("header", text, 8, receiver));
    CHECK_FALSE(seen("header", text, 7, stranger));
    CHECK(seen("header", text, 7, receiver));  // a failed check leaves no state behind
  }
}

TEST_CASE("a moved cipher keeps its key") {
  const Secret key = Secret::random();
  Aead first(key);
  const Mark mark = first.seal(1, bytes_of("header"), {}, false);
  Aead second = std::move(first);
  CHECK(second.seal(1, bytes_of("header"), {}, false) == mark);
  first = Aead(Secret::random());
  CHECK(first.seal(1, bytes_of("header"), {}, false) != mark);
}
