// The shared memory of a node, with typed objects: Dsm, DSM_FETCH and DSM_STORE.
#pragma once

#include "dsm/dsm.h"
