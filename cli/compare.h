// `leeway compare`: reads the reports of several runs and writes a self-contained HTML page. The page embeds style,
// scripts and data and loads nothing from the network.
#pragma once

#include <string>
#include <string_view>

namespace leeway::cli {

/// An HTML page for `data`, a JSON object: runs side by side if it has "runs", replayed figures if it has "figures".
/// "title" and "about" form the heading.
[[nodiscard]] std::string page_of(std::string_view data);

}  // namespace leeway::cli
