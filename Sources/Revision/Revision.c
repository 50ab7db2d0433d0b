#include "Revision.h"

const char *holdfastRevision(void) { return HOLDFAST_REVISION; }
