// OpenMP that GCC offloads: maps, loops over teams and threads, reductions, atomics, critical sections, declared functions and
// variables, memory of the device, malloc and printf there, tasks. It compares with the host.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#pragma omp declare target
static int table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static double f(double x) { return sin(x) * exp(-x) + sqrt(x + 1); }
#pragma omp end declare target

enum { N = 300, M = 32 };
static int bad;

static void want(const char *what, double got, double expected)
{
	if (got != expected) {
		printf("%s is %g, want %g\n", what, got, expected);
		bad = 1;
	}
}

static double a[M][M], b[M][M], c[M][M];

static void loops(void)
{
	double x[N], worst = 0, most = 0;
	int counts[16] = {0}, expected[16] = {0};

	for (int i = 0; i < M; i++)
		for (int j = 0; j < M; j++)
			a[i][j] = i + j, b[i][j] = i - j;
#pragma omp target teams distribute parallel for collapse(2) map(to : a, b) map(from : c)
	for (int i = 0; i < M; i++)
		for (int j = 0; j < M; j++) {
			double s = 0;
			for (int k = 0; k < M; k++)
				s += a[i][k] * b[k][j];
			c[i][j] = s;
		}
	for (int i = 0; i < M; i++)
		for (int j = 0; j < M; j++) {
			double s = 0;
			for (int k = 0; k < M; k++)
				s += a[i][k] * b[k][j];
			want("an element of the product", c[i][j], s);
		}

#pragma omp target parallel for map(from : x)
	for (int i = 0; i < N; i++)
		x[i] = f(i * 0.01);
	for (int i = 0; i < N; i++)
		worst = fmax(worst, fabs(x[i] - f(i * 0.01)));
	want("a function near that of the host", worst < 1e-14, 1);

#pragma omp target teams distribute parallel for map(tofrom : counts)
	for (int i = 0; i < 2000; i++) {
#pragma omp atomic
		counts[i * 7 % 16] += table[i % 16];
	}
	for (int i = 0; i < 2000; i++)
		expected[i * 7 % 16] += table[i % 16];
	for (int i = 0; i < 16; i++)
		want("a count", counts[i], expected[i]);

#pragma omp target teams distribute parallel for simd reduction(max : most) map(tofrom : most)
	for (int i = 0; i < 1000; i++)
		most = fmax(most, i * 7919 % 1000 * 0.5);
	want("the maximum", most, 499.5);
}

static void memory(void)
{
	double x[N];
	int sum = 0, values[N], *there, device = omp_get_default_device();

	for (int i = 0; i < 16; i++)
		table[i] = i * i;
#pragma omp target update to(table)
#pragma omp target map(tofrom : sum)
	for (int i = 0; i < 16; i++)
		sum += table[i];
	want("the sum of the table", sum, 1240);

#pragma omp target data map(from : x)
	{
#pragma omp target teams distribute parallel for
		for (int i = 0; i < N; i++)
			x[i] = i;
#pragma omp target teams distribute parallel for
		for (int i = 0; i < N; i++)
			x[i] *= 2;
	}
	for (int i = 0; i < N; i++)
		want("an element", x[i], 2 * i);

	there = omp_target_alloc(sizeof values, device);
	for (int i = 0; i < N; i++)
		values[i] = i;
	omp_target_memcpy(there, values, sizeof values, 0, 0, device, omp_get_initial_device());
#pragma omp target is_device_ptr(there)
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		there[i] += 1;
	omp_target_memcpy(values, there, sizeof values, 0, 0, omp_get_initial_device(), device);
	for (int i = 0; i < N; i++)
		want("a copied element", values[i], i + 1);
	omp_target_free(there, device);

#pragma omp target map(from : sum)
	{
		int *q = malloc(100 * sizeof *q);
		sum = 0;
		for (int i = 0; i < 100; i++)
			q[i] = i;
		for (int i = 0; i < 100; i++)
			sum += q[i];
		free(q);
		printf("on the device %d\n", sum);
	}
	want("the sum on the device", sum, 4950);
}

static void threads(void)
{
	int teams = 0, all = 0, numbers = 0, seen = 0, z = 0;

#pragma omp target teams num_teams(3) thread_limit(64) map(tofrom : teams, all)
	{
#pragma omp parallel num_threads(4)
		{
			if (omp_get_thread_num() == 0) {
#pragma omp atomic
				teams++;
			}
#pragma omp atomic
			all++;
		}
	}
	want("teams", teams, 3);
	want("threads of all teams", all, 12);

#pragma omp target map(tofrom : numbers, seen)
#pragma omp parallel num_threads(8)
	{
#pragma omp critical
		numbers += omp_get_thread_num();
#pragma omp barrier
#pragma omp single
		seen = numbers;
	}
	want("the sum of the threads' numbers behind the barrier", seen, 28);

#pragma omp target nowait map(tofrom : z) depend(inout : z)
	z += 5;
#pragma omp target nowait map(tofrom : z) depend(inout : z)
	z *= 3;
#pragma omp taskwait
	want("what two tasks in order leave", z, 15);
}

int main(void)
{
	int host = 1;

#pragma omp target map(from : host)
	host = omp_is_initial_device();
	want("whether the host executes it", host, 0);
	loops();
	memory();
	threads();
	puts(bad ? "bad" : "ok");
	return bad;
}
