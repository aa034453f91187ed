// The Wire over MPI and the joining of an MPI job. Only this file calls MPI. Only the start blocks:
// with more ranks than cores, a blocking call of MPICH uses its whole time slice. MPI returns
// errors instead of aborting; the first error is kept as the wire's failure, after which nothing is
// sent or received and the job ends with that reason.

#include "transport/mpi_wire.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "base/process.h"
#include "transport/launch.h"
#include "transport/process_job.h"
#include "transport/secret.h"
#include "transport/wire_transport.h"

namespace leeway {

namespace {

constexpr int kFrameTag = 1;
constexpr int kLargeTag = 2;
constexpr std::uint64_t kNotice = 2;  // in an envelope's `carries`
constexpr std::size_t kSlots = 32;
/// A frame of at most this size, trailer included, is received into a slot. For a larger one, a
/// notice with its size arrives first, and then a receive is posted, which costs the wait for the
/// notice.
constexpr std::size_t kSlotBytes = 64 * 1024 + sizeof(std::uint64_t);
/// Larger frames are passed on in the slot's memory, which is replaced; smaller ones are copied, so
/// that the memory of waiting frames is at most four times what the window counts.
constexpr std::size_t kMostCopied = 16 * 1024;
/// Posting a receive takes as long as receiving, so most slots are posted again when no frame is
/// waiting.
constexpr std::size_t kFewSlots = kSlots / 2;
constexpr Duration kMpiSpin = std::chrono::microseconds(30);

/// The envelope in one word; follows every small frame.
class Trailer {
 public:
  Trailer() = default;
  explicit Trailer(const Envelope& envelope) : word_(envelope.credit << 2U | envelope.carries) {}
  [[nodiscard]] Envelope envelope() const { return {.credit = word_ >> 2U, .carries = word_ & 3U}; }

 private:
  std::uint64_t word_ = 0;
};

class Mpi final : public MpiWire {
 public:
  Mpi(MPI_Comm communicator, bool owns) : communicator_(communicator), owns_(owns) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(communicator_, &rank);
    MPI_Comm_size(communicator_, &size);
    self_ = NodeId(static_cast<std::uint32_t>(rank));
    count_ = static_cast<std::uint32_t>(size);
    arriving_.resize(count_);
    must(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "set an error handler");
    post_slots();
  }

  ~Mpi() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (owns_ || finalized != 0) return;
    for (Slot& slot : slots_) {
      if (slot.request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&slot.request);
      MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&communicator_);
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  NodeId self() const override { return self_; }
  std::uint32_t node_count() const override { return count_; }
  bool owns_mpi() const override { return owns_; }
  void set_neighbours(std::uint32_t ranks) override {
    crowded_ = ranks > std::max(1u, std::thread::hardware_concurrency());
  }

  bool send(NodeId to, const Envelope& envelope, Frame& frame) override {
    const std::size_t bytes = frame.size();
    if (failed_.load(std::memory_order_relaxed)) {
      frame.clear();
      return true;
    }
    const Trailer trailer(envelope);
    if (bytes + sizeof(trailer) <= kSlotBytes) {
      frame.resize(bytes + sizeof(trailer));
      std::memcpy(frame.data() + bytes, &trailer, sizeof(trailer));
      start(to, kFrameTag, frame);
    } else {
      Frame notice(sizeof(Notice));
      const Notice text{bytes, trailer, Trailer({.credit = 0, .carries = kNotice})};
      std::memcpy(notice.data(), &text, sizeof(text));
      start(to, kFrameTag, notice);
      start(to, kLargeTag, frame);
    }
    frame.clear();
    return true;
  }

  /// Tests the posted receives in order, oldest first, because MPI fills them in that order. A
  /// notice announces a large frame, which gets a receive of its own; later frames of the same rank
  /// wait for it.
  bool receive(Packet& packet) override {
    if (failed_.load(std::memory_order_relaxed)) return false;
    if (arriving_count_ > 0 && take_arrived(packet)) return true;
    while (true) {
      if (posted_ <= kFewSlots) post_slots();
      Slot& slot = slots_[next_slot_];
      int done = 0;
      MPI_Status status;
      if (!must(MPI_Test(&slot.request, &done, &status), "receive")) return false;
      if (done == 0) {
        post_slots();
        reap();
        note_large();
        return false;
      }
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      const NodeId from(static_cast<std::uint32_t>(status.MPI_SOURCE));
      Arriving arriving;
      const bool small = take(slot, static_cast<std::size_t>(bytes), from, arriving);
      next_slot_ = (next_slot_ + 1) % kSlots;
      --posted_;
      auto& before = arriving_[from.index()];
      if (small && before.empty()) {
        hand_over(from, arriving, packet);
        return true;
      }
      before.push_back(std::move(arriving));
      ++arriving_count_;
    }
  }

