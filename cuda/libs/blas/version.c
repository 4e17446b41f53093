/* The version of CUDA of the library, which is compiled for each version. */
#include "blas.h"

const int cuda_major = CUDA_MAJOR;
