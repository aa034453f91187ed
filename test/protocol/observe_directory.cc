// Brings a real Directory into every state of ASPIRE's Figure 4 and applies every event.
#include "test/protocol/state_table.h"

#include "protocol/message.h"
#include "test/support/check_catcher.h"
#include "test/support/machines.h"

namespace leeway::testing {

namespace {

// Node 0 is the home of the only object. Node 1 shares it or has shared it; node 2 has a link but
// no copy.
constexpr LocalIndex kObject{0};
const std::array<std::string_view, 4> kStates = {"no sharer", "shared", "queued", "unacked"};
const std::array<std::string_view, 14> kEvents = {
    "read",        "reread",  "evict",        "old evict",      "wrote",
    "wrote twice", "flush",   "remote write", "repeated write", "ack",
    "late ack",    "decline", "link",         "repeated link"};

class Subject {
 public:
  explicit Subject(const Policy& policy)
      : values_(1), directory_(SpaceId(0), NodeId(0), 3, 1, policy, 8, values_), out_(3, false) {
    LEEWAY_CHECK((link(1) && link(2)));
    LEEWAY_CHECK(read(1, 0));
    (void)sent();
  }

  /// False if the policy never reaches this state.
  bool enter(std::string_view state) {
    if (state == "no sharer") LEEWAY_CHECK(evict(1, 1));
    if (state == "queued" || state == "unacked") directory_.wrote(kObject);
    if (state == "unacked") directory_.flush(out_);
    (void)sent();
    return state != "unacked" || !directory_.all_acked(directory_.last_ack());
  }

  std::string on(std::string_view event) {
    const CheckCatcher catcher;
    const std::uint64_t before = directory_.version(kObject).value();
    try {
      if (!handle(event)) return "refused";
    } catch (const CheckFailed&) {
      return "bug";
    }
    std::string text = state_name();
    text += " {";
    for (const NodeId node : directory_.sharers(kObject))
      text += (text.back() == '{' ? "" : ",") + std::to_string(node.value());
    text += "}";
    const std::uint64_t writes = directory_.version(kObject).value() - before;
    if (writes > 0) text += "; version +" + std::to_string(writes);
    for (const std::string& message : sent()) text += "; " + message;
    return text;
  }

 private:
  [[nodiscard]] std::string state_name() const {
    if (directory_.needs_flush()) return "queued";
    if (!directory_.all_acked(directory_.last_ack())) return "unacked";
    return directory_.sharers(kObject).empty() ? "no sharer" : "shared";
  }

  bool handle(std::string_view event) {
    if (event == "read") return read(2, 0);
    if (event == "reread") return read(1, 1);
    if (event == "evict") return evict(1, 2);
    if (event == "old evict") return evict(1, 0);
    if (event == "wrote") directory_.wrote(kObject);
    if (event == "wrote twice") directory_.wrote(kObject, 2);
    if (event == "flush") directory_.flush(out_);
    if (event == "remote write") return write(2, directory_.version(kObject).value() + 1);
    if (event == "repeated write") return write(2, directory_.version(kObject).value());
    if (event == "ack") return ack(directory_.last_ack());
    if (event == "late ack") return ack(AckNumber(1000));
    if (event == "decline") return decline(1);
    if (event == "link" || event == "repeated link") return link(event == "link" ? 0 : 1);
    return true;
  }

  bool link(std::uint32_t from) {
    LinkMessage message;
    message.objects = {kObject};
    ByteWriter out;
    encode(message, out);
    ByteReader in(out.span());
    return directory_.on_link(NodeId(from), in);
  }
  bool read(std::uint32_t from, std::uint64_t evicted) {
    ByteWriter out;
    encode(ReadMessage{RequestNumber(1), EvictNumber(evicted), {LinkIndex(0)}}, out);
    ByteReader in(out.span());
    return directory_.on_read(NodeId(from), in, out_);
  }
  bool evict(std::uint32_t from, std::uint64_t number) {
    ByteWriter out;
    encode(EvictMessage{EvictNumber(number), {LinkIndex(0)}}, out);
    ByteReader in(out.span());
    return directory_.on_evict(NodeId(from), in);
  }
  bool write(std::uint32_t from, std::uint64_t version) {
    ByteWriter out;
    encode_write_head({AckNumber(0), LinkIndex(0), Version(version), {}}, out);
    out.raw(bytes_of(version));
    ByteReader in(out.span());
    return directory_.on_write(NodeId(from), in, out_);
  }
  bool ack(AckNumber number) {
    ByteWriter out;
    out.varint(number.value());
    ByteReader in(out.span());
    return directory_.on_ack(NodeId(1), in, out_);
  }
  bool decline(std::uint32_t from) {
    ByteWriter out;
    encode_links(std::vector{LinkIndex(0)}, out);
    ByteReader in(out.span());
    return directory_.on_decline(NodeId(from), in);
  }

  std::vector<std::string> sent() {
    constexpr std::array kNames = {"",    "Link",  "Read",  "Reply",   "Invalidate",
                                   "Ack", "Evict", "Write", "WriteAck"};
    std::vector<std::string> messages;
    std::vector<OutFrame> frames;
    out_.drain(frames);
    for (const OutFrame& frame : frames) {
      ByteReader in(frame.bytes);
      const MessageKind kind = decode_header(in).kind;
      std::string text = kNames[static_cast<std::size_t>(kind)];
      if (kind == MessageKind::Invalidate) {
        InvalidateMessage message;
        decode(in, message, 1, 8);
        if (message.pushes) text = "push";
      }
      messages.push_back(text + " to " + std::to_string(frame.to.value()));
    }
    return messages;
  }

  PlainValues values_;
  Directory directory_;
  Outbox out_;
};

std::string agreed(std::initializer_list<std::string_view> modes, std::string_view state,
                   std::string_view event) {
  std::string outcome;
  for (const std::string_view mode : modes) {
    Policy policy = policy_of(mode);
    policy.optimizations.collocation = false;  // otherwise a write from another node is refused
    Subject subject(policy);
    const std::string one = subject.enter(state) ? subject.on(event) : "never here";
    if (outcome.empty()) outcome = one;
    if (one != outcome)
      return "modes disagree: " + outcome + " / " + one + " under " + std::string(mode);
  }
  return outcome;
}

}  // namespace

Table observe_directory() {
  Table table;
  for (const std::string_view state : kStates) {
    for (const std::string_view event : kEvents) {
      table.push_back({std::string(state),
                       std::string(event),
                       {agreed({"rcp", "rcp+push", "stale-3", "scp+rw"}, state, event),
                        agreed({"scp"}, state, event), agreed({"scp+pb"}, state, event)}});
    }
  }
  return table;
}

}  // namespace leeway::testing