  void reuse(Frame frame) override { spare_frames_.give(std::move(frame)); }
  bool drained() override {
    reap();
    return leaving_requests_.empty() || failed_.load();
  }

  Duration spin() const override { return crowded_ ? Duration::zero() : kMpiSpin; }
  bool rest_is_blind() const override { return true; }

  void rest(Duration idle, Duration most) override {
    // MPI transfers a large frame only while this process calls MPI.
    backoff_.rest(moving_large_.load() ? Duration::zero() : idle, most, crowded_);
  }
  void interrupt() override { backoff_.interrupt(); }
  void drop(NodeId) override {}

  Result<std::vector<std::byte>> gather(std::span<const std::byte> mine) override {
    std::vector<std::byte> all(mine.size() * count_);
    MPI_Request request = MPI_REQUEST_NULL;
    const int bytes = static_cast<int>(mine.size());
    LEEWAY_TRY(finish(MPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE,
                                     communicator_, &request),
                      request));
    return all;
  }
  Status broadcast(std::span<std::byte> data) override {
    MPI_Request request = MPI_REQUEST_NULL;
    const int bytes = static_cast<int>(data.size());
    return finish(MPI_Ibcast(data.data(), bytes, MPI_BYTE, 0, communicator_, &request), request);
  }

  std::string failure() const override {
    return failed_.load(std::memory_order_acquire) ? failure_ : std::string();
  }

