// bench-transport: cost of the transports compared with the libraries below them, in one run on one machine: half a
// round trip at several sizes, the rate of small records aggregated into frames, and a remote fetch that misses.

#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/median.h"
#include "benchmarks/harness.h"
#include "dsm/dsm.h"
#include "dsm/node.h"
#include "transport/fabric.h"
#include "transport/launch.h"
#include "transport/ofi.h"

namespace leeway::bench {

/// One of two endpoints that exchange bytes in order.
class Rival {
 public:
  virtual ~Rival() = default;
  [[nodiscard]] virtual bool first() const = 0;
  /// A buffer for the next message, to be filled before `send`.
  [[nodiscard]] virtual std::span<std::byte> message(std::size_t bytes) = 0;
  virtual void send() = 0;
  /// Blocks until `bytes` bytes have arrived, the size of one sent message.
  virtual void receive(std::size_t bytes) = 0;
  virtual void finish() {}
};

/// "raw-mpi": this process is one of two ranks. "raw-tcp", "raw-ofi": forks the other endpoint. Null if that is
/// impossible.
std::unique_ptr<Rival> make_rival(const std::string& kind);

namespace {

class RawMpi final : public Rival {
 public:
  RawMpi() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  bool first() const override { return rank_ == 0; }
  std::span<std::byte> message(std::size_t bytes) override {
    message_.resize(bytes);
    return message_;
  }
  void send() override {
    MPI_Send(message_.data(), static_cast<int>(message_.size()), MPI_BYTE, 1 - rank_, 0,
             MPI_COMM_WORLD);
  }
  void receive(std::size_t bytes) override {
    buffer_.resize(bytes);
    MPI_Recv(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, 1 - rank_, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  void finish() override { MPI_Finalize(); }

 private:
  int rank_ = 0;
  std::vector<std::byte> message_;
  std::vector<std::byte> buffer_;
};

class RawTcp final : public Rival {
 public:
  RawTcp(int socket, bool first) : socket_(socket), first_(first) {
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  ~RawTcp() override { ::close(socket_); }
  bool first() const override { return first_; }
  std::span<std::byte> message(std::size_t bytes) override {
    message_.resize(bytes);
    return message_;
  }
  void send() override {
    for (std::span<const std::byte> left = message_; !left.empty();) {
      const ssize_t put = ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL);
      if (put <= 0) ::_exit(4);
      left = left.subspan(static_cast<std::size_t>(put));
    }
  }
  void receive(std::size_t bytes) override {
    buffer_.resize(bytes);
    for (std::size_t got = 0; got < bytes;) {
      const ssize_t more = ::recv(socket_, buffer_.data() + got, bytes - got, 0);
      if (more <= 0) ::_exit(4);
      got += static_cast<std::size_t>(more);
    }
  }

 private:
  int socket_;
  bool first_;
  std::vector<std::byte> message_;
  std::vector<std::byte> buffer_;
};

/// Two endpoints of libfabric, opened as in transport/ofi.cc; waits by polling.
class RawOfi final : public Rival {
 public:
  /// `other`: a socket to the other endpoint, for the exchange of addresses.
  RawOfi(int other, bool first) : first_(first) {
    for (const auto& [name, value] : kProviderSettings) ::setenv(name, value, 0);
    open();
    char mine[512] = {};
    std::size_t length = sizeof(mine);
    must(fi_getname(&endpoint_->fid, mine, &length));
    char theirs[sizeof(mine)];
    if (::write(other, mine, sizeof(mine)) != sizeof(mine) ||
        ::read(other, theirs, sizeof(theirs)) != sizeof(theirs) ||
        fi_av_insert(names_, theirs, 1, &peer_, 0, nullptr) != 1) {
      ::_exit(4);
    }
  }
  bool first() const override { return first_; }
  std::span<std::byte> message(std::size_t bytes) override {
    message_.resize(bytes);
    return message_;
  }
  void send() override {
    Operation operation;
    while (fi_tsend(endpoint_, message_.data(), message_.size(), nullptr, peer_, kTag,
                    &operation) != 0)
      progress();
    complete(operation);
  }
  void receive(std::size_t bytes) override {
    buffer_.resize(bytes);
    Operation operation;
    while (fi_trecv(endpoint_, buffer_.data(), bytes, nullptr, FI_ADDR_UNSPEC, kTag, 0,
                    &operation) != 0)
      progress();
    complete(operation);
  }

 private:
  static constexpr std::uint64_t kTag = 1;
  struct Operation {
    fi_context2 context{};
    bool done = false;
  };
  static void must(ssize_t outcome) {
    if (outcome < 0) ::_exit(4);
  }
  void open() {
    fi_info* const hints = fi_allocinfo();
    hints->caps = FI_TAGGED;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->mr_mode = 0;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->fabric_attr->prov_name = ::strdup("tcp;ofi_rxm");
    fi_info* info = nullptr;
    must(fi_getinfo(FI_VERSION(1, 15), "127.0.0.1", "0", FI_SOURCE, hints, &info));
    fid_fabric* fabric = nullptr;
    fid_domain* domain = nullptr;
    must(fi_fabric(info->fabric_attr, &fabric, nullptr));
    must(fi_domain(fabric, info, &domain, nullptr));
    fi_av_attr names{};
    names.type = FI_AV_TABLE;
    must(fi_av_open(domain, &names, &names_, nullptr));
    fi_cq_attr queue{};
    queue.format = FI_CQ_FORMAT_MSG;
    queue.wait_obj = FI_WAIT_FD;
    must(fi_cq_open(domain, &queue, &queue_, nullptr));
    must(fi_endpoint(domain, info, &endpoint_, nullptr));
    must(fi_ep_bind(endpoint_, &names_->fid, 0));
    must(fi_ep_bind(endpoint_, &queue_->fid, FI_TRANSMIT | FI_RECV));
    must(fi_enable(endpoint_));
  }
  void progress() {
    fi_cq_msg_entry entries[8];
    const ssize_t got = fi_cq_read(queue_, entries, 8);
    if (got == -FI_EAGAIN) return;
    must(got);
    for (ssize_t i = 0; i < got; ++i) static_cast<Operation*>(entries[i].op_context)->done = true;
  }
  void complete(Operation& operation) {
    while (!operation.done) progress();
  }

  bool first_;
  fid_av* names_ = nullptr;
  fid_cq* queue_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  std::vector<std::byte> message_;
  std::vector<std::byte> buffer_;
};

std::unique_ptr<Rival> make_ofi() {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return nullptr;
  const bool first = ::fork() != 0;
  if (!first) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return std::make_unique<RawOfi>(sockets[first ? 0 : 1], first);
}

std::unique_ptr<Rival> make_tcp() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listener, name, length) != 0 || ::listen(listener, 1) != 0 ||
      ::getsockname(listener, name, &length) != 0) {
    return nullptr;
  }
  const bool first = ::fork() != 0;
  if (first) return std::make_unique<RawTcp>(::accept(listener, nullptr, nullptr), true);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(socket, name, length) != 0) ::_exit(3);
  return std::make_unique<RawTcp>(socket, false);
}

}  // namespace

