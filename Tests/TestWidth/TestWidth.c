#include <stdlib.h>

#include "TestWidth.h"

// Tests that wait for an answer share the cores with tests that compute. All at once, which is what `swift test` does by itself, they
// would wait for minutes; the manifest has no word for it, and so it is said before anybody reads it. Who asks for another number gets it.
__attribute__((constructor)) static void run_few_tests_at_a_time(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "4", 0);
}
