#include "leeway/runtime/tick/checkpoint.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "leeway/base/bytes.h"
#include "leeway/base/format.h"
#include "leeway/datasets/binary_checksum.h"
#include "leeway/datasets/byte_stream.h"

namespace leeway {

namespace {

constexpr std::string_view kMagic = "leeway ticks 1\n";
constexpr std::size_t kSumBytes = 8;

std::array<std::byte, kSumBytes> sum_of(std::span<const std::byte> bytes) {
  std::array<std::byte, kSumBytes> sum;
  std::uint64_t rest = checksum(bytes);
  for (std::byte& each : sum) {
    each = static_cast<std::byte>(rest & 0xFFU);
    rest >>= 8U;
  }
  return sum;
}

Result<std::string> content_of(const std::string& path) {
  LEEWAY_ASSIGN(const auto source, open_source(path));
  std::string content;
  std::vector<char> piece(std::size_t{1} << 20U);
  while (true) {
    LEEWAY_ASSIGN(const std::size_t got, source->read(piece.data(), piece.size()));
    if (got == 0) return content;
    content.append(piece.data(), got);
  }
}

Error no_checkpoint(const std::string& path, std::string what) {
  return input_error(path, std::move(what), "give what leeway run … --checkpoint FILE wrote");
}

}  // namespace

Status write_checkpoint(const std::string& path, const TickCheckpoint& checkpoint) {
  ByteWriter out;
  out.raw(std::as_bytes(std::span(kMagic)));
  out.text(checkpoint.program);
  out.text(checkpoint.model);
  out.varint(checkpoint.tick.value());
  out.varint(checkpoint.state.size());
  out.raw(checkpoint.state);
  const auto sum = sum_of(out.span());
  out.raw(sum);
  const auto bytes = out.span();
  return write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<TickCheckpoint> read_checkpoint(const std::string& path, const std::string& program,
                                       const std::string& model) {
  LEEWAY_ASSIGN(const std::string content, content_of(path));
  if (!content.starts_with(kMagic)) return fail(no_checkpoint(path, "this is no checkpoint"));
  const auto bytes = std::as_bytes(std::span(content));
  const auto body = bytes.first(std::max(bytes.size(), kSumBytes) - kSumBytes);
  const auto sum = sum_of(body);
  if (!std::equal(sum.begin(), sum.end(), bytes.end() - kSumBytes))
    return fail(no_checkpoint(path, "the checkpoint is damaged: its checksum does not match"));
  TickCheckpoint checkpoint;
  ByteReader in(body.subspan(kMagic.size()));
  checkpoint.program = in.text();
  checkpoint.model = in.text();
  checkpoint.tick = Tick(static_cast<std::uint32_t>(in.varint_up_to(Tick::none().value() - 1)));
  const auto state = in.raw(in.varint());
  checkpoint.state.assign(state.begin(), state.end());
  if (in.failed() || !in.at_end()) return fail(no_checkpoint(path, "the checkpoint is damaged"));
  if (checkpoint.program != program) {
    return fail(input_error(
        path, format("this is a checkpoint of {}, not of {}", checkpoint.program, program),
        format("run {} from it", checkpoint.program)));
  }
  if (checkpoint.model != model) {
    return fail(input_error(path,
                            format("it was made with {}, not with {}", checkpoint.model, model),
                            "give the same settings as then"));
  }
  return checkpoint;
}

}  // namespace leeway
