// Errors as values, for problems outside the program: a file, a flag, a launch, a frame. An Error states what was found,
// where, and what to do, and determines the exit code. Bugs in Leeway are reported by LEEWAY_CHECK, never by an Error.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace leeway {

enum class ErrorKind {
  Input,        ///< a flag, configuration or file with impossible content
  Environment,  ///< the machine failed: permissions, disk or memory full, something missing
  Peer,         ///< another node of the job ended or misbehaves
};

constexpr ErrorKind last_of(ErrorKind) { return ErrorKind::Peer; }

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

/// The error of a failed open: an Input error if there is no such file, else an Environment error.
Error cannot_open(std::string name, int error_number);

/// A value or an Error. Never ignored.
template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

inline auto fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace leeway

#define LEEWAY_CONCAT_INNER(a, b) a##b
#define LEEWAY_CONCAT(a, b) LEEWAY_CONCAT_INNER(a, b)

/// Returns the error of `expression` (a Status or Result) to the caller, if it has one.
#define LEEWAY_TRY(expression)                                 \
  do {                                                         \
    if (auto leeway_status = (expression); !leeway_status)     \
      return ::leeway::fail(std::move(leeway_status).error()); \
  } while (false)

/// `LEEWAY_ASSIGN(auto graph, read(path));` declares or assigns the value, or returns the error.
#define LEEWAY_ASSIGN(target, expression) \
  LEEWAY_ASSIGN_NAMED(LEEWAY_CONCAT(leeway_result_, __COUNTER__), target, expression)
#define LEEWAY_ASSIGN_NAMED(name, target, expression)        \
  auto name = (expression);                                  \
  if (!name) return ::leeway::fail(std::move(name).error()); \
  target = std::move(*name)
