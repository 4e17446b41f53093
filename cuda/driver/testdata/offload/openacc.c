// OpenACC that GCC offloads: parallel loops, kernels, data regions, reductions. It compares with the host.
#include <openacc.h>
#include <stdio.h>

enum { N = 2000 };
static float a[N], b[N];

int main(void)
{
	float sum = 0;
	int bad = acc_get_device_type() != acc_device_nvidia;

	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma acc parallel loop copyin(a) copyout(b)
	for (int i = 0; i < N; i++)
		b[i] = 2 * a[i];
#pragma acc data copy(b)
	{
#pragma acc kernels
		for (int i = 1; i < N - 1; i++)
			b[i] += 1;
#pragma acc parallel loop gang vector reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += b[i];
	}
	for (int i = 0; i < N; i++)
		bad |= b[i] != 2 * i + (i > 0 && i < N - 1);
	bad |= sum != N * (N - 1) + N - 2; /* below 2^24: exact in any order */
	printf(bad ? "bad: %g\n" : "ok\n", sum);
	return bad;
}
