// Functions of a library that stand in for those of a card that this machine does not have.
#pragma once

/// A function that fails. No card's interface has this error code as its success.
#define REFUSE(name) \
  extern "C" [[gnu::visibility("default")]] int name() { return 3; }

/// The text of an error.
#define EXPLAIN(name)                                            \
  extern "C" [[gnu::visibility("default")]] const char* name() { \
    return "this machine has no such card";                      \
  }
