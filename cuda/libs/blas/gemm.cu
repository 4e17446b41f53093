/* Products with elements of a single type. */
#include "gemm.cuh"

GEMM(s, float, float, float, 4)
GEMM(d, double, double, double, 4)
GEMM(c, complex<float>, complex<float>, complex<float>, 2)
GEMM(z, complex<double>, complex<double>, complex<double>, 2)