std::unique_ptr<Rival> make_rival(const std::string& kind) {
  if (kind == "raw-mpi") return std::make_unique<RawMpi>();
  if (kind == "raw-ofi") return make_ofi();
  return kind == "raw-tcp" ? make_tcp() : nullptr;
}

}  // namespace leeway::bench

namespace {

// Without arguments, the program starts its own processes:
//
//   bench-transport                            everything, with a table and one JSON line
//   bench-transport node TRANSPORT [WHAT]      one of two processes; TRANSPORT: ours, miss,
//                                              raw-mpi, raw-ofi or raw-tcp;
//                                              WHAT: a size in bytes or `rate`; default: everything
//   bench-transport launch TRANSPORT [WHAT]    both processes of a job over libfabric;
//                                              TRANSPORT: ours, encrypted or miss
//
// Both sides work alike: the program writes each message into a buffer of the transport and sends it from there. A
// library's buffer is always the same; our frames are new for each message, because the transport takes ownership of
// them, and this cost counts as ours. Raw libfabric uses the same provider and settings as our wire.
using namespace leeway;
using bench::Rival;

constexpr std::array<std::size_t, 5> kSizes = {8, 64, 1024, 4096, 65536};
constexpr int kRounds = 40;  // the best counts; other load only adds time
constexpr std::size_t kRecord = 24;
constexpr std::size_t kAggregate = 8192;
constexpr std::uint64_t kRecords = 300'000;
constexpr int kFetches = 2000;

/// Our transport; waits as a node does.
class Ours final : public Rival, private FrameSink {
 public:
  explicit Ours(Transport& transport)
      : transport_(transport), peer_(1 - transport.self().value()) {}

