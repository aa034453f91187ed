// The same for sources that use the shared memory.
#include "leeway/dsm.h"
#include "leeway/graph.h"
#include "tools/pch/base.h"
