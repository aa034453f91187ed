// How a program of a catalog is run, whichever engine on vertices runs it.
#pragma once

#include "leeway/runtime/pie/fragment_options.h"
#include "leeway/runtime/vertex_job.h"

namespace leeway {

struct ProgramOptions : RunOptions {
  pie::FragmentOptions fragments;  ///< of the pie engine, as the next
  pie::PredictorOptions prediction;
};

}  // namespace leeway
