#include "leeway/base/signals.h"

namespace leeway {

KeptSignalHandlers::KeptSignalHandlers() {
  for (int signal = 1; signal < kSignals; ++signal)
    ::sigaction(signal, nullptr, &actions_[static_cast<std::size_t>(signal)]);
}

KeptSignalHandlers::~KeptSignalHandlers() {
  for (int signal = 1; signal < kSignals; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    ::sigaction(signal, &actions_[static_cast<std::size_t>(signal)], nullptr);
  }
}

}  // namespace leeway
