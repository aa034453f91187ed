#include "leeway/snapshot/part.h"

#include <cstring>
#include <limits>
#include <utility>

#include "leeway/base/checksum.h"
#include "leeway/base/format.h"

namespace leeway::snapshot {

namespace {

constexpr std::size_t kAlign = 8;

std::size_t filled(std::size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

/// Whether the sizes a header claims can be added up at all, before anything is added.
bool believable(const PartHeader& header, std::size_t file) {
  const std::uint64_t most = file;
  if (header.entries > most / sizeof(std::uint32_t) || header.own_bytes > most) return false;
  if (header.entries == 0) return true;
  return header.state_bytes <= most / header.entries &&
         header.result_bytes <= most / header.entries;
}

}  // namespace

Error damaged(const std::string& path, std::string what) {
  return input_error(path, std::move(what),
                     "resume from another snapshot of the folder, or start without --resume");
}

std::size_t Part::place() {
  states_at_ = sizeof(PartHeader) + filled(header_.entries * sizeof(std::uint32_t));
  results_at_ = states_at_ + filled(states_bytes());
  own_at_ = results_at_ + filled(results_bytes());
  return own_at_ + filled(header_.own_bytes) + kSumBytes;
}

void Part::shape(const PartHeader& header) {
  header_ = header;
  bytes_.resize(place());
  std::memcpy(bytes_.data(), &header_, sizeof header_);
}

std::span<std::uint32_t> Part::vertices() {
  return {reinterpret_cast<std::uint32_t*>(bytes_.data() + sizeof(PartHeader)), header_.entries};
}
std::span<const std::uint32_t> Part::vertices() const {
  return {reinterpret_cast<const std::uint32_t*>(bytes_.data() + sizeof(PartHeader)),
          header_.entries};
}

std::span<const std::byte> Part::sealed() {
  const std::uint64_t sum = checksum(std::span(bytes_).first(bytes_.size() - kSumBytes));
  std::memcpy(bytes_.data() + bytes_.size() - kSumBytes, &sum, sizeof sum);
  return bytes_;
}

std::uint64_t Part::sum() const {
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes_.data() + bytes_.size() - kSumBytes, sizeof sum);
  return sum;
}

Result<Part> Part::parse(std::vector<std::byte> content, const std::string& path) {
  Part part;
  const std::size_t size = content.size();
  const std::size_t shown = std::min(size, kPartMagic.size());
  if (std::memcmp(content.data(), kPartMagic.data(), shown) != 0)
    return fail(damaged(path, "this is no part of a snapshot"));
  if (size < sizeof(PartHeader) + kSumBytes)
    return fail(damaged(path, format("the part is cut off after {} bytes", size)));
  std::memcpy(&part.header_, content.data(), sizeof(PartHeader));
  if (part.header_.version != kVersion) {
    return fail(damaged(path, format("the part is of version {}, and this leeway reads version {}",
                                     part.header_.version, kVersion)));
  }
  if (!believable(part.header_, size) || part.place() != size)
    return fail(damaged(path, format("the part is cut off or damaged: it has {} bytes", size)));
  part.bytes_ = std::move(content);
  if (checksum(std::span(part.bytes_).first(size - kSumBytes)) != part.sum())
    return fail(damaged(path, "the part is damaged: its checksum does not match"));
  return part;
}

}  // namespace leeway::snapshot
