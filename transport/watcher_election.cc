#include "leeway/transport/watcher_election.h"

namespace leeway {

template class BasicWatcherElection<StandardThreads>;

}  // namespace leeway
