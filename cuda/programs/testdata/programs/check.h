// What the programs share: CHECK ends the program when a call of the runtime fails, EXPECT when something is not so.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                          \
	do {                                                                                                       \
		cudaError_t err_ = (call);                                                                               \
		if (err_ != cudaSuccess) {                                                                               \
			fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, cudaGetErrorName(err_),             \
			        cudaGetErrorString(err_));                                                                     \
			exit(1);                                                                                               \
		}                                                                                                        \
	} while (0)

#define EXPECT(truth)                                                                                        \
	do {                                                                                                       \
		if (!(truth)) {                                                                                          \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #truth);                                    \
			exit(1);                                                                                               \
		}                                                                                                        \
	} while (0)
