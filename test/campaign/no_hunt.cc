// For the program that is linked with what ships, which has no mistakes in it on purpose.
#include "test/campaign/hunt.h"

namespace leeway::campaign {

bool has_mutants() { return false; }
int hunt_mutants(const HuntOptions&) { return 2; }

}  // namespace leeway::campaign
