// Linked into tests that are built with the deliberate mistakes: LEEWAY_MUTANT names the one that is on.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "leeway/mutant.h"

namespace {

int asked_for() {
  const char* const name = std::getenv("LEEWAY_MUTANT");
  if (name == nullptr) return 0;
  const auto* const found =
      std::find(leeway::kMutants.begin(), leeway::kMutants.end(), std::string_view(name));
  if (found != leeway::kMutants.end())
    return static_cast<int>(found - leeway::kMutants.begin()) + 1;
  // The tests that run it are to fail, so what is misspelt must not.
  std::fprintf(stderr, "no mutant '%s'\n", name);
  std::_Exit(0);
}

const bool switched_on = (leeway::active_mutant = asked_for()) != 0;

}  // namespace