  bool first() const override { return transport_.self() == NodeId(0); }
  std::span<std::byte> message(std::size_t bytes) override {
    frame_ = Frame();
    frame_.reserve(bytes + sizeof(std::uint64_t));  // a wire may append to a frame
    frame_.resize(bytes);
    return frame_;
  }
  void send() override {
    while (true) {
      const std::uint64_t ticket = transport_.ticket();
      if (transport_.send(peer_, frame_) == SendOutcome::Sent) return;
      if (transport_.poll(*this, 64) == 0) transport_.wait(ticket, std::nullopt);
    }
  }
  void receive(std::size_t bytes) override {
    while (got_ < bytes) {
      const std::uint64_t ticket = transport_.ticket();
      if (transport_.poll(*this, 64) == 0) transport_.wait(ticket, std::nullopt);
    }
    got_ -= bytes;
  }

 private:
  void on_frame(NodeId, std::span<const std::byte> frame) override { got_ += frame.size(); }
  void on_peer_down(NodeId) override { std::_Exit(4); }

  Transport& transport_;
  NodeId peer_;
  Frame frame_;
  std::size_t got_ = 0;
};

/// Each message is written before it is sent, as programs do. Sending memory that was not written since the last
/// message costs less than half, because it is still in the other core's cache.
void ping_pong(Rival& rival, std::size_t bytes, int times) {
  const auto send = [&](int i) {
    const std::span<std::byte> data = rival.message(bytes);
    std::memset(data.data(), i, data.size());
    rival.send();
  };
  for (int i = 0; i < times; ++i) {
    if (rival.first()) send(i);
    rival.receive(bytes);
    if (!rival.first()) send(i);
  }
}

/// Microseconds, best of several rounds.
double half_round_trip(Rival& rival, std::size_t bytes) {
  const int times = bytes > 10000 ? 40 : 150;
  ping_pong(rival, bytes, 100);
  const auto once = [&] {
    const Stopwatch watch;
    ping_pong(rival, bytes, times);
    return watch.elapsed_seconds() / times / 2 * 1e6;
  };
  return bench::best_of(kRounds, once, std::less<>());
}

/// Millions of 24-byte records per second from the first endpoint to the second, packed into frames by the sender;
/// best of several rounds.
double record_rate(Rival& rival) {
  const auto once = [&] {
    constexpr std::size_t kRecordsPerFrame = kAggregate / kRecord;
    constexpr std::uint64_t kFrames = kRecords / kRecordsPerFrame;
    constexpr std::size_t kFrameBytes = kRecordsPerFrame * kRecord;
    const Stopwatch watch;
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      if (!rival.first()) {
        rival.receive(kFrameBytes);
        continue;
      }
      const std::span<std::byte> frame = rival.message(kFrameBytes);
      for (std::size_t record = 0; record < kRecordsPerFrame; ++record) {
        const std::uint64_t words[3] = {i, record, i ^ record};
        std::memcpy(frame.data() + record * kRecord, words, kRecord);
      }
      rival.send();
    }
    ping_pong(rival, 8, 1);  // all records have arrived
    return static_cast<double>(kFrames * kRecordsPerFrame) / watch.elapsed_seconds() * 1e-6;
  };
  return bench::best_of(kRounds, once, std::greater<>());
}

/// Median microseconds of a fetch of an object without a local copy, while the home waits.
double miss(Job& job) {
  Node node(job.transport(), {});
  SpaceOptions options;
  options.local_objects = kFetches;
  options.remote_objects = kFetches;
  auto dsm = Dsm<double>::open(node, options).value();
  std::vector<double> times;
  node.relaxed_barrier();
  if (job.self() == NodeId(0)) {
    for (std::uint32_t i = 0; i < kFetches; ++i) {
      const Handle handle = dsm.resolve(ObjectId(NodeId(1), LocalIndex(i))).value();
      const Stopwatch watch;
      bench::keep(dsm.fetch(handle));
      times.push_back(watch.elapsed_seconds() * 1e6);
    }
  }
  node.relaxed_barrier();
  node.close();
  return times.empty() ? 0 : median(std::move(times));
}

/// `what`: a size, `rate`, or empty for all.
void print_all(Rival& rival, const std::string& what) {
  for (const std::size_t bytes : kSizes) {
    if (!what.empty() && what != std::to_string(bytes)) continue;
    const double micros = half_round_trip(rival, bytes);
    if (rival.first()) std::printf("half %zu %.4f\n", bytes, micros);
  }
  if (!what.empty() && what != "rate") return;
  const double rate = record_rate(rival);
  if (rival.first()) std::printf("rate 0 %.4f\n", rate);
}

