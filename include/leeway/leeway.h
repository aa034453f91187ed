// All of Leeway's public interface except leeway/settings.h, with which a program reads flags, and
// leeway/programs.h, the shipped programs. A program that needs less
// includes the header that it needs.
#pragma once

#include "base/box.h"              // points and boxes of simulations
#include "base/format.h"           // format()
#include "base/random.h"           // reproducible random numbers
#include "datasets/build_graph.h"  // a graph from a list of edges
#include "leeway/cluster.h"
#include "leeway/dsm.h"
#include "leeway/graph.h"
#include "leeway/job.h"
#include "leeway/options.h"
#include "leeway/pie.h"
#include "leeway/piece.h"
#include "leeway/result.h"
#include "leeway/tick.h"
#include "leeway/vertex.h"
