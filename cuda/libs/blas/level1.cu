/* Operations on vectors. */
#include "blas.cuh"

constexpr int THREADS = 256;

#define EACH(I) for (int64_t I = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; I < a.n; I += gridDim.x * (int64_t)blockDim.x)

template <typename T, typename Acc> __device__ void scal(const vector_args &a) {
	Acc alpha = value_of<Acc>(a.alpha);
	EACH(i) at<T>(a.x, i) = to<T>(alpha * to<Acc>(at<T>(a.x, i)));
}

template <typename T, typename Acc> __device__ void axpy(const vector_args &a) {
	Acc alpha = value_of<Acc>(a.alpha);
	EACH(i) at<T>(a.y, i) = to<T>(fma_of(alpha, to<Acc>(at<T>(a.x, i)), to<Acc>(at<T>(a.y, i))));
}

template <typename T> __device__ void copy(const vector_args &a) {
	EACH(i) at<T>(a.y, i) = at<T>(a.x, i);
}

template <typename T> __device__ void swap(const vector_args &a) {
	EACH(i) {
		T x = at<T>(a.x, i);
		at<T>(a.x, i) = at<T>(a.y, i);
		at<T>(a.y, i) = x;
	}
}

template <typename T> __device__ void rot(const vector_args &a) {
	T c = value_of<T>(a.alpha), s = value_of<T>(a.beta);
	EACH(i) {
		T x = at<T>(a.x, i), y = at<T>(a.y, i);
		at<T>(a.x, i) = c * x + s * y;
		at<T>(a.y, i) = c * y - conj(s) * x;
	}
}

/* The first parameter is a flag that selects which of the others are used. */
template <typename T> __device__ void rotm(const vector_args &a) {
	T p[5];
	for (int i = 0; i < 5; i++)
		p[i] = a.param != nullptr ? ((const T *)a.param)[i] : T(a.values[i]);
	T h11 = p[1], h21 = p[2], h12 = p[3], h22 = p[4];
	if (p[0] == -2)
		return;
	if (p[0] == 0)
		h11 = h22 = 1;
	if (p[0] == 1)
		h12 = 1, h21 = -1;
	EACH(i) {
		T x = at<T>(a.x, i), y = at<T>(a.y, i);
		at<T>(a.x, i) = h11 * x + h12 * y;
		at<T>(a.y, i) = h21 * x + h22 * y;
	}
}

#define VECTORS(NAME, T)                                                                           \
	extern "C" __global__ void copy_##NAME(vector_args a) { copy<T>(a); }                       \
	extern "C" __global__ void swap_##NAME(vector_args a) { swap<T>(a); }
#define SCALED(NAME, T, ACC)                                                                       \
	extern "C" __global__ void scal_##NAME(vector_args a) { scal<T, ACC>(a); }                  \
	extern "C" __global__ void axpy_##NAME(vector_args a) { axpy<T, ACC>(a); }
#define ROTATED(NAME, T) extern "C" __global__ void rot_##NAME(vector_args a) { rot<T>(a); }
#define MODIFIED(NAME, T) extern "C" __global__ void rotm_##NAME(vector_args a) { rotm<T>(a); }

typedef complex<float> c32;
typedef complex<double> c64;

VECTORS(s, float) VECTORS(d, double) VECTORS(c, c32) VECTORS(z, c64) VECTORS(h, __half)
SCALED(s, float, float) SCALED(d, double, double) SCALED(c, c32, c32) SCALED(z, c64, c64) SCALED(h, __half, float) SCALED(b, __nv_bfloat16, float)
ROTATED(s, float) ROTATED(d, double) ROTATED(c, c32) ROTATED(z, c64)
MODIFIED(s, float) MODIFIED(d, double)

/* Reductions. An operation has a type for partial results, and functions that make it from one element, combine
   two, and compute the result. */

template <typename T> __device__ T magnitude(T x) { return x < 0 ? -x : x; }
template <typename T> __device__ T magnitude(complex<T> x) { return magnitude(x.re) + magnitude(x.im); }
template <typename T> __device__ double square(T x) { return (double)x * x; }
template <typename T> __device__ double square(complex<T> x) { return square(x.re) + square(x.im); }

template <typename T, typename Acc, bool CONJ> struct dot {
	using part = Acc;
	using result = T;
	static __device__ part none() { return Acc(0); }
	static __device__ part of(const reduction_args &a, int64_t i) {
		Acc x = to<Acc>(at<T>(a.x, i));
		return (CONJ ? conj(x) : x) * to<Acc>(at<T>(a.y, i));
	}
	static __device__ part join(part p, part q) { return p + q; }
	static __device__ result finish(part p) { return to<T>(p); }
};

