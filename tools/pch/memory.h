// The same for what stands on the shared memory.
#include "leeway/datasets/graph.h"
#include "leeway/dsm/dsm.h"
#include "tools/pch/base.h"
