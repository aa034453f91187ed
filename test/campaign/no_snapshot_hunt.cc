// For the program that is linked with what ships, which has no mistakes in it on purpose.
#include "test/campaign/snapshot_hunt.h"

namespace leeway::campaign {

bool has_snapshot_mutants() { return false; }
int hunt_snapshot_mutants(const HuntOptions&, const std::string&) { return 2; }

}  // namespace leeway::campaign
