// Mathematical functions of single precision by the names of C++: each is the function for float, and its value is
// that of the host's library, but for a few units in the last place.
#include <cmath>
#include <cstdio>
#include <type_traits>

#define ONE(F)                                                                                                                      \
	F(acosh, 2 + x) F(asinh, x) F(atanh, x / 8) F(cbrt, x) F(erf, x / 4) F(erfc, x / 4) F(exp2, x) F(expm1, x) F(lgamma, x)            \
		F(log1p, x) F(log2, x) F(logb, 9 * x) F(nearbyint, x + .5f) F(rint, x + .5f) F(round, x + .5f) F(tgamma, x) F(trunc, 5 * x)       \
		F(acos, x / 8) F(asin, x / 8) F(atan, x) F(ceil, x) F(cos, x) F(cosh, x) F(exp, x) F(fabs, -x) F(floor, x) F(log, x)              \
		F(log10, x) F(sin, x) F(sinh, x) F(sqrt, x) F(tan, x / 4) F(tanh, x / 4)
#define TWO(F)                                                                                                                      \
	F(copysign, x, -2.f) F(fdim, x, 1.f) F(fmax, x, 1.f) F(fmin, x, 1.f) F(hypot, x, 3.f) F(nextafter, x, 9.f) F(remainder, 7 * x, 2.f) \
		F(atan2, x, 3.f) F(fmod, 7 * x, 2.f) F(pow, x, 2.5f) F(scalbn, x, 3) F(scalbln, x, 3l) F(ldexp, x, -3)
#define WHOLE(F) F(ilogb, 9 * x) F(lrint, x + .5f) F(llrint, x + .5f) F(lround, x + .5f) F(llround, x + .5f)

#define CHECK(NAME) static_assert(std::is_same<decltype(v), float>::value, #NAME);
#define ONCE(NAME, A)                                                                                                               \
	{                                                                                                                                 \
		auto v = NAME(A), w = std::NAME(A);                                                                                             \
		CHECK(NAME)                                                                                                                     \
		*out++ = v + (v != w);                                                                                                          \
	}
#define TWICE(NAME, A, B)                                                                                                           \
	{                                                                                                                                 \
		auto v = std::NAME(A, B);                                                                                                       \
		CHECK(NAME)                                                                                                                     \
		*out++ = v;                                                                                                                     \
	}
#define INTEGER(NAME, A) *out++ = NAME(A) + (std::NAME(A) != NAME(A));
#define NAMED(NAME, ...) #NAME,

static const char *const names[] = {ONE(NAMED) TWO(NAMED) WHOLE(NAMED) "fma", "remquo", "quotient"};
const int count = sizeof(names) / sizeof(names[0]);

__device__ void device(float *out, float x) {
	int quotient;
	ONE(ONCE) TWO(TWICE) WHOLE(INTEGER)
	*out++ = fma(x, x, 1.f);
	*out++ = remquo(7 * x, 2.f, &quotient);
	*out++ = quotient & 7;
}

#undef ONCE
#define ONCE(NAME, A) *out++ = std::NAME(A);
#undef INTEGER
#define INTEGER(NAME, A) *out++ = std::NAME(A);

void host(float *out, float x) {
	int quotient;
	ONE(ONCE) TWO(TWICE) WHOLE(INTEGER)
	*out++ = std::fma(x, x, 1.f);
	*out++ = std::remquo(7 * x, 2.f, &quotient);
	*out++ = quotient & 7;
}

__global__ void all(float *out, float *nans) {
	device(out + threadIdx.x * count, .25f + .3f * threadIdx.x);
	nans[0] = nanf("");
	nans[1] = nan("3");
}

int main() {
	const int threads = 20;
	static float got[threads * count];
	float want[count], *out, *nans, n[2];
	cudaMalloc(&out, sizeof(got));
	cudaMalloc(&nans, sizeof(n));
	all<<<1, threads>>>(out, nans);
	cudaMemcpy(n, nans, sizeof(n), cudaMemcpyDeviceToHost);
	cudaError_t error = cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
	int wrong = error != cudaSuccess || n[0] == n[0] || n[1] == n[1];
	for (int t = 0; t < threads; t++) {
		host(want, .25f + .3f * t);
		for (int i = 0; i < count; i++)
			if (!(std::fabs(got[t * count + i] - want[i]) <= 4e-6f * std::fabs(want[i]) + 1e-6f)) {
				printf("%s of thread %d: %g, want %g\n", names[i], t, got[t * count + i], want[i]);
				wrong++;
			}
	}
	printf(wrong ? "failed\n" : "ok\n");
	return wrong != 0;
}
