// The HTML page of runs and figures; its style and scripts are in cli/page.
#pragma once

#include <string>
#include <string_view>

namespace leeway::cli {

/// An HTML page for `data`, a JSON object: runs side by side if it has "runs", replayed figures if it has "figures".
/// "title" and "about" form the heading.
[[nodiscard]] std::string page_of(std::string_view data);

}  // namespace leeway::cli
