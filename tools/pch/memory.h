// The same for what stands on the shared memory.
#include "leeway/dsm.h"
#include "leeway/graph.h"
#include "tools/pch/base.h"
