// Linked into tests that are built with mutants: LEEWAY_MUTANT names the active one.
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
  // These tests are expected to fail, so a misspelt name must not make them fail.
  std::fprintf(stderr, "no mutant '%s'\n", name);
  std::_Exit(0);
}

const bool switched_on = (leeway::active_mutant = asked_for()) != 0;

}  // namespace