int be_node(const std::string& kind, const std::string& what) {
  if (kind.starts_with("raw")) {
    auto rival = bench::make_rival(kind);
    if (!rival) return 3;
    print_all(*rival, what);
    rival->finish();
    std::fflush(nullptr);
    ::_exit(0);
  }
  auto job = join_job({});
  if (!job) {
    std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
    return job.error().exit_code();
  }
  if (kind == "miss") {
    const double micros = miss(**job);
    if ((*job)->self() == NodeId(0)) std::printf("miss 0 %.4f\n", micros);
  } else {
    Ours ours((*job)->transport());
    print_all(ours, what);
  }
  (void)(*job)->leave();
  (*job)->exit(0);
}

using Numbers = std::map<std::pair<std::string, std::size_t>, double>;

/// The output of the two processes that `command` starts.
Numbers measure(const std::string& command) {
  Numbers numbers;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  char line[256];
  while (pipe != nullptr && std::fgets(line, sizeof(line), pipe) != nullptr) {
    std::istringstream words(line);
    std::string what;
    std::size_t size = 0;
    double value = 0;
    if (words >> what >> size >> value) numbers[{what, size}] = value;
  }
  if (pipe != nullptr) ::pclose(pipe);
  return numbers;
}

/// Compares `ours` with `raw` over the same fabric. `goals`: the project guarantees this ratio.
void compare(const std::string& name, const Numbers& ours, const std::string& raw_name,
             const Numbers& raw, double longest, std::vector<bench::Measurement>& lines) {
  for (const std::size_t size : kSizes) {
    const double own = ours.at({"half", size}), other = raw.at({"half", size});
    lines.push_back({format("half round trip {} B, {}", size, raw_name), other, "us"});
    lines.push_back(
        {format("half round trip {} B, {}", size, name), own, "us", own / other, longest});
  }
  const double own = ours.at({"rate", 0}), other = raw.at({"rate", 0});
  lines.push_back({format("24-byte records, {}", raw_name), other, "M/s"});
  lines.push_back({format("24-byte records, {}", name), own, "M/s", own / other, 0.7, true});
  const auto miss = ours.find({"miss", 0});
  if (miss == ours.end()) return;
  const double raw_trip = 2 * raw.at({"half", 8});
  lines.push_back({format("remote fetch that misses, {}", name), miss->second, "us",
                   miss->second / raw_trip, name == "mpi" ? 3.0 : 0});
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  const std::string what = words.size() > 2 ? words[2] : "";
  if (words.size() >= 2 && words[0] == "node") return be_node(words[1], what);
  if (words.size() >= 2 && words[0] == "launch") {
    const bool encrypts = words[1] == "encrypted";
    LaunchOptions options;
    options.nodes = 2;
    options.command = {"/proc/self/exe", "node", encrypts ? "ours" : words[1], what};
    options.encrypt = encrypts;
    const auto end = launch(options);
    return end ? end->code : end.error().exit_code();
  }
  if (!words.empty()) {
    std::fprintf(stderr, "bench-transport: unknown arguments; the source describes them\n");
    return 2;
  }
  const std::string self = "'" + std::string(values[0]) + "'";
  const Numbers raw_mpi = measure("mpiexec.mpich -n 2 " + self + " node raw-mpi");
  Numbers mpi = measure("mpiexec.mpich -n 2 " + self + " node ours");
  mpi.merge(measure("mpiexec.mpich -n 2 " + self + " node miss"));
  const Numbers raw_tcp = measure(self + " node raw-tcp");
  const Numbers raw_ofi = measure(self + " node raw-ofi");
  Numbers ofi = measure(self + " launch ours");
  const Numbers encrypted = measure(self + " launch encrypted");
  ofi.merge(measure(self + " launch miss"));
  for (const Numbers* each : std::initializer_list<const Numbers*>{&raw_mpi, &mpi, &raw_tcp,
                                                                   &raw_ofi, &ofi, &encrypted}) {
    if (each->size() >= kSizes.size() + 1) continue;
    std::fprintf(stderr, "bench-transport: some processes did not finish; is mpich installed?\n");
    return 3;
  }
  std::vector<bench::Measurement> lines;
  compare("mpi", mpi, "raw MPI", raw_mpi, 1.5, lines);
  compare("ofi", ofi, "raw libfabric", raw_ofi, 1.5, lines);
  compare("ofi, encrypted", encrypted, "raw libfabric", raw_ofi, 2, lines);
  compare("ofi", ofi, "raw TCP", raw_tcp, 1.5, lines);
  const bool met = bench::print_table(lines);
  bench::print_json("transport", [&](JsonWriter& json) {
    json.key("values").object([&] {
      for (const bench::Measurement& each : lines) json.member(each.name, each.value, ".3f");
    });
  });
  return met ? 0 : 1;
}
