#include "leeway/cli/page.h"

namespace leeway::cli {

namespace page {
// Made of the files in page/.
extern const std::string_view style_css, dom_js, charts_js, lanes_js, film_js, compare_js,
    replay_js, start_js;
}  // namespace page

namespace {

/// As JSON still the same; but no text in it can end the element it stands in.
std::string harmless(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

std::string page_of(std::string_view data) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Leeway</title>\n<style>\n";
  text += page::style_css;
  text += "</style>\n</head>\n<body>\n<script type=\"application/json\" id=\"data\">";
  text += harmless(data);
  text += "</script>\n";
  for (const std::string_view script :
       {page::dom_js, page::charts_js, page::lanes_js, page::film_js, page::compare_js,
        page::replay_js, page::start_js}) {
    text += "<script>\n";
    text += script;
    text += "</script>\n";
  }
  return text + "</body>\n</html>\n";
}

}  // namespace leeway::cli
