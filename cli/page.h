// Pages for a browser that carry everything they need: style, scripts and data in one file, nothing fetched.
#pragma once

#include <string>
#include <string_view>

namespace leeway::cli {

/// A page of `data`, a JSON object: runs beside each other if it has "runs", replayed figures if it has
/// "figures"; "title" and "about" stand above.
[[nodiscard]] std::string page_of(std::string_view data);

}  // namespace leeway::cli
