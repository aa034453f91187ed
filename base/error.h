// What went wrong in the outside world: a file, a flag, a launch, a frame. Says what, where and what
// to do, and which exit code it deserves. Our own bugs are LEEWAY_CHECK's business, never an Error.
#pragma once

#include <string>
#include <string_view>

namespace leeway {

enum class ErrorKind {
  Input,        ///< a flag, configuration or file that says something impossible
  Environment,  ///< the machine refused: permissions, disk or memory full, something missing
  Peer,         ///< another node of the job is gone or broken
};

struct [[nodiscard]] Error {
  ErrorKind kind = ErrorKind::Input;
  std::string where;   ///< "graph.txt:17", "--nodes"; may be empty
  std::string what;    ///< what is wrong, with the offending value
  std::string remedy;  ///< what the user can do about it

  /// "where: what; remedy"
  [[nodiscard]] std::string to_string() const;
  /// The process exit code that reports this error: 2 Input, 3 Environment, 4 Peer.
  [[nodiscard]] int exit_code() const;
};

Error input_error(std::string where, std::string what, std::string remedy);
Error environment_error(std::string where, std::string what, std::string remedy);
/// An environment error from errno: "where: cannot ACTION: reason".
Error system_error(std::string where, std::string_view action, int error_number,
                   std::string remedy);

}  // namespace leeway
