/* Functions of the device: simtrun/prelude.h has them. */
#include "cuda_runtime.h"
