// Which state of the sources this command was built from.
#pragma once

namespace leeway {

/// As `git describe` names it, "-dirty" where files were changed; "unknown" outside a checkout.
const char* source_commit();

}  // namespace leeway