template <typename T> struct asum {
	using part = typename real_of<T>::type;
	using result = part;
	static __device__ part none() { return 0; }
	static __device__ part of(const reduction_args &a, int64_t i) { return magnitude(at<T>(a.x, i)); }
	static __device__ part join(part p, part q) { return p + q; }
	static __device__ result finish(part p) { return p; }
};

/* Squares of singles cannot overflow a double. */
template <typename T, typename Acc> struct euclidean {
	using part = double;
	using result = typename real_of<T>::type;
	static __device__ part none() { return 0; }
	static __device__ part of(const reduction_args &a, int64_t i) { return square(to<Acc>(at<T>(a.x, i))); }
	static __device__ part join(part p, part q) { return p + q; }
	static __device__ result finish(part p) { return to<result>((typename real_of<Acc>::type)sqrt(p)); }
};

/* Squares of doubles can, so they are scaled by the largest element. */
template <typename T> struct scaled_norm {
	struct part {
		double scale, squares;
	};
	using result = double;
	static __device__ part none() { return {0, 0}; }
	static __device__ part of_real(double x) { return {magnitude(x), x == 0 ? 0.0 : 1.0}; }
	static __device__ part of_parts(double x) { return of_real(x); }
	static __device__ part of_parts(c64 x) { return join(of_real(x.re), of_real(x.im)); }
	static __device__ part of(const reduction_args &a, int64_t i) { return of_parts(at<T>(a.x, i)); }
	static __device__ part join(part p, part q) {
		if (p.scale < q.scale) {
			part larger = q;
			q = p, p = larger;
		}
		if (q.squares == 0)
			return p;
		if (p.squares == 0)
			return q;
		double ratio = q.scale == p.scale ? 1 : q.scale / p.scale;
		return {p.scale, p.squares + q.squares * ratio * ratio};
	}
	static __device__ result finish(part p) { return p.squares == 0 ? 0 : p.scale * sqrt(p.squares); }
};

/* The first of the largest, or smallest, elements. */
template <typename T, bool SMALLEST> struct extreme {
	struct part {
		typename real_of<T>::type value;
		int64_t index;
	};
	using result = int64_t;
	static __device__ part none() { return {0, -1}; }
	static __device__ part of(const reduction_args &a, int64_t i) { return {magnitude(at<T>(a.x, i)), i}; }
	static __device__ part join(part p, part q) {
		if (p.index < 0 || q.index < 0)
			return p.index < 0 ? q : p;
		bool second = SMALLEST ? q.value < p.value : q.value > p.value;
		return second || (q.value == p.value && q.index < p.index) ? q : p;
	}
	static __device__ result finish(part p) { return p.index + 1; }
};

template <typename T> __device__ void write_result(const reduction_args &a, T result) { *(T *)a.result = result; }
template <> __device__ void write_result(const reduction_args &a, int64_t result) {
	if (a.wide)
		*(int64_t *)a.result = result;
	else
		*(int *)a.result = (int)result;
}

template <typename Op> __device__ void reduce(const reduction_args &a) {
	using part = typename Op::part;
	__shared__ alignas(16) char memory[THREADS * sizeof(part)];
	part *parts = (part *)memory, *partials = (part *)a.partials, mine = Op::none();
	EACH(i) mine = Op::join(mine, a.last ? partials[i] : Op::of(a, i));
	parts[threadIdx.x] = mine;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			parts[threadIdx.x] = Op::join(parts[threadIdx.x], parts[threadIdx.x + half]);
	}
	if (threadIdx.x > 0)
		return;
	if (gridDim.x > 1)
		partials[blockIdx.x] = parts[0];
	else
		write_result(a, Op::finish(parts[0]));
}

