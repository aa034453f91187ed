#include "leeway/transport/addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>
#include <cstring>
#include <vector>

#include "leeway/base/format.h"

namespace leeway {

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

std::string own_addresses(std::uint16_t port, std::size_t most) {
  std::vector<std::string> names;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == 0) {
    for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
      if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
      sockaddr_in address{};
      std::memcpy(&address, each->ifa_addr, sizeof(address));
      char text[INET_ADDRSTRLEN] = {};
      ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
      const bool local = (each->ifa_flags & IFF_LOOPBACK) != 0;
      names.insert(local ? names.end() : names.begin(), format("{}:{}", text, port));
    }
    ::freeifaddrs(list);
  }
  std::string all;
  for (const std::string& name : names) {
    if (all.size() + name.size() + 2 < most) all += (all.empty() ? "" : ",") + name;
  }
  return all;
}

}  // namespace leeway
