/* Built-in variables: simtrun/prelude.h has them. */
#include "vector_types.h"
