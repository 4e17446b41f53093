/* The functions with sizes of type int64_t. */
#define WIDE
#include "copy.c"
#include "gemm.c"
#include "level1.c"
#include "level2.c"
#include "level3.c"
