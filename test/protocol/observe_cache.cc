// Brings a real Cache into every state of ASPIRE's Figure 3 and applies every event.
#include "test/protocol/state_table.h"

#include "test/support/check_catcher.h"
#include "test/support/machines.h"

namespace leeway::testing {

namespace {

// Node 0 is the home. The copy is version 5; the newest version that the cache knows of is 7.
constexpr std::uint64_t kHeld = 5;
constexpr std::uint64_t kKnown = 7;
constexpr SlotIndex kSlot{0};

const std::array<std::string_view, 5> kStates = {"Absent", "Fetching", "Shared", "Stale",
                                                 "Refreshing"};
const std::array<std::string_view, 16> kEvents = {
    "fetch",           "refresh",          "want",        "evict",      "write",
    "reply newer",     "reply same",       "reply older", "late reply", "invalidate newer",
    "invalidate same", "invalidate older", "push newer",  "push same",  "push older",
    "acquire, fetch"};

class Subject {
 public:
  explicit Subject(const Policy& policy)
      : cache_(SpaceId(0), NodeId(1), 2, policy, 8, nullptr), out_(2, false) {
    (void)cache_.meet({NodeId(0), LocalIndex(0)});
  }

  void enter(std::string_view state) {
    if (state == "Shared") return get(kKnown);
    get(kHeld);
    invalidate(kKnown, false, AckNumber(0));
    if (state == "Stale") return;
    if (state == "Refreshing") {
      cache_.refresh(kSlot);
    } else {
      cache_.evict(kSlot);
      if (state == "Fetching") cache_.prefetch(kSlot);
    }
    forget_sent();
  }

  /// The resulting state, the outcome of a fetch, the installed version, and the messages sent.
  std::string on(std::string_view event) {
    const CheckCatcher catcher;
    try {
      if (!handle(event)) return "refused";
    } catch (const CheckFailed&) {
      return "bug";
    }
    std::string text = state_name(cache_.state(kSlot));
    if (!met_.empty()) text += "; " + met_;
    for (const Install& install : effects_.installs)
      text += "; installs " + std::to_string(number_in(install.value(0)));
    for (const std::string& kind : sent()) text += "; " + kind;
    LEEWAY_CHECK(cache_.held(kSlot) <= cache_.known(kSlot));
    return text;
  }

  static std::string state_name(CopyState state) {
    return std::string(kStates[static_cast<std::size_t>(state)]);
  }

 private:
  bool handle(std::string_view event) {
    if (event == "fetch")
      met_ = access(cache_.fetch(kSlot));
    else if (event == "refresh")
      cache_.refresh(kSlot);
    else if (event == "want")
      cache_.prefetch(kSlot);
    else if (event == "evict")
      cache_.evict(kSlot);
    else if (event == "write")
      cache_.write(kSlot, bytes_of(written_), AckNumber(0), out_, effects_);
    else if (event == "acquire, fetch")
      met_ = (static_cast<void>(cache_.expire(kSlot)), access(cache_.fetch(kSlot)));
    else if (event == "late reply")
      return reply(RequestNumber(1), 9);
    else if (event.starts_with("reply"))
      return reply(outstanding_, version_of(event, kHeld));
    else if (event.starts_with("invalidate"))
      return invalidate(version_of(event, kKnown), false, AckNumber(3));
    else
      return invalidate(version_of(event, kKnown), true, AckNumber(3));
    return true;
  }

  static std::uint64_t version_of(std::string_view event, std::uint64_t same) {
    if (event.ends_with("newer")) return 9;
    return event.ends_with("same") ? same : same - 1;
  }
  static std::string access(Access access) {
    constexpr std::array kNames = {"current hit", "stale hit", "stale miss", "cache miss"};
    return kNames[static_cast<std::size_t>(access)];
  }

  void get(std::uint64_t version) {
    cache_.prefetch(kSlot);
    forget_sent();
    LEEWAY_CHECK(reply(outstanding_, version));
    effects_.clear();
  }
  bool reply(RequestNumber number, std::uint64_t version) {
    ByteWriter out;
    encode_reply_head(number, std::vector{version}, out);
    out.raw(bytes_of(version));
    bytes_ = out.take();
    ByteReader in(bytes_);
    return cache_.on_reply(NodeId(0), in, effects_);
  }
  bool invalidate(std::uint64_t version, bool push, AckNumber ack) {
    ByteWriter out;
    encode_invalidate_head(ack, push, std::vector{LinkIndex(0)}, std::vector{version}, out);
    if (push) out.raw(bytes_of(version));
    bytes_ = out.take();
    ByteReader in(bytes_);
    return cache_.on_invalidate(NodeId(0), in, out_, effects_);
  }

  std::vector<std::string> sent() {
    constexpr std::array kNames = {"",           "Link", "Read",  "Reply",
                                   "Invalidate", "Ack",  "Evict", "Write"};
    std::vector<std::string> kinds;
    std::vector<OutFrame> frames;
    cache_.flush(out_);
    out_.drain(frames);
    for (const OutFrame& frame : frames) {
      ByteReader in(frame.bytes);
      const MessageKind kind = decode_header(in).kind;
      if (kind == MessageKind::Read) outstanding_ = RequestNumber(in.varint());
      if (kind != MessageKind::Link) kinds.emplace_back(kNames[static_cast<std::size_t>(kind)]);
    }
    return kinds;
  }
  void forget_sent() { (void)sent(); }

  const std::uint64_t written_ = 99;
  Cache cache_;
  Outbox out_;
  CacheEffects effects_;
  std::vector<std::byte> bytes_;
  RequestNumber outstanding_{1};
  std::string met_;
};

/// All modes of a column must agree on every cell.
std::string agreed(std::initializer_list<std::string_view> modes, std::string_view state,
                   std::string_view event) {
  std::string outcome;
  for (const std::string_view mode : modes) {
    Subject subject(policy_of(mode));
    subject.enter(state);
    const std::string one = subject.on(event);
    if (outcome.empty()) outcome = one;
    if (one != outcome)
      return "modes disagree: " + outcome + " / " + one + " under " + std::string(mode);
  }
  return outcome;
}

}  // namespace

Table observe_cache() {
  Table table;
  for (const std::string_view state : kStates) {
    for (const std::string_view event : kEvents) {
      table.push_back(
          {std::string(state),
           std::string(event),
           {agreed({"rcp", "rcp-2", "rcp+push"}, state, event),
            agreed({"stale-2", "stale-7"}, state, event),
            agreed({"scp", "scp+rw", "scp+pb", "stale-0", "stale-1", "rcp-1"}, state, event)}});
    }
  }
  return table;
}

}  // namespace leeway::testing
