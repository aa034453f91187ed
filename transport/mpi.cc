// The only file that speaks MPI. Nothing here blocks but starting: with more ranks than cores, a blocking
// call of MPICH burns its whole time slice.
#include "leeway/transport/mpi_wire.h"

#include <mpi.h>
#include <sched.h>
#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/transport/backoff.h"

namespace leeway {

namespace {

constexpr int kFrameTag = 1;
constexpr int kLargeTag = 2;
constexpr std::uint32_t kNotice = 2;  // in an envelope's `carries`
constexpr std::size_t kSlots = 32;
constexpr std::size_t kSlotBytes = 68 * 1024;
constexpr Duration kSpin = std::chrono::microseconds(30);

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
    for (Slot& slot : slots_) post(slot);
  }

  ~Mpi() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (owns_ || finalized != 0) return;
    for (Slot& slot : slots_) {
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
    LEEWAY_CHECK(bytes < std::size_t{INT_MAX} - sizeof(Envelope));
    frame.resize(bytes + sizeof(Envelope));
    std::memcpy(frame.data() + bytes, &envelope, sizeof(Envelope));
    if (frame.size() <= kSlotBytes) {
      start(to, kFrameTag, frame);
    } else {
      Frame notice(sizeof(Notice));
      const Notice says{frame.size(), {.credit = 0, .carries = kNotice}};
      std::memcpy(notice.data(), &says, sizeof(says));
      start(to, kFrameTag, notice);
      start(to, kLargeTag, frame);
    }
    frame.clear();
    return true;
  }

  /// Takes from the receives that wait in line, oldest first: MPI fills them in that order. A large frame
  /// is announced by a notice and fetched by a receive of its own; those behind it of the same rank wait.
  bool receive(Packet& packet) override {
    if (arriving_count_ > 0 && take_arrived(packet)) return true;
    while (true) {
      Slot& slot = slots_[next_slot_];
      int done = 0;
      MPI_Status status;
      MPI_Test(&slot.request, &done, &status);
      if (done == 0) {
        reap();
        return false;
      }
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      const NodeId from(static_cast<std::uint32_t>(status.MPI_SOURCE));
      Arriving arriving;
      const bool small = take(slot, static_cast<std::size_t>(bytes), from, arriving);
      post(slot);
      next_slot_ = (next_slot_ + 1) % kSlots;
      auto& before = arriving_[from.index()];
      if (small && before.empty()) {
        unpack(from, arriving.frame, packet);
        return true;
      }
      before.push_back(std::move(arriving));
      ++arriving_count_;
    }
  }

  bool drained() override {
    reap();
    return leaving_requests_.empty();
  }

  Duration spin() const override { return crowded_ ? Duration::zero() : kSpin; }
  bool rest_is_blind() const override { return true; }

  void rest(Duration idle, Duration most) override { backoff_.rest(idle, most, crowded_); }
  void interrupt() override { backoff_.interrupt(); }
  void drop(NodeId) override {}

  std::vector<std::byte> gather(std::span<const std::byte> mine) override {
    std::vector<std::byte> all(mine.size() * count_);
    MPI_Request request = MPI_REQUEST_NULL;
    const int bytes = static_cast<int>(mine.size());
    MPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, communicator_,
                   &request);
    while (!is_done(request)) ::sched_yield();
    return all;
  }

 private:
  struct Arriving {
    MPI_Request request = MPI_REQUEST_NULL;
    Frame frame;
  };
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes = std::vector<std::byte>(kSlotBytes);
  };
  /// Ends like every frame, in an envelope.
  struct Notice {
    std::uint64_t frame_bytes = 0;
    Envelope envelope;
  };

  void start(NodeId to, int tag, Frame& frame) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(frame.data(), static_cast<int>(frame.size()), MPI_BYTE, static_cast<int>(to.value()),
              tag, communicator_, &request);
    if (is_done(request)) return;
    leaving_requests_.push_back(request);
    leaving_frames_.push_back(std::move(frame));
  }

  void post(Slot& slot) {
    MPI_Irecv(slot.bytes.data(), static_cast<int>(slot.bytes.size()), MPI_BYTE, MPI_ANY_SOURCE,
              kFrameTag, communicator_, &slot.request);
  }

  /// False if the slot held a notice; then the large frame is on its way into `arriving`.
  bool take(const Slot& slot, std::size_t bytes, NodeId from, Arriving& arriving) {
    LEEWAY_CHECK(bytes >= sizeof(Envelope));
    Notice notice;
    std::memcpy(&notice.envelope, slot.bytes.data() + bytes - sizeof(Envelope), sizeof(Envelope));
    if (notice.envelope.carries != kNotice) {
      const auto first = slot.bytes.begin();
      arriving.frame.assign(first, first + static_cast<std::ptrdiff_t>(bytes));
      return true;
    }
    LEEWAY_CHECK(bytes == sizeof(notice));
    std::memcpy(&notice, slot.bytes.data(), sizeof(notice));
    arriving.frame.resize(notice.frame_bytes);
    MPI_Irecv(arriving.frame.data(), static_cast<int>(arriving.frame.size()), MPI_BYTE,
              static_cast<int>(from.value()), kLargeTag, communicator_, &arriving.request);
    return false;
  }

  static bool is_done(MPI_Request& request) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  static void unpack(NodeId from, Frame& frame, Packet& packet) {
    LEEWAY_CHECK(frame.size() >= sizeof(Envelope));
    const std::size_t bytes = frame.size() - sizeof(Envelope);
    std::memcpy(&packet.envelope, frame.data() + bytes, sizeof(Envelope));
    frame.resize(bytes);
    packet.from = from;
    packet.frame = std::move(frame);
  }

  /// A large frame arrives bit by bit; those behind it of the same rank wait for it.
  bool take_arrived(Packet& packet) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      turn_ = (turn_ + 1) % count_;
      auto& waiting = arriving_[turn_];
      if (waiting.empty() || !is_done(waiting.front().request)) continue;
      unpack(NodeId(turn_), waiting.front().frame, packet);
      waiting.pop_front();
      --arriving_count_;
      return true;
    }
    return false;
  }

  /// Lets go of frames that have left.
  void reap() {
    if (leaving_requests_.empty()) return;
    int done = 0;
    done_.resize(leaving_requests_.size());
    MPI_Testsome(static_cast<int>(leaving_requests_.size()), leaving_requests_.data(), &done,
                 done_.data(), MPI_STATUSES_IGNORE);
    if (done <= 0) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < leaving_requests_.size(); ++i) {
      if (leaving_requests_[i] == MPI_REQUEST_NULL) continue;
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
  std::array<Slot, kSlots> slots_;
  std::size_t next_slot_ = 0;
  std::vector<std::deque<Arriving>> arriving_;
  std::size_t arriving_count_ = 0;
  std::uint32_t turn_ = 0;
};

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
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  if (level < MPI_THREAD_SERIALIZED) {
    return fail(environment_error("mpi", "this MPI was built without support for threads",
                                  "use Debian's mpich"));
  }
  return MPI_COMM_WORLD;
}

}  // namespace

Result<std::unique_ptr<MpiWire>> open_mpi(std::optional<int> communicator) {
  LEEWAY_ASSIGN(const MPI_Comm from, start(communicator));
  // A copy of our own: no message of ours can meet one of the user's.
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

}  // namespace leeway
