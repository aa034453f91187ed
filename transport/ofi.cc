// Datagrams over libfabric, and the check of its providers. Only this file calls libfabric.

#include "transport/ofi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "transport/ofi_wire.h"

namespace leeway {

namespace unused_cards {
extern const std::string_view libpsm_infinipath_so_1;
extern const std::string_view libpsm2_so_2;
}  // namespace unused_cards

namespace {

thread_local bool kernel_symbols_hidden = false;

}  // namespace

NoKernelSymbols::NoKernelSymbols() : before_(std::exchange(kernel_symbols_hidden, true)) {}
NoKernelSymbols::~NoKernelSymbols() { kernel_symbols_hidden = before_; }

}  // namespace leeway

/// Interposes the C library's fopen. Declared by its linker name because <cstdio> may rename
/// `fopen` when files may be large.
extern "C" std::FILE* leeway_fopen(const char* path, const char* mode) __asm__("fopen");

std::FILE* leeway_fopen(const char* path, const char* mode) {
  using Open = std::FILE* (*)(const char*, const char*);
  static const auto open = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "fopen"));
  if (leeway::kernel_symbols_hidden && std::strcmp(path, "/proc/kallsyms") == 0) {
    errno = ENOENT;
    return nullptr;
  }
  return open(path, mode);
}

