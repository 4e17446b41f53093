/* Sobol's sequences for the host generators. */
#ifndef SIMTRUN_CURAND_SOBOL_H
#define SIMTRUN_CURAND_SOBOL_H

#include <curand.h>

enum { DIMENSIONS = 20000 };

struct sobol {
	const curandDirectionVectors64_t *vectors; /* per dimension */
	const unsigned long long *constants;       /* NULL for sequences without scrambling */
};

/* sobol finds the sequences for a call. Those of 32 bits are in the upper halves. */
curandStatus_t sobol(struct sobol *s, int scrambled, const char *call);

#endif
