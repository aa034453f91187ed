// Empty definition for the program linked with the shipped libraries, which have no mutants.
#include "test/campaign/hunt.h"

namespace leeway::campaign {

bool has_mutants() { return false; }
int hunt_mutants(const HuntOptions&) { return 2; }

}  // namespace leeway::campaign
