#include "base/result.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/format.h"

namespace leeway {

std::string Error::to_string() const {
  std::string text = where.empty() ? what : format("{}: {}", printable_line(where), what);
  if (!remedy.empty()) text += "; " + remedy;
  return printable(text);
}

int Error::exit_code() const {
  switch (kind) {
    case ErrorKind::Input:
      return 2;
    case ErrorKind::Environment:
      return 3;
    case ErrorKind::Peer:
      return 4;
  }
  LEEWAY_UNREACHABLE("error kind", static_cast<int>(kind));
}

Error input_error(std::string where, std::string what, std::string remedy) {
  return {ErrorKind::Input, std::move(where), std::move(what), std::move(remedy)};
}

Error environment_error(std::string where, std::string what, std::string remedy) {
  return {ErrorKind::Environment, std::move(where), std::move(what), std::move(remedy)};
}

Error system_error(std::string where, std::string_view action, int error_number,
                   std::string remedy) {
  const std::string reason = std::generic_category().message(error_number);
  return environment_error(std::move(where), format("cannot {}: {}", action, reason),
                           std::move(remedy));
}

Error cannot_open(std::string name, int error_number) {
  if (error_number == ENOENT) return input_error(std::move(name), "no such file", "check the path");
  return system_error(std::move(name), "open", error_number, "check its permissions");
}

}  // namespace leeway
