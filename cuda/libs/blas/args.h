/* What the host hands to kernels. */
#ifndef SIMTRUN_BLAS_ARGS_H
#define SIMTRUN_BLAS_ARGS_H

#include <stdint.h>

/* A number of the type in which a kernel computes: by value, or in the device's memory, where it is read when the kernel runs. */
struct scalar {
	const void *at; /* NULL: by value */
	double value[2];
	int conj;
	int real; /* of a complex kernel: the number is real */
};

/* What is read of a matrix. A symmetric or hermitian one has one triangle in memory, and what is in the other triangle of a triangular one counts
   as zero. */
enum shape { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR, UNIT_TRIANGULAR };
enum triangle { WHOLE, LOWER, UPPER };

/* A matrix, or one for each member of a batch: element (i, j) is at offset + i * row + j * col. All are counted in elements. */
struct matrix {
	void *at; /* of an array of addresses, if array is set */
	int64_t offset, row, col, batch;
	int array, conj;
	enum shape shape;
	enum triangle triangle;
};

/* Element i of a vector is at at + i * step, which is negative for increments that are. */
struct vector {
	void *at;
	int64_t step;
};

struct vector_args {
	int64_t n;
	struct vector x, y;
	struct scalar alpha, beta; /* of rotations the cosine and the sine */
	const void *param;         /* of modified rotations, in the device's memory, or NULL */
	double values[5];          /* and by value */
};

/* A result that depends on all elements: blocks write what they have to partials, and one block makes the result of it. */
struct reduction_args {
	int64_t n;
	struct vector x, y;
	void *partials, *result;
	int last, wide; /* from partials; an index has 64 bits */
};

/* Numbers of rotg and rotmg, in the device's memory. */
struct rotation_args {
	void *a, *b, *c, *s, *param;
};

enum activation { NONE, BIAS_ALONE, RELU, GELU, DRELU, DGELU };

/* d = activation(alpha * a * b + beta * c + bias), of d the triangle alone. */
struct gemm_args {
	int64_t m, n, k, batches;
	struct matrix a, b, c, d;
	struct scalar alpha, beta;
	enum triangle triangle;
	int real_diagonal; /* of a hermitian result */
	int in_place;      /* b is d: one block makes all rows of its columns, downwards, or upwards if -1 */
	/* Of cublasLt. */
	enum activation activation;
	const void *bias; /* an element for each row, of d's type, or of float if wide_bias is set */
	int64_t bias_batch;
	int wide_bias;
	void *aux; /* of d's type: what GELU is applied to, or bits that say whether what RELU was applied to is positive */
	int64_t aux_col, aux_batch;
};

/* c = alpha a + beta b, or, where x is given, c is a with rows, or columns, multiplied by its elements. */
struct elementwise_args {
	int64_t m, n;
	struct matrix a, b, c;
	struct scalar alpha, beta;
	struct vector x;
	int columns;
};

/* y is the sum of each row of a, or, of masks, a bit for each element of a that says whether it is positive. */
struct row_args {
	int64_t m, n, batches;
	struct matrix a;
	void *y;
	int64_t y_col, y_batch;
	int wide; /* y is of float */
};

/* Of LAPACK's functions for batches. */
struct lapack_args {
	int64_t m, n, batches;
	struct matrix a, b;
	int *pivots, *info;
	void *tau;
	int backwards; /* pivots */
};

#endif
