// Who handles which signal of this process.
#pragma once

#include <array>
#include <csignal>

namespace leeway {

/// Every signal's handler as it was, put back when this is destroyed: around what loads a library that
/// installs handlers of its own. Nobody else may set a handler meanwhile.
class KeptSignalHandlers {
 public:
  KeptSignalHandlers();
  ~KeptSignalHandlers();
  KeptSignalHandlers(const KeptSignalHandlers&) = delete;
  KeptSignalHandlers& operator=(const KeptSignalHandlers&) = delete;

 private:
  static constexpr int kSignals = 32;  // those that have names
  std::array<struct sigaction, kSignals> actions_{};
};

}  // namespace leeway
