// Empty definition for the program linked with the shipped libraries, which have no mutants.
#include "test/campaign/snapshot_hunt.h"

namespace leeway::campaign {

bool has_snapshot_mutants() { return false; }
int hunt_snapshot_mutants(const HuntOptions&, const std::string&) { return 2; }

}  // namespace leeway::campaign
