// One TCP connection of the control network, either end of it. Both ends prove first that they know the
// job's secret; until then nothing that arrives is looked at but a proof of fixed length. After that every
// message is encrypted and marked with a key of this connection and the message's number, so nothing can be
// read, changed, inserted, repeated or taken from another job.
//
// What the other end does not take, because it is stopped or cut off, waits in memory: at most kMostUnwritten bytes,
// then the connection is over.
//
// Not thread-safe. Never blocks but in `flush`.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/transport/secret.h"

namespace leeway {

enum class ControlKind : std::uint8_t {
  Hello = 1,  ///< member: `node` is here, its data address is `text`
  Welcome,  ///< server: you are `node`; `list`: each node's address, empty where one is gone already
  Refused,  ///< server: why in `text`
  Heartbeat,
  Down,      ///< server: `node` is gone, why in `text`
  Suspect,   ///< member: `node` has answered nothing for the verdict time
  Dying,     ///< member: about to end, why in `text`
  Leave,     ///< member: done
  Goodbye,   ///< server: everybody is done
  Dump,      ///< either: say what you wait for
  Evidence,  ///< member: what it waits for, in `text`
  Report,  ///< member: `node` is through with a step; `code` is what it exits with, 0 if all is well, why in `text`
  Inquire,    ///< server: try to reach everybody, and say within `milliseconds` whom not
  Unreached,  ///< member: these, in `list` (4 bytes each)
  Outcome,  ///< server: all are through, `code` 0; or the job ends with `code` because of `node`, why in `text`
};

struct ControlMessage {
  ControlKind kind = ControlKind::Heartbeat;
  std::uint32_t node = 0;
  std::uint32_t code = 0;
  std::uint32_t milliseconds = 0;
  std::string text;
  std::vector<std::string> list;
};

class ControlChannel {
 public:
  enum class Side { Server, Client };
  /// Of what was said and not yet written.
  static constexpr std::size_t kMostUnwritten = std::size_t{8} << 20U;
  /// A message's text is cut here.
  static constexpr std::size_t kLongestText = std::size_t{1} << 20U;
  /// Takes the connected socket over.
  ControlChannel(int socket, Side side, const Secret& secret);
  ~ControlChannel();
  ControlChannel(const ControlChannel&) = delete;
  ControlChannel& operator=(const ControlChannel&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  /// Whether the other end has said that it does not believe this one, or is not what it should be itself. A
  /// connection that merely ends may have met a rendezvous that had no time to look.
  [[nodiscard]] bool refused() const { return refused_; }
  [[nodiscard]] bool wants_to_write() const { return !out_.empty(); }
  [[nodiscard]] bool trusted() const { return trusted_; }
  /// Reads and writes what it can. False once the connection is over or the other end is not trusted.
  [[nodiscard]] bool move();
  [[nodiscard]] std::optional<ControlMessage> next();
  void send(const ControlMessage& message);
  /// Says that this end lives, unless something that was said before still waits to be written: then the other end has
  /// enough to read.
  void beat();
  /// Writes until all is out; at most so long.
  void flush(Duration most);
  /// Whether the machine at the other end has acknowledged anything within this time: it lives, whatever the
  /// process there does. Needs something to be sent now and then.
  [[nodiscard]] bool machine_answers(Duration within) const;

 private:
  bool read();
  bool write();
  bool prove();
  bool take_messages();
  void trust();

  int socket_;
  const Side side_;
  const Secret& secret_;
  bool trusted_ = false;
  bool over_ = false;
  bool refused_ = false;
  Digest own_nonce_;
  Digest other_nonce_{};
  Aead sending_;
  Aead receiving_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::string in_;
  std::string out_;
  std::vector<ControlMessage> early_;
  std::deque<ControlMessage> messages_;
};

}  // namespace leeway
