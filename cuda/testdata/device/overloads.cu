// The overloads of C++ for single precision: each is the function that C calls by another name.
#include <cmath>

#define SAME(NAME) same(::NAME(x), NAME##f(x)), same(std::NAME(x), NAME##f(x))
#define SAME2(NAME) same(::NAME(x, y), NAME##f(x, y)), same(std::NAME(x, y), NAME##f(x, y))

// same: of one type and one value.
template <typename T> __device__ bool same(T a, T b) { return a == b || (a != a && b != b); }

extern "C" __global__ void overloads(const float *in, int *out, double *numbers) {
	int i = threadIdx.x, q = 0, p = 0;
	float x = in[2 * i], y = in[2 * i + 1];
	bool all[] = {SAME(acosh), SAME(asinh), SAME(atanh), SAME(cbrt), SAME(erf), SAME(erfc), SAME(exp2), SAME(expm1), SAME(lgamma), SAME(log1p),
	              SAME(log2), SAME(logb), SAME(nearbyint), SAME(rint), SAME(round), SAME(tgamma), SAME(trunc), SAME(ilogb), SAME(lrint),
	              SAME(lround), SAME(llrint), SAME(llround), SAME(sqrt), SAME(sin), SAME(floor), SAME(fabs), SAME2(copysign), SAME2(fdim),
	              SAME2(fmax), SAME2(fmin), SAME2(hypot), SAME2(nextafter), SAME2(remainder), SAME2(pow), SAME2(atan2), SAME2(fmod),
	              same(std::fma(x, y, 2.0f), fmaf(x, y, 2.0f)), same(std::remquo(x, y, &q), remquof(x, y, &p)), q == p,
	              same(std::scalbn(x, 3), scalbnf(x, 3)), same(std::scalbln(x, 3L), scalblnf(x, 3L)), nan("1") != nan("1")};
	out[i] = 0;
	for (bool b : all)
		out[i] += !b;
	double *n = numbers + 4 * i;
	n[0] = std::round(x), n[1] = std::trunc(x), n[2] = std::fmax(x, y), n[3] = std::exp2(std::rint(x));
}
