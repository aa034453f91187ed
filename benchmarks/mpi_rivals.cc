#include "leeway/benchmarks/mpi_rivals.h"

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
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "leeway/transport/providers.h"

namespace leeway::bench {

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

/// Two endpoints of libfabric, opened as transport/ofi.cc opens them; waits by looking again and again.
class RawOfi final : public Rival {
 public:
  /// `other`: a socket to the other end, for the addresses.
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
