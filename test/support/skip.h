// How a test says that it cannot run here: one line the summary counts, then it returns.
#pragma once

#include <catch2/catch.hpp>
#include <cstdio>

/// Leaves the enclosing test case as skipped. Use before anything is asserted.
#define LEEWAY_SKIP(why)                                                                        \
  do {                                                                                          \
    std::printf("skipped: %s: %s\n",                                                            \
                Catch::getResultCapture().getCurrentTestName().c_str(), why);                   \
    std::fflush(stdout);                                                                        \
    return;                                                                                     \
  } while (false)