#define REDUCTION(NAME, ...) extern "C" __global__ void __launch_bounds__(THREADS) NAME(reduction_args a) { reduce<__VA_ARGS__>(a); }
#define REDUCTIONS(NAME, T)                                                                                        \
	REDUCTION(dotu_##NAME, dot<T, T, false>)                                                                          \
	REDUCTION(asum_##NAME, asum<T>) REDUCTION(amax_##NAME, extreme<T, false>) REDUCTION(amin_##NAME, extreme<T, true>)
REDUCTIONS(s, float) REDUCTIONS(d, double) REDUCTIONS(c, c32) REDUCTIONS(z, c64)
REDUCTION(dotc_c, dot<c32, c32, true>)
REDUCTION(dotc_z, dot<c64, c64, true>)
REDUCTION(dotu_h, dot<__half, float, false>)
REDUCTION(dotu_b, dot<__nv_bfloat16, float, false>)
REDUCTION(nrm2_s, euclidean<float, float>)
REDUCTION(nrm2_c, euclidean<c32, c32>)
REDUCTION(nrm2_h, euclidean<__half, float>)
REDUCTION(nrm2_b, euclidean<__nv_bfloat16, float>)
REDUCTION(nrm2_d, scaled_norm<double>)
REDUCTION(nrm2_z, scaled_norm<c64>)

/* One thread computes a rotation. r is c x + s y, and c and s can be recovered from z. */
template <typename T> __device__ void rotg(const rotation_args &g) {
	T *a = (T *)g.a, *b = (T *)g.b, *c = (T *)g.c, *s = (T *)g.s;
	T larger = magnitude(*a) > magnitude(*b) ? *a : *b, scale = magnitude(*a) + magnitude(*b), z = 1;
	if (scale == 0) {
		*c = 1, *s = 0, *a = 0, *b = 0;
		return;
	}
	T x = *a / scale, y = *b / scale, r = scale * sqrt(x * x + y * y) * (larger < 0 ? -1 : 1);
	*c = *a / r, *s = *b / r;
	if (magnitude(*a) > magnitude(*b))
		z = *s;
	else if (*c != 0)
		z = 1 / *c;
	*a = r, *b = z;
}

template <typename T> __device__ void complex_rotg(const rotation_args &g) {
	complex<T> *a = (complex<T> *)g.a, *b = (complex<T> *)g.b, *s = (complex<T> *)g.s;
	T *c = (T *)g.c, size = hypot(a->re, a->im);
	if (size == 0) {
		*c = 0, *s = complex<T>(1), *a = *b;
		return;
	}
	T norm = hypot(size, hypot(b->re, b->im));
	complex<T> direction(a->re / size, a->im / size);
	*c = size / norm;
	complex<T> t = direction * conj(*b);
	*s = complex<T>(t.re / norm, t.im / norm);
	*a = complex<T>(direction.re * norm, direction.im * norm);
}

extern "C" __global__ void rotg_s(rotation_args a) { rotg<float>(a); }
extern "C" __global__ void rotg_d(rotation_args a) { rotg<double>(a); }
extern "C" __global__ void rotg_c(rotation_args a) { complex_rotg<float>(a); }
extern "C" __global__ void rotg_z(rotation_args a) { complex_rotg<double>(a); }

/* A modified rotation that makes the second element zero. Factors are kept between 1/GAMMA^2 and GAMMA^2. */
template <typename T> __device__ void rotmg(const rotation_args &g) {
	constexpr T GAMMA = 4096, MOST = GAMMA * GAMMA, LEAST = 1 / MOST;
	T d1 = *(T *)g.a, d2 = *(T *)g.b, x1 = *(T *)g.c, y1 = *(T *)g.s, *p = (T *)g.param;
	T flag = -1, h11 = 0, h12 = 0, h21 = 0, h22 = 0;
	auto give = [&] {
		*(T *)g.a = d1, *(T *)g.b = d2, *(T *)g.c = x1;
		p[0] = flag;
		if (flag != 0 && flag != -2)
			p[1] = h11, p[4] = h22;
		if (flag != 1 && flag != -2)
			p[2] = h21, p[3] = h12;
	};
	T p2 = d2 * y1, p1 = d1 * x1, q2 = p2 * y1, q1 = p1 * x1;
	if (d1 >= 0 && p2 == 0) {
		p[0] = -2;
		return;
	}
	if (d1 < 0 || (magnitude(q1) <= magnitude(q2) && q2 < 0)) {
		d1 = d2 = x1 = 0;
		return give();
	}
	if (magnitude(q1) > magnitude(q2)) {
		h21 = -y1 / x1, h12 = p2 / p1;
		T u = 1 - h12 * h21;
		if (u <= 0) {
			h12 = h21 = d1 = d2 = x1 = 0;
			return give();
		}
		flag = 0, d1 /= u, d2 /= u, x1 *= u;
	} else {
		h11 = p1 / p2, h22 = x1 / y1;
		T u = 1 + h11 * h22, before = d1;
		flag = 1, d1 = d2 / u, d2 = before / u, x1 = y1 * u;
	}
	auto whole = [&] { /* from now on, all four factors are used */
		if (flag == 0)
			h11 = h22 = 1;
		if (flag == 1)
			h21 = -1, h12 = 1;
		flag = -1;
	};
	while (d1 != 0 && (d1 <= LEAST || d1 >= MOST)) {
		bool small = d1 <= LEAST;
		whole();
		d1 *= small ? MOST : LEAST;
		T factor = small ? 1 / GAMMA : GAMMA;
		x1 *= factor, h11 *= factor, h12 *= factor;
	}
	while (d2 != 0 && (magnitude(d2) <= LEAST || magnitude(d2) >= MOST)) {
		bool small = magnitude(d2) <= LEAST;
		whole();
		d2 *= small ? MOST : LEAST;
		T factor = small ? 1 / GAMMA : GAMMA;
		h21 *= factor, h22 *= factor;
	}
	give();
}
extern "C" __global__ void rotmg_s(rotation_args a) { rotmg<float>(a); }
extern "C" __global__ void rotmg_d(rotation_args a) { rotmg<double>(a); }