namespace leeway {

namespace {

constexpr unsigned kPatienceSeconds = 2;
constexpr const char* kProviders[] = {"tcp;ofi_rxm", "shm", "udp;ofi_rxd", "sockets"};

/// Sends a frame between two endpoints of this process. Returns the failure, empty on success.
std::string exchange(const std::string& provider) {
  const Secret secret = Secret::random();
  std::unique_ptr<OfiWire> ends[2];
  for (std::uint32_t i = 0; i < 2; ++i) {
    auto end = open_ofi({.provider = provider,
                         .host = "127.0.0.1",
                         .self = NodeId(i),
                         .nodes = 2,
                         .secret = secret});
    if (!end) return end.error().what;
    ends[i] = std::move(*end);
  }
  for (const auto& end : ends) {
    const Status met = end->meet({ends[0]->address(), ends[1]->address()});
    if (!met) return met.error().what;
  }
  Frame frame(50'000, std::byte{7});
  if (!ends[0]->send(NodeId(1), {.credit = 0, .carries = 1}, frame))
    return "does not accept a frame";
  const SteadyClock clock;
  const Instant until = clock.now() + std::chrono::milliseconds(1500);
  Packet packet;
  while (clock.now() < until) {
    if (ends[1]->receive(packet))
      return packet.frame.size() == 50'000 ? "" : "delivers a frame incompletely";
    (void)ends[0]->drained();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return "does not deliver a frame";
}

/// Runs in a child process, since a broken provider may crash or never return.
ProviderTrial try_one(const std::string& name) {
  ProviderTrial trial{name, false, "crashes or does not return"};
  int answer[2];
  if (::pipe2(answer, O_CLOEXEC) != 0) return trial;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kPatienceSeconds);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDERR_FILENO);
    const std::string outcome = "." + exchange(name);
    (void)!::write(answer[1], outcome.data(), outcome.size());
    ::_exit(0);
  }
  ::close(answer[1]);
  char text[512];
  const ssize_t bytes = ::read(answer[0], text, sizeof(text));
  ::close(answer[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  if (bytes <= 0) return trial;
  trial.why_not.assign(text + 1, static_cast<std::size_t>(bytes - 1));
  trial.works = trial.why_not.empty();
  return trial;
}

}  // namespace

std::vector<ProviderTrial> try_providers() {
  std::vector<ProviderTrial> trials;
  for (const char* name : kProviders) trials.push_back(try_one(name));
  return trials;
}

namespace {

/// The functions of libfabric that are called by name; all others are inline calls through its
/// objects. The library is loaded when the first endpoint is opened, because its providers install
/// handlers of SIGINT and other signals that run destructors.
struct Library {
  decltype(&::fi_getinfo) getinfo = nullptr;
  decltype(&::fi_freeinfo) freeinfo = nullptr;
  decltype(&::fi_dupinfo) dupinfo = nullptr;
  decltype(&::fi_fabric) fabric = nullptr;
  decltype(&::fi_strerror) strerror = nullptr;
  std::string refusal;  ///< why it could not be loaded; empty if loaded
};

template <class Function>
bool find_function(void* library, const char* name, Function*& into) {
  into = reinterpret_cast<Function*>(::dlsym(library, name));
  return into != nullptr;
}

bool has_device(std::string_view name) {
  std::error_code ignored;
  for (const auto& device : std::filesystem::directory_iterator("/dev", ignored)) {
    if (device.path().filename().string().starts_with(name)) return true;
  }
  return false;
}

/// Loads a library from memory. Null: it cannot be loaded.
void* load(std::string_view bytes) {
  const int file = ::memfd_create("leeway-library", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  const bool whole =
      ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  void* const loaded =
      whole ? ::dlopen(format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  ::close(file);
  return loaded;
}

/// libfabric is linked with the libraries of InfiniPath and Omni-Path cards, which measure the
/// processor's clock rate for 0.2 s when they are loaded. Without such a card, a library of the same
/// name whose functions fail is loaded first. If it lacks a function that libfabric needs, the
/// originals are loaded.
void* load_libfabric() {
  constexpr const char* kName = "libfabric.so.1";
  std::vector<void*> loaded_first;
  if (!has_device("ipath")) loaded_first.push_back(load(unused_cards::libpsm_infinipath_so_1));
  if (!has_device("hfi1")) loaded_first.push_back(load(unused_cards::libpsm2_so_2));
  if (void* const loaded = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL)) return loaded;
  for (void* const each : loaded_first) {
    if (each != nullptr) ::dlclose(each);
  }
  return ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
}

Library load_library() {
  Library library;
  for (const auto& [variable, value] : kProviderSettings) ::setenv(variable, value, 0);
  const KeptSignalHandlers kept;
  void* const loaded = load_libfabric();
  const bool complete = loaded != nullptr && find_function(loaded, "fi_getinfo", library.getinfo) &&
                        find_function(loaded, "fi_freeinfo", library.freeinfo) &&
                        find_function(loaded, "fi_dupinfo", library.dupinfo) &&
                        find_function(loaded, "fi_fabric", library.fabric) &&
                        find_function(loaded, "fi_strerror", library.strerror);
  if (!complete) {
    const char* const why = ::dlerror();
    library.refusal = why == nullptr ? "libfabric.so.1 is not complete" : why;
  }
  return library;
}

/// Never unloaded, because its providers leave threads and exit handlers behind.
const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

struct Closer {
  template <class T>
  void operator()(T* object) const {
    fi_close(&object->fid);
  }
  void operator()(fi_info* info) const { library().freeinfo(info); }
};
template <class T>
using Owned = std::unique_ptr<T, Closer>;

class OfiEndpoint final : public Datagrams {
 public:
  explicit OfiEndpoint(std::uint64_t tag) : tag_(tag) {}
  ~OfiEndpoint() override {
    // libfabric requires that an endpoint is closed before the objects that it is bound to.
    endpoint_.reset();
    queue_.reset();
    names_.reset();
  }
  OfiEndpoint(const OfiEndpoint&) = delete;
  OfiEndpoint& operator=(const OfiEndpoint&) = delete;

  Status open(const std::string& provider, const std::string& host);
  const std::string& address() const override { return address_; }
  int wait_descriptor() const override { return wait_descriptor_; }
  bool may_wait() override {
    fid* ids[] = {&queue_->fid};
    return fi_trywait(fabric_.get(), ids, 1) == FI_SUCCESS;
  }
  std::optional<Name> add(const std::string& address) override {
    fi_addr_t name = FI_ADDR_NOTAVAIL;
    if (fi_av_insert(names_.get(), address.data(), 1, &name, 0, nullptr) != 1) return std::nullopt;
    return name;
  }
  void remove(Name name) override {
    fi_addr_t address = name;
    fi_av_remove(names_.get(), &address, 1, 0);
  }
  bool send(Datagram& datagram, Name to) override {
    const iovec parts[] = {
        {datagram.bytes.data(), datagram.bytes.size()},
        {const_cast<std::byte*>(datagram.payload.data()), datagram.payload.size()}};
    return fi_tsendv(endpoint_.get(), parts, nullptr, datagram.payload.empty() ? 1 : 2, to, tag_,
                     datagram.context.data()) == 0;
  }
  bool receive(Datagram& datagram) override {
    const iovec parts[] = {{datagram.bytes.data(), datagram.bytes.size()},
                           {datagram.room.data(), datagram.room.size()}};
    return fi_trecvv(endpoint_.get(), parts, nullptr, 2, FI_ADDR_UNSPEC, tag_, 0,
                     datagram.context.data()) == 0;
  }
  std::size_t finished(std::span<Done> done) override;

 private:
  static Datagram* datagram_of(void* context) {
    static_assert(sizeof(fi_context2) <= sizeof(Datagram::context));
    static_assert(offsetof(Datagram, context) == 0);
    return static_cast<Datagram*>(context);
  }

  const std::uint64_t tag_;
  Owned<fi_info> info_;
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_av> names_;
  Owned<fid_cq> queue_;
  Owned<fid_ep> endpoint_;
  std::string address_;
  int wait_descriptor_ = -1;
};

/// libfabric's calls return 0 or a negative error number.
Status check(ssize_t outcome, std::string_view what, const std::string& provider) {
  if (outcome >= 0) return {};
  return fail(environment_error(
      "ofi",
      format("provider {}: {}: {}", provider, what, library().strerror(static_cast<int>(-outcome))),
      "leeway doctor shows which providers work; choose one with --provider"));
}

Result<fi_info*> find_provider(const std::string& provider, const std::string& host) {
  if (!library().refusal.empty()) {
    return fail(environment_error("ofi", format("cannot load libfabric: {}", library().refusal),
                                  "install libfabric1, version 1.15 or later"));
  }
  const Owned<fi_info> hints(library().dupinfo(nullptr));
  hints->caps = FI_TAGGED;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->mr_mode = 0;
  hints->domain_attr->av_type = FI_AV_TABLE;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->tx_attr->iov_limit = 2;  // a header and a payload
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->iov_limit = 2;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  const bool by_address = provider.find("tcp") != std::string::npos;
  if (by_address) hints->addr_format = FI_SOCKADDR_IN;
  const char* const name = by_address && !host.empty() ? host.c_str() : nullptr;
  fi_info* found = nullptr;
  // The first call starts the providers.
  const KeptSignalHandlers kept;
  const NoKernelSymbols hidden;
  const int outcome = library().getinfo(FI_VERSION(1, 15), name, name == nullptr ? nullptr : "0",
                                        name == nullptr ? 0 : FI_SOURCE, hints.get(), &found);
  LEEWAY_TRY(check(outcome, "reliable datagrams", provider));
  return found;
}

Status OfiEndpoint::open(const std::string& provider, const std::string& host) {
  LEEWAY_TRY(find_provider(provider, host).map([this](fi_info* found) { info_.reset(found); }));
  const auto must = [&](ssize_t outcome, std::string_view what) {
    return check(outcome, what, provider);
  };
  fid_fabric* fabric = nullptr;
  LEEWAY_TRY(must(library().fabric(info_->fabric_attr, &fabric, nullptr), "open the fabric"));
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  LEEWAY_TRY(must(fi_domain(fabric, info_.get(), &domain, nullptr), "open the domain"));
  domain_.reset(domain);
  fi_av_attr name_attributes{};
  name_attributes.type = FI_AV_TABLE;
  fid_av* names = nullptr;
  LEEWAY_TRY(must(fi_av_open(domain, &name_attributes, &names, nullptr), "open the address table"));
  names_.reset(names);
  fi_cq_attr queue_attributes{};
  queue_attributes.format = FI_CQ_FORMAT_MSG;
  queue_attributes.wait_obj = FI_WAIT_FD;
  fid_cq* queue = nullptr;
  if (fi_cq_open(domain, &queue_attributes, &queue, nullptr) != 0) {
    queue_attributes.wait_obj = FI_WAIT_NONE;  // for shm, which is polled
    LEEWAY_TRY(must(fi_cq_open(domain, &queue_attributes, &queue, nullptr), "open the queue"));
  }
  queue_.reset(queue);
  if (queue_attributes.wait_obj == FI_WAIT_FD) {
    LEEWAY_TRY(must(fi_control(&queue->fid, FI_GETWAIT, &wait_descriptor_), "wait on the queue"));
  }
  fid_ep* endpoint = nullptr;
  LEEWAY_TRY(must(fi_endpoint(domain, info_.get(), &endpoint, nullptr), "open the endpoint"));
  endpoint_.reset(endpoint);
  LEEWAY_TRY(must(fi_ep_bind(endpoint, &names->fid, 0), "bind the address table"));
  LEEWAY_TRY(must(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "bind the queue"));
  LEEWAY_TRY(must(fi_enable(endpoint), "enable the endpoint"));
  char name[512];
  std::size_t length = sizeof(name);
  LEEWAY_TRY(must(fi_getname(&endpoint->fid, name, &length), "get the address"));
  address_.assign(name, length);
  return {};
}

std::size_t OfiEndpoint::finished(std::span<Done> done) {
  constexpr std::size_t kAtOnce = 16;
  fi_cq_msg_entry entries[kAtOnce];
  std::size_t count = 0;
  while (count < done.size()) {
    const std::size_t room = std::min(kAtOnce, done.size() - count);
    const ssize_t got = fi_cq_read(queue_.get(), entries, room);
    if (got == -FI_EAVAIL) {
      fi_cq_err_entry error{};
      if (fi_cq_readerr(queue_.get(), &error, 0) < 0) break;
      log_debug("libfabric: {}", library().strerror(error.err));
      if (error.op_context != nullptr) done[count++] = {datagram_of(error.op_context), 0, true};
      continue;
    }
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; ++i)
      done[count++] = {datagram_of(entries[i].op_context), entries[i].len, false};
    // Do not read again until empty: each call enters the kernel, which costs more than a small
    // message.
    if (static_cast<std::size_t>(got) < room) break;
  }
  return count;
}

}  // namespace

Result<std::unique_ptr<Datagrams>> open_datagrams(const std::string& provider,
                                                  const std::string& host, std::uint64_t tag) {
  auto endpoint = std::make_unique<OfiEndpoint>(tag);
  LEEWAY_TRY(endpoint->open(provider, host));
  return endpoint;
}

}  // namespace leeway
