// Graphs in memory, loading and generating them, vertex names, and partitions.
#pragma once

#include "datasets/graph.h"
