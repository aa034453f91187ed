// The same for sources that use the shared memory.
#include "leeway/graph.h"
#include "leeway/dsm.h"
#include "tools/pch/base.h"
