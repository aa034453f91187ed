#include "leeway/benchmarks/mpi_rivals.h"

#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <csignal>
#include <vector>

namespace leeway::bench {

namespace {

class RawMpi final : public Rival {
 public:
  RawMpi() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  bool first() const override { return rank_ == 0; }
  void send(const std::byte* data, std::size_t bytes) override {
    MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, 1 - rank_, 0, MPI_COMM_WORLD);
  }
  void receive(std::size_t bytes) override {
    buffer_.resize(bytes);
    MPI_Recv(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, 1 - rank_, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  void finish() override { MPI_Finalize(); }

 private:
  int rank_ = 0;
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
  void send(const std::byte* data, std::size_t bytes) override {
    while (bytes > 0) {
      const ssize_t put = ::send(socket_, data, bytes, MSG_NOSIGNAL);
      if (put <= 0) ::_exit(4);
      data += put;
      bytes -= static_cast<std::size_t>(put);
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
  std::vector<std::byte> buffer_;
};

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
  return kind == "raw-tcp" ? make_tcp() : nullptr;
}

}  // namespace leeway::bench
