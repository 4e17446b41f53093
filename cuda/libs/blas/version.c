/* Which version of CUDA a library is for: it is compiled for each of them. */
#include "blas.h"

const int cuda_major = CUDA_MAJOR;