 private:
  struct Arriving {
    MPI_Request request = MPI_REQUEST_NULL;
    Envelope envelope;
    Frame frame;
  };
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    Frame bytes = Frame(kSlotBytes);
  };
  /// Ends with a trailer like every small frame; the large frame that follows has no trailer.
  struct Notice {
    std::uint64_t frame_bytes = 0;
    Trailer of_frame;
    Trailer trailer;
  };

  /// False if the MPI call failed; then the wire has failed.
  bool must(int outcome, const char* what) {
    if (outcome == MPI_SUCCESS) return true;
    if (failed_.load(std::memory_order_relaxed)) return false;
    char words[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(outcome, words, &length);
    failure_ = format("MPI cannot {}: {}", what,
                      std::string_view(words, static_cast<std::size_t>(length)));
    failed_.store(true, std::memory_order_release);
    return false;
  }

  /// Completes a collective operation; `outcome` is the result of the call that started it.
  Status finish(int outcome, MPI_Request& request) {
    bool well = must(outcome, "start a collective operation");
    int done = 0;
    while (well && done == 0) {
      well = must(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "finish a collective operation");
      ::sched_yield();
    }
    if (well) return {};
    return fail(environment_error("mpi", failure_, "see the messages of the other ranks"));
  }

  /// Uses the MPI-4 functions with large counts, since a frame may be larger than an int can
  /// express.
  void start(NodeId to, int tag, Frame& frame) {
    MPI_Request request = MPI_REQUEST_NULL;
    const bool well = must(MPI_Isend_c(frame.data(), static_cast<MPI_Count>(frame.size()), MPI_BYTE,
                                       static_cast<int>(to.value()), tag, communicator_, &request),
                           "send");
    if (!well) return;
    if (is_done(request)) return spare_frames_.give(std::move(frame));
    leaving_requests_.push_back(request);
    leaving_frames_.push_back(std::move(frame));
  }

  /// The slots from `next_slot_` on are posted in order.
  void post_slots() {
    for (; posted_ < kSlots && !failed_.load(std::memory_order_relaxed); ++posted_) {
      Slot& slot = slots_[(next_slot_ + posted_) % kSlots];
      must(MPI_Irecv(slot.bytes.data(), static_cast<int>(slot.bytes.size()), MPI_BYTE,
                     MPI_ANY_SOURCE, kFrameTag, communicator_, &slot.request),
           "receive");
    }
  }

  /// A frame of this size. Its content is unspecified, since clearing memory costs as much as
  /// receiving into it.
  Frame frame_of(std::size_t bytes) {
    Frame frame = spare_frames_.take(bytes);
    frame.resize(bytes);
    return frame;
  }

  /// False if the slot held a notice; then the receive of the large frame into `arriving` is
  /// posted.
  bool take(Slot& slot, std::size_t bytes, NodeId from, Arriving& arriving) {
    Notice notice;
    LEEWAY_CHECK(bytes >= sizeof(notice.trailer));
    const std::byte* const end = slot.bytes.data() + bytes - sizeof(notice.trailer);
    std::memcpy(static_cast<void*>(&notice.trailer), end, sizeof(notice.trailer));
    arriving.envelope = notice.trailer.envelope();
    if (arriving.envelope.carries != kNotice) {
      if (bytes <= kMostCopied) {
        arriving.frame.assign(std::as_const(slot.bytes).data(), end);
        return true;
      }
      arriving.frame = std::exchange(slot.bytes, frame_of(kSlotBytes));
      arriving.frame.resize(bytes - sizeof(notice.trailer));
      return true;
    }
    LEEWAY_CHECK(bytes == sizeof(notice));
    std::memcpy(static_cast<void*>(&notice), slot.bytes.data(), sizeof(notice));
    arriving.envelope = notice.of_frame.envelope();
    arriving.frame = frame_of(notice.frame_bytes);
    must(MPI_Irecv_c(arriving.frame.data(), static_cast<MPI_Count>(arriving.frame.size()), MPI_BYTE,
                     static_cast<int>(from.value()), kLargeTag, communicator_, &arriving.request),
         "receive a large frame");
    return false;
  }

  void note_large() {
    const auto large = [](const Frame& frame) { return frame.size() > kSlotBytes; };
    const bool moving =
        arriving_count_ > 0 || std::any_of(leaving_frames_.begin(), leaving_frames_.end(), large);
    if (moving != moving_large_.load(std::memory_order_relaxed)) moving_large_ = moving;
  }

  bool is_done(MPI_Request& request) {
    int done = 0;
    return must(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "send or receive") && done != 0;
  }

  static void hand_over(NodeId from, Arriving& arriving, Packet& packet) {
    packet.from = from;
    packet.envelope = arriving.envelope;
    packet.frame = std::move(arriving.frame);
  }

  /// Delivers waiting frames of all ranks in turn. A rank's frames stay in order behind its large
  /// frame.
  bool take_arrived(Packet& packet) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      turn_ = (turn_ + 1) % count_;
      auto& waiting = arriving_[turn_];
      if (waiting.empty() || !is_done(waiting.front().request)) continue;
      hand_over(NodeId(turn_), waiting.front(), packet);
      waiting.pop_front();
      --arriving_count_;
      return true;
    }
    return false;
  }

  /// Releases the frames that have been sent.
  void reap() {
    if (leaving_requests_.empty()) return;
    int done = 0;
    done_.resize(leaving_requests_.size());
    const bool well =
        must(MPI_Testsome(static_cast<int>(leaving_requests_.size()), leaving_requests_.data(),
                          &done, done_.data(), MPI_STATUSES_IGNORE),
             "send");
    if (!well || done <= 0) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < leaving_requests_.size(); ++i) {
      if (leaving_requests_[i] == MPI_REQUEST_NULL) {
        spare_frames_.give(std::move(leaving_frames_[i]));
        continue;
      }
      leaving_requests_[kept] = leaving_requests_[i];
      if (kept != i) leaving_frames_[kept] = std::move(leaving_frames_[i]);
      ++kept;
    }
    leaving_requests_.resize(kept);
    leaving_frames_.resize(kept);
  }

  MPI_Comm communicator_;
  const bool owns_;
  NodeId self_{0};
  std::uint32_t count_ = 1;
  bool crowded_ = false;
  Backoff backoff_;
  std::vector<MPI_Request> leaving_requests_;
  std::vector<Frame> leaving_frames_;
  std::vector<int> done_;
  SpareFrames spare_frames_;
  std::array<Slot, kSlots> slots_;
  std::size_t next_slot_ = 0;
  std::size_t posted_ = 0;
  std::vector<std::deque<Arriving>> arriving_;
  std::size_t arriving_count_ = 0;
  std::uint32_t turn_ = 0;
  std::atomic<bool> moving_large_{false};
  std::string failure_;  // written once, before failed_ is set
  std::atomic<bool> failed_{false};
};

/// UCX prints a backtrace of dozens of lines when a peer dies during a transfer; the job prints the
/// reason in one line instead. UCX reads its environment before main, so the option is set by UCX's
/// own function, if the symbol exists.
void quiet_ucx() {
  using SetOption = int (*)(const char* name, const char* value);
  void* const found = ::dlsym(RTLD_DEFAULT, "ucs_global_opts_set_value");
  if (found == nullptr || std::getenv("UCX_HANDLE_ERRORS") != nullptr) return;
  const auto set = reinterpret_cast<SetOption>(found);
  (void)set("HANDLE_ERRORS", "none");
}

