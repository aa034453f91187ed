// Kinds of programs of the caller: which settings they accept, and how their run is decided.
#pragma once

#include <span>
#include <string_view>

#include "app/applicability.h"
#include "app/options.h"
#include "base/result.h"
#include "leeway/settings.h"
#include "transport/fabric.h"

namespace leeway::app {

/// A kind of programs of the caller. They accept the settings with the role `role`.
struct OwnKind {
  OwnEngine engine;
  EngineName runs_on;
  SettingRole role;
  std::string_view what;
};

[[nodiscard]] std::span<const OwnKind> own_kinds();
[[nodiscard]] const OwnKind& kind_of(OwnEngine engine);

struct OwnRequest {
  CommandOptions options;
  Request decided;
};

/// Decides the run of a program of the caller, whose settings are `options`.
Result<OwnRequest> own_request(const OwnKind& kind, CommandOptions options, Job* job);

/// Fabrics over processes need a launcher.
Status check_fabric(Fabric requested, Job* job);

}  // namespace leeway::app
