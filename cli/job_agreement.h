// Whether all processes of a job were told the same: where a program, a setting or a graph differs, they would wait for
// each other for ever, or compute half of one thing and half of another.
#pragma once

#include "leeway/base/result.h"
#include "leeway/cli/command.h"
#include "leeway/transport/fabric.h"

namespace leeway::cli {

/// Collective, before anything else is done together. Where they differ, an Input error at every process, told by the
/// first that differs from the first process.
Status agree_on_what_was_said(const Invocation& invocation, Job& job);

}  // namespace leeway::cli