Result<MPI_Comm> start(std::optional<int> communicator) {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized != 0) {
    return fail(input_error("mpi", "MPI has been finalised in this process already",
                            "join the job before MPI_Finalize, once a process"));
  }
  if (communicator) {
    int level = MPI_THREAD_SINGLE;
    if (initialized != 0) MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE) {
      return fail(input_error(
          "mpi", "a communicator was given, but MPI does not allow calls from several threads",
          "start MPI with MPI_Init_thread(…, MPI_THREAD_MULTIPLE, …)"));
    }
    return MPI_Comm_f2c(*communicator);
  }
  if (initialized != 0) {
    return fail(input_error("mpi", "this program has started MPI itself",
                            "give the communicator whose ranks should be nodes"));
  }
  quiet_ucx();
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  if (level < MPI_THREAD_SERIALIZED) {
    return fail(environment_error("mpi", "this MPI was built without support for threads",
                                  "use Debian's mpich"));
  }
  return MPI_COMM_WORLD;
}

/// `communicator`: a Fortran handle. Blocks until all ranks have called it.
Result<std::unique_ptr<MpiWire>> open_mpi(std::optional<int> communicator) {
  LEEWAY_ASSIGN(const MPI_Comm from, start(communicator));
  // A duplicate communicator separates our messages from the user's.
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(from, &own, &request);
  int done = 0;
  while (done == 0) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    ::sched_yield();
  }
  return std::make_unique<Mpi>(own, !communicator);
}

/// Sent by every rank to all others over MPI before the control network exists. Only rank 0's
/// addresses are used.
struct Introduction {
  std::uint64_t machine = 0;
  KeyPair::PublicHalf key{};
  char addresses[432] = {};
};

/// Equal on all processes of one machine, different on different machines.
std::uint64_t machine_print() {
  std::uint64_t print = 1;
  for (const char letter : host_name()) {
    print = mix64(print ^ static_cast<unsigned char>(letter));
  }
  return print;
}

Result<std::vector<Introduction>> introduce(MpiWire& wire, const Introduction& mine) {
  LEEWAY_ASSIGN(const auto bytes, wire.gather(std::as_bytes(std::span(&mine, 1))));
  std::vector<Introduction> all(wire.node_count());
  std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
  return all;
}

/// Sets up the control network: rank 0 holds the rendezvous, all ranks join it.
Status add_control(MpiWire& wire, JobSetup& setup, const JobOptions& options) {
  const KeyPair keys;
  Introduction mine;
  mine.machine = machine_print();
  mine.key = keys.public_half();
  const Secret own = Secret::random();
  if (wire.self() == NodeId(0)) {
    LEEWAY_ASSIGN(setup.rendezvous, Rendezvous::open({.nodes = wire.node_count(),
                                                      .secret = own,
                                                      .verdict = options.verdict,
                                                      .host = {},
                                                      .on_down = {},
                                                      .on_evidence = keep_evidence}));
    const std::string addresses =
        own_addresses(setup.rendezvous->port(), sizeof(mine.addresses) - 1);
    std::strncpy(mine.addresses, addresses.c_str(), sizeof(mine.addresses) - 1);
  }
  LEEWAY_ASSIGN(const auto all, introduce(wire, mine));
  setup.neighbours = static_cast<std::uint32_t>(std::count_if(
      all.begin(), all.end(), [&](const auto& each) { return each.machine == mine.machine; }));
  wire.set_neighbours(setup.neighbours);
  std::vector<KeyPair::PublicHalf> halves;
  for (const Introduction& each : all) halves.push_back(each.key);
  LEEWAY_ASSIGN(const Secret secret, share_secret(wire, own, keys, halves));
  LEEWAY_ASSIGN(setup.membership, Membership::connect(all[0].addresses, secret, options.verdict));
  return setup.membership->enter(wire.self(), host_name());
}

}  // namespace

Result<std::unique_ptr<Job>> join_mpi_job(const JobOptions& options) {
  const LaunchInfo launch = read_launch(::environ);
  if (!launch.foreign.empty()) return fail(stranded(launch));
  raise_descriptor_limit();
  JobSetup setup;
  setup.owned = !options.communicator;
  setup.guarded = setup.owned && launch.pmi && stand_under_guardian();
  LEEWAY_ASSIGN(auto wire, open_mpi(options.communicator));
  if (setup.owned) {
    if (launch.processes > 1 && wire->node_count() == 1) {
      return fail(environment_error(
          "mpi", format("the launcher started {} processes, but MPI reports one", launch.processes),
          "use the launcher of the MPI that leeway was built with: mpiexec.mpich"));
    }
  }
  LEEWAY_TRY(add_control(*wire, setup, options));
  if (setup.owned) part_from_launcher();
  setup.wire = std::move(wire);
  return std::make_unique<ProcessJob>(std::move(setup), options);
}

}  // namespace leeway
