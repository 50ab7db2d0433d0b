#include "Revision.h"

const char *holdfastRevision(void) { return HOLDFAST_REVISION; }
const char *holdfastRelease(void) { return HOLDFAST_RELEASE; }
