//cc: -arch=sm_70
// Barriers and pipelines of a GPU without mbarriers and asynchronous copies.
#include "barriers.cu"
