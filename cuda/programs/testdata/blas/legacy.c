// The first interface of cuBLAS, in C, without the runtime.
#include <cublas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(truth)                                                    \
	do {                                                                   \
		if (!(truth)) {                                                      \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #truth); \
			exit(1);                                                           \
		}                                                                    \
	} while (0)

int main(void)
{
	const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, -1, 2, 1, 1}, triangle[] = {2, 1, 0, 4};
	const cuComplex z[] = {{1, 2}, {3, -1}};
	float got[6], *x, *y, *w;
	cuComplex *u;

	EXPECT(cublasInit() == CUBLAS_STATUS_SUCCESS);
	EXPECT(cublasAlloc(6, sizeof(float), (void **)&x) == 0 && cublasAlloc(6, sizeof(float), (void **)&y) == 0);
	EXPECT(cublasAlloc(6, sizeof(float), (void **)&w) == 0 && cublasAlloc(2, sizeof(cuComplex), (void **)&u) == 0);
	EXPECT(cublasSetMatrix(2, 3, sizeof(float), a, 2, x, 2) == 0 && cublasSetVector(6, sizeof(float), b, 1, y, 1) == 0 && cublasSetVector(2, sizeof *z, z, 1, u, 1) == 0);
	EXPECT(cublasSdot(6, x, 1, y, 1) == 1 - 3 + 8 + 5 + 6);
	EXPECT(cublasSasum(6, y, 1) == 6 && cublasIsamax(6, x, 1) == 6 && fabs(cublasSnrm2(3, x, 1) - sqrt(14)) < 1e-6);
	cuComplex dot = cublasCdotc(2, u, 1, u, 1);
	EXPECT(dot.x == 15 && dot.y == 0);
	cublasSgemm('N', 't', 2, 2, 3, 2, x, 2, y, 2, 0, w, 2); /* y is 2 by 3, too */
	EXPECT(cublasGetMatrix(2, 2, sizeof(float), w, 2, got, 2) == 0);
	EXPECT(got[0] == 2 * (1 * 1 + 3 * -1 + 5 * 1) && got[1] == 2 * (2 * 1 + 4 * -1 + 6 * 1) && got[2] == 2 * (1 * 0 + 3 * 2 + 5 * 1) && got[3] == 2 * (2 * 0 + 4 * 2 + 6 * 1));
	EXPECT(cublasSetMatrix(2, 2, sizeof(float), triangle, 2, w, 2) == 0);
	cublasStrsm('l', 'L', 'n', 'N', 2, 3, 2, w, 2, x, 2); /* (2 0; 1 4) x = 2 (1 3 5; 2 4 6) */
	EXPECT(cublasGetVector(6, sizeof(float), x, 1, got, 1) == 0);
	EXPECT(got[0] == 1 && got[1] == 0.75f && got[2] == 3 && got[3] == 1.25f && got[4] == 5 && got[5] == 1.75f);
	EXPECT(cublasGetError() == CUBLAS_STATUS_SUCCESS);
	cublasSgemm('x', 'n', 1, 1, 1, 1, x, 1, x, 1, 0, w, 1);
	EXPECT(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE && cublasGetError() == CUBLAS_STATUS_SUCCESS);
	EXPECT(cublasFree(x) == 0 && cublasFree(y) == 0 && cublasFree(w) == 0 && cublasFree(u) == 0);
	EXPECT(cublasShutdown() == CUBLAS_STATUS_SUCCESS);
	printf("ok\n");
	return 0;
}
