/* Arguments that the host passes to kernels. */
#ifndef SIMTRUN_BLAS_ARGS_H
#define SIMTRUN_BLAS_ARGS_H

#include <stdint.h>

/* A number of the type in which a kernel computes: by value, or in device memory, where the kernel reads it. */
struct scalar {
	const void *at; /* NULL: by value */
	double value[2];
	int conj;
	int real; /* in a complex kernel: the number is real */
};

/* How a matrix is read. A symmetric or hermitian one has one triangle in memory, and the other triangle of a
   triangular one counts as zero. */
enum shape { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR, UNIT_TRIANGULAR };
enum triangle { WHOLE, LOWER, UPPER };

/* A matrix, or one for each member of a batch: element (i, j) is at offset + i * row + j * col, all counted in
   elements. */
struct matrix {
	void *at; /* address of an array of addresses, if array is set */
	int64_t offset, row, col, batch;
	int array, conj;
	enum shape shape;
	enum triangle triangle;
};

/* Element i of a vector is at at + i * step. The step is negative for negative increments. */
struct vector {
	void *at;
	int64_t step;
};

struct vector_args {
	int64_t n;
	struct vector x, y;
	struct scalar alpha, beta; /* for rotations the cosine and the sine */
	const void *param;         /* for modified rotations: in device memory, or NULL */
	double values[5];          /* and by value */
};

/* A reduction over all elements: blocks write partial results, and one block combines them. */
struct reduction_args {
	int64_t n;
	struct vector x, y;
	void *partials, *result;
	int last, wide; /* last: reduce the partial results; wide: an index has 64 bits */
};

/* Arguments of rotg and rotmg, in device memory. */
struct rotation_args {
	void *a, *b, *c, *s, *param;
};

enum activation { NONE, BIAS_ALONE, RELU, GELU, DRELU, DGELU };

/* d = activation(alpha * a * b + beta * c + bias), in a triangle of d only, if triangle is set. */
struct gemm_args {
	int64_t m, n, k, batches;
	struct matrix a, b, c, d;
	struct scalar alpha, beta;
	enum triangle triangle;
	int real_diagonal; /* for a hermitian result */
	int in_place;      /* b is d: one block computes all rows of its columns, downwards, or upwards if -1 */
	/* For cublasLt. */
	enum activation activation;
	const void *bias; /* one element per row, of d's type, or of float if wide_bias is set */
	int64_t bias_batch;
	int wide_bias;
	void *aux; /* of d's type: the input of GELU, or bits that say whether the input of RELU is positive */
	int64_t aux_col, aux_batch;
};

/* c = alpha a + beta b or, if x is given, c is a with its rows or columns multiplied by the elements of x. */
struct elementwise_args {
	int64_t m, n;
	struct matrix a, b, c;
	struct scalar alpha, beta;
	struct vector x;
	int columns;
};

/* y is the sum of each row of a or, for masks, a bit for each element of a that says whether it is positive. */
struct row_args {
	int64_t m, n, batches;
	struct matrix a;
	void *y;
	int64_t y_col, y_batch;
	int wide; /* y is of type float */
};

/* For LAPACK's batched functions. */
struct lapack_args {
	int64_t m, n, batches;
	struct matrix a, b;
	int *pivots, *info;
	void *tau;
	int backwards; /* pivots */
};

#endif
