// Errors as values: Error, Result, Status, LEEWAY_TRY and LEEWAY_ASSIGN.
#pragma once

#include "base/result.h"
