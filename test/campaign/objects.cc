#include "test/campaign/objects.h"

#include <array>
#include <cstring>

#include "base/check.h"

namespace leeway::campaign {

namespace {

template <std::size_t kBytes>
using Value = std::array<std::byte, kBytes>;

template <std::size_t kBytes>
class TypedSession final : public Session {
 public:
  using T = Value<kBytes>;
  explicit TypedSession(Dsm<T>& dsm) : dsm_(dsm), view_(dsm) {}

  void read(ReadBy way, Handle handle, ObjectId id, std::vector<std::byte>& out) override {
    out.resize(kBytes);
    const auto put = [&](const T& value) { std::memcpy(out.data(), value.data(), kBytes); };
    switch (way) {
      case ReadBy::Handle:
        return put(dsm_.fetch(handle));
      case ReadBy::Id:
        return put(dsm_.fetch(id));
      case ReadBy::View:
        // A sweep over objects known to be local uses the shorter read.
        if (view_.plain() && handle.value() < dsm_.local_count() && ++local_reads_ % 2 == 0)
          return put(view_.fetch_local(handle));
        return put(view_.fetch(handle));
      case ReadBy::ViewById:
        return put(view_.fetch(id));
      case ReadBy::Bytes:
        return dsm_.space().fetch(handle, out.data());
    }
  }

  void read_current(Handle handle, std::vector<std::byte>& out) override {
    const T value = dsm_.fetch_current(handle);
    out.assign(value.begin(), value.end());
  }

  void sweep(std::span<const std::uint32_t> handles, const Use& use) override {
    const std::uint32_t* const first = handles.data();
    const auto take = [&](const T& value, const std::uint32_t* at) {
      use(static_cast<std::size_t>(at - first), ValueView(value));
    };
    // Objects whose home is this node come first.
    const std::uint32_t* middle = first;
    const std::uint32_t* const last = first + handles.size();
    while (view_.plain() && middle != last && *middle < dsm_.local_count()) ++middle;
    view_.each(first, middle, last, take);
  }

  void store(StoreBy way, Handle handle, ValueView bytes) override {
    const T value = typed(bytes);
    switch (way) {
      case StoreBy::Handle:
        return dsm_.store(handle, value);
      case StoreBy::View:
        return view_.store(handle, value);
      case StoreBy::Bytes:
        return dsm_.space().store(handle, bytes);
    }
  }

  void read_local(Handle handle, std::vector<std::byte>& out) override {
    LEEWAY_CHECK(view_.plain());
    const T value = view_.fetch_local(handle);
    out.assign(value.begin(), value.end());
  }
  void store_local(Handle handle, ValueView bytes) override {
    view_.store_local(handle, typed(bytes));
  }
  bool improve_local(Handle handle, ValueView bytes, const Better& better) override {
    if constexpr (kBytes <= kMostImprovedBytes) {
      return view_.improve_local(handle, typed(bytes), [&](const T& offered, const T& present) {
        return better(offered, present);
      });
    }
    LEEWAY_UNREACHABLE("no word holds", bytes.size(), "bytes", handle);
  }

  void publish() override { view_.publish(); }

 private:
  static T typed(ValueView bytes) {
    T value;
    LEEWAY_CHECK(bytes.size() == kBytes);
    std::memcpy(value.data(), bytes.data(), kBytes);
    return value;
  }

  Dsm<T>& dsm_;
  View<T> view_;
  std::uint64_t local_reads_ = 0;
};

template <std::size_t kBytes>
class TypedObjects final : public Objects {
 public:
  explicit TypedObjects(Dsm<Value<kBytes>> dsm) : dsm_(dsm) {}
  Handle resolve(ObjectId id) override { return dsm_.resolve(id).value(); }
  void prefetch(std::span<const Handle> handles) override { dsm_.prefetch(handles); }
  void replicate(std::span<const Handle> handles) override { dsm_.replicate(handles); }
  void fence() override { dsm_.fence(); }
  [[nodiscard]] SpaceStats stats() const override { return dsm_.stats(); }
  std::unique_ptr<Session> session() override {
    return std::make_unique<TypedSession<kBytes>>(dsm_);
  }

 private:
  Dsm<Value<kBytes>> dsm_;
};

template <std::size_t kBytes>
std::unique_ptr<Objects> open_typed(Node& node, const SpaceOptions& options) {
  auto dsm = Dsm<Value<kBytes>>::open(node, options);
  if (node.failed()) return nullptr;
  return std::make_unique<TypedObjects<kBytes>>(dsm.value());
}

}  // namespace

const char* name_of(ReadBy way) {
  constexpr std::array<const char*, kReadWays> kNames = {"fetch", "fetch by id", "a view",
                                                         "a view by id", "bytes"};
  return kNames[static_cast<std::size_t>(way)];
}

std::unique_ptr<Objects> open_objects(Node& node, const SpaceOptions& options,
                                      std::uint32_t value_bytes) {
  switch (value_bytes) {
    case 1:
      return open_typed<1>(node, options);
    case 2:
      return open_typed<2>(node, options);
    case 3:
      return open_typed<3>(node, options);
    case 4:
      return open_typed<4>(node, options);
    case 8:
      return open_typed<8>(node, options);
    case 12:
      return open_typed<12>(node, options);
    case 16:
      return open_typed<16>(node, options);
    case 61:
      return open_typed<61>(node, options);
    case 1000:
      return open_typed<1000>(node, options);
    case 4096:
      return open_typed<4096>(node, options);
    case 10'000:
      return open_typed<10'000>(node, options);
    case kMaxValueBytes:
      return open_typed<kMaxValueBytes>(node, options);
    default:
      LEEWAY_UNREACHABLE("no type of", value_bytes, "bytes", 0);
  }
}

}  // namespace leeway::campaign
