// Operations on vectors and on matrices of all forms, for real and complex numbers, against plain loops on the host.
#pragma once
#include "check_blas.h"

namespace forms {
static cublasHandle_t handle;

// name(T(), ...) is the function for numbers of type T.
#define FUNCTION(NAME, S, D, C, Z)                                                                           \
	template <typename... A> cublasStatus_t NAME(float, A... a) { return cublas##S(handle, a...); }            \
	template <typename... A> cublasStatus_t NAME(double, A... a) { return cublas##D(handle, a...); }           \
	template <typename... A> cublasStatus_t NAME(cuComplex, A... a) { return cublas##C(handle, a...); }        \
	template <typename... A> cublasStatus_t NAME(cuDoubleComplex, A... a) { return cublas##Z(handle, a...); }
#define SAME(NAME) FUNCTION(NAME, S##NAME##_v2, D##NAME##_v2, C##NAME##_v2, Z##NAME##_v2)
#define PLAIN(NAME) FUNCTION(NAME, S##NAME, D##NAME, C##NAME, Z##NAME)
SAME(axpy) SAME(scal) SAME(copy) SAME(swap) SAME(rot) SAME(rotg) SAME(gemv) SAME(symv) SAME(syr) SAME(syr2) SAME(trmv) SAME(trsv) SAME(symm) SAME(syrk) SAME(syr2k) SAME(trmm) SAME(trsm)
PLAIN(getrfBatched) PLAIN(getrsBatched) PLAIN(getriBatched) PLAIN(matinvBatched) PLAIN(geqrfBatched) PLAIN(trttp) PLAIN(tpttr) PLAIN(geam) PLAIN(dgmm) PLAIN(syrkx) PLAIN(trsmBatched) PLAIN(gemvStridedBatched)
FUNCTION(dot, Sdot_v2, Ddot_v2, Cdotu_v2, Zdotu_v2)
FUNCTION(dotc, Sdot_v2, Ddot_v2, Cdotc_v2, Zdotc_v2)
FUNCTION(nrm2, Snrm2_v2, Dnrm2_v2, Scnrm2_v2, Dznrm2_v2)
FUNCTION(asum, Sasum_v2, Dasum_v2, Scasum_v2, Dzasum_v2)
FUNCTION(amax, Isamax_v2, Idamax_v2, Icamax_v2, Izamax_v2)
FUNCTION(amin, Isamin_v2_64, Idamin_v2_64, Icamin_v2_64, Izamin_v2_64)
FUNCTION(ger, Sger_v2, Dger_v2, Cgeru_v2, Zgeru_v2)
FUNCTION(gerc, Sger_v2, Dger_v2, Cgerc_v2, Zgerc_v2)
FUNCTION(hemv, Ssymv_v2, Dsymv_v2, Chemv_v2, Zhemv_v2)
FUNCTION(hemm, Ssymm_v2, Dsymm_v2, Chemm_v2, Zhemm_v2)
FUNCTION(her, Ssyr_v2, Dsyr_v2, Cher_v2, Zher_v2)
FUNCTION(her2, Ssyr2_v2, Dsyr2_v2, Cher2_v2, Zher2_v2)
FUNCTION(herk, Ssyrk_v2, Dsyrk_v2, Cherk_v2, Zherk_v2)
FUNCTION(her2k, Ssyr2k_v2, Dsyr2k_v2, Cher2k_v2, Zher2k_v2)

template <typename T> using real = std::conditional_t<sizeof(T) % 8 == 0 && !std::is_same_v<T, cuComplex>, double, float>;

// same compares what is on the device with numbers.
template <typename T> void same(const Both<T> &got, const std::vector<number> &want, int line) {
	std::vector<T> on = got.down();
	double tolerance = sizeof(real<T>) == 4 ? 2e-5 : 1e-12;
	for (size_t i = 0; i < want.size(); i++)
		if (!near(numberOf(on[i]), want[i], tolerance)) {
			number x = numberOf(on[i]);
			fprintf(stderr, "line %d, type of %zu bytes, element %zu: %g %g, want %g %g\n", line, sizeof(T), i, x.real(), x.imag(), want[i].real(), want[i].imag());
			exit(1);
		}
}
#define SAME_AS(got, want) same(got, want, __LINE__)

template <typename T> std::vector<number> numbers(const Both<T> &b) {
	std::vector<number> all;
	for (T x : b.host)
		all.push_back(numberOf(x));
	return all;
}

static int place(int i, int n, int inc) { return inc < 0 ? (i - n + 1) * inc : i * inc; }

template <typename T> void testVectors(int n, int incx, int incy) {
	Both<T> x(1 + (n - 1) * abs(incx)), y(1 + (n - 1) * abs(incy));
	std::vector<number> wx = numbers(x), wy = numbers(y);
	T alpha = random<T>(), result;
	number a = numberOf(alpha), u = 0, c = 0;
	double size = 0, squares = 0;
	int largest = 0, smallest = 0;
	auto X = [&](int i) -> number & { return wx[place(i, n, incx)]; };
	auto Y = [&](int i) -> number & { return wy[place(i, n, incy)]; };
	auto magnitude = [&](int i) { return std::abs(X(i).real()) + std::abs(X(i).imag()); };
	for (int i = 0; i < n; i++) {
		u += X(i) * Y(i), c += std::conj(X(i)) * Y(i);
		size += magnitude(i), squares += std::norm(X(i));
		largest = magnitude(i) > magnitude(largest) ? i : largest;
		smallest = magnitude(i) < magnitude(smallest) ? i : smallest;
	}
	double tolerance = sizeof(real<T>) == 4 ? 1e-5 : 1e-12;
	BLAS(dot(T(), n, x.device, incx, y.device, incy, &result));
	EXPECT(near(numberOf(result), u, tolerance));
	BLAS(dotc(T(), n, x.device, incx, y.device, incy, &result));
	EXPECT(near(numberOf(result), isComplex<T> ? c : u, tolerance));
	if (incx > 0) {
		real<T> r;
		int index;
		int64_t wide;
		BLAS(nrm2(T(), n, x.device, incx, &r));
		EXPECT(near(r, sqrt(squares), tolerance));
		BLAS(asum(T(), n, x.device, incx, &r));
		EXPECT(near(r, size, tolerance));
		BLAS(amax(T(), n, x.device, incx, &index));
		EXPECT(index == largest + 1);
		BLAS(amin(T(), (int64_t)n, x.device, (int64_t)incx, &wide));
		EXPECT(wide == smallest + 1);
		BLAS(scal(T(), n, &alpha, x.device, incx));
		for (int i = 0; i < n; i++)
			X(i) *= a;
		SAME_AS(x, wx);
	}
	BLAS(axpy(T(), n, &alpha, x.device, incx, y.device, incy));
	for (int i = 0; i < n; i++)
		Y(i) += a * X(i);
	SAME_AS(y, wy);
	real<T> cosine = 2; // its size does not matter
	BLAS(rot(T(), n, x.device, incx, y.device, incy, &cosine, &alpha));
	for (int i = 0; i < n; i++) {
		number before = X(i);
		X(i) = 2.0 * before + a * Y(i);
		Y(i) = 2.0 * Y(i) - std::conj(a) * before;
	}
	SAME_AS(x, wx);
	SAME_AS(y, wy);
	BLAS(swap(T(), n, x.device, incx, y.device, incy));
	for (int i = 0; i < n; i++)
		std::swap(X(i), Y(i));
	SAME_AS(x, wx);
	SAME_AS(y, wy);
	BLAS(copy(T(), n, x.device, incx, y.device, incy));
	for (int i = 0; i < n; i++)
		Y(i) = X(i);
	SAME_AS(y, wy);
	// A rotation makes the second of two numbers zero.
	T f = random<T>(), g = random<T>(), s;
	number first = numberOf(f), second = numberOf(g);
	BLAS(rotg(T(), &f, &g, &cosine, &s));
	EXPECT(near((double)cosine * first + numberOf(s) * second, numberOf(f), tolerance * 10));
	EXPECT(near((double)cosine * second - std::conj(numberOf(s)) * first, 0, tolerance * 10));
	EXPECT(near(cosine * cosine + std::norm(numberOf(s)), 1, tolerance * 10));
}

// A matrix of a form, as a function of what is stored.
enum Form { general, symmetric, hermitian, triangular, unit };
template <typename T> number formed(const Both<T> &a, int ld, Form form, bool lower, int i, int j) {
	bool outside = lower ? j > i : i > j;
	if (form >= triangular && outside)
		return 0;
	if (form == unit && i == j)
		return 1;
	number x = form != general && outside ? numberOf(a.host[j + i * ld]) : numberOf(a.host[i + j * ld]);
	if (form == hermitian)
		return i == j ? number(x.real()) : outside ? std::conj(x) : x;
	return x;
}
template <typename T> number formed(const Both<T> &a, int ld, Form form, bool lower, cublasOperation_t op, int i, int j) {
	number x = op == CUBLAS_OP_N ? formed(a, ld, form, lower, i, j) : formed(a, ld, form, lower, j, i);
	return op == CUBLAS_OP_C ? std::conj(x) : x;
}

const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
const cublasFillMode_t uplos[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};

template <typename T> void testMatrixVector(int m, int n, int incx, int incy) {
	int lda = (m > n ? m : n) + 2;
	Both<T> a(lda * lda);
	T alpha = random<T>(), beta = random<T>();
	number al = numberOf(alpha), be = numberOf(beta);
	for (cublasOperation_t op : ops) {
		int rows = op == CUBLAS_OP_N ? m : n, cols = op == CUBLAS_OP_N ? n : m;
		Both<T> x(1 + (cols - 1) * abs(incx)), y(1 + (rows - 1) * abs(incy));
		std::vector<number> want = numbers(y);
		BLAS(gemv(T(), op, m, n, &alpha, a.device, lda, x.device, incx, &beta, y.device, incy));
		for (int i = 0; i < rows; i++) {
			number sum = 0;
			for (int j = 0; j < cols; j++)
				sum += formed(a, lda, general, false, op, i, j) * numberOf(x.host[place(j, cols, incx)]);
			number &w = want[place(i, rows, incy)];
			w = al * sum + be * w;
		}
		SAME_AS(y, want);
	}
	Both<T> x(1 + (m - 1) * abs(incx)), y(1 + (n - 1) * abs(incy));
	for (int conjugate = 0; conjugate < 2; conjugate++) {
		std::vector<number> want = numbers(a);
		BLAS(conjugate ? gerc(T(), m, n, &alpha, x.device, incx, y.device, incy, a.device, lda) : ger(T(), m, n, &alpha, x.device, incx, y.device, incy, a.device, lda));
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++) {
				number right = numberOf(y.host[place(j, n, incy)]);
				want[i + j * lda] += al * numberOf(x.host[place(i, m, incx)]) * (conjugate ? std::conj(right) : right);
			}
		SAME_AS(a, want);
		a.up();
	}
}

template <typename T> void testForms(int n, int incx, int incy) {
	int lda = n + 1;
	Both<T> a(lda * n), x(1 + (n - 1) * abs(incx)), y(1 + (n - 1) * abs(incy));
	T alpha = random<T>(), beta = random<T>();
	real<T> realAlpha = 3;
	number al = numberOf(alpha), be = numberOf(beta);
	auto X = [&](int i) { return numberOf(x.host[place(i, n, incx)]); };
	auto Y = [&](int i) { return numberOf(y.host[place(i, n, incy)]); };
	for (cublasFillMode_t uplo : uplos)
		for (int herm = 0; herm <= isComplex<T>; herm++) {
			bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
			std::vector<number> want = numbers(y);
			BLAS(herm ? hemv(T(), uplo, n, &alpha, a.device, lda, x.device, incx, &beta, y.device, incy) : symv(T(), uplo, n, &alpha, a.device, lda, x.device, incx, &beta, y.device, incy));
			for (int i = 0; i < n; i++) {
				number sum = 0;
				for (int j = 0; j < n; j++)
					sum += formed(a, lda, herm ? hermitian : symmetric, lower, i, j) * X(j);
				want[place(i, n, incy)] = al * sum + be * Y(i);
			}
			SAME_AS(y, want);
			y.up();
			for (int two = 0; two < 2; two++) {
				want = numbers(a);
				if constexpr (isComplex<T>) {
					if (herm && !two)
						BLAS(her(T(), uplo, n, &realAlpha, x.device, incx, a.device, lda));
				}
				if (herm && two)
					BLAS(her2(T(), uplo, n, &alpha, x.device, incx, y.device, incy, a.device, lda));
				if (!herm)
					BLAS(two ? syr2(T(), uplo, n, &alpha, x.device, incx, y.device, incy, a.device, lda) : syr(T(), uplo, n, &alpha, x.device, incx, a.device, lda));
				for (int j = 0; j < n; j++)
					for (int i = 0; i < n; i++) {
						if (lower ? i < j : j < i)
							continue;
						number &w = want[i + j * lda];
						if (herm)
							w += two ? al * X(i) * std::conj(Y(j)) + std::conj(al) * Y(i) * std::conj(X(j)) : 3.0 * X(i) * std::conj(X(j));
						else
							w += two ? al * (X(i) * Y(j) + Y(i) * X(j)) : al * X(i) * X(j);
						if (herm && i == j)
							w = w.real();
					}
				SAME_AS(a, want);
				a.up();
			}
		}
}

// Products with triangles, and systems, for which the product of the solution is what was there. The diagonal is large, so that they are stable.
template <typename T> void testTriangles(int m, int n, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag) {
	bool left = side == CUBLAS_SIDE_LEFT;
	int order = left ? m : n, lda = order + 1, ldb = m + 2;
	Form form = diag == CUBLAS_DIAG_UNIT ? unit : triangular;
	Both<T> a(lda * order), b(ldb * n), c(ldb * n);
	for (int i = 0; i < lda * order; i++)
		a.host[i] = valueOf<T>(numberOf(a.host[i]) / (i % lda == i / lda ? 1.0 : 4.0 * order) + (i % lda == i / lda ? 6.0 : 0.0));
	a.up();
	T alpha = valueOf<T>(number(2, isComplex<T> ? 1 : 0));
	auto times = [&](const std::vector<number> &x) {
		std::vector<number> y = x;
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++) {
				number sum = 0;
				for (int k = 0; k < order; k++)
					sum += left ? formed(a, lda, form, uplo == CUBLAS_FILL_MODE_LOWER, op, i, k) * x[k + j * ldb] : x[i + k * ldb] * formed(a, lda, form, uplo == CUBLAS_FILL_MODE_LOWER, op, k, j);
				y[i + j * ldb] = sum;
			}
		return y;
	};
	auto scaled = [&](std::vector<number> x, number by) {
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++)
				x[i + j * ldb] *= by;
		return x;
	};
	std::vector<number> product = scaled(times(numbers(b)), numberOf(alpha)), into = numbers(c);
	BLAS(trmm(T(), side, uplo, op, diag, m, n, &alpha, a.device, lda, b.device, ldb, c.device, ldb));
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++)
			into[i + j * ldb] = product[i + j * ldb];
	SAME_AS(c, into);
	BLAS(trmm(T(), side, uplo, op, diag, m, n, &alpha, a.device, lda, b.device, ldb, b.device, ldb));
	SAME_AS(b, product);
	b.up();
	auto solved = [&](int line) {
		std::vector<number> x;
		for (T e : b.down())
			x.push_back(numberOf(e));
		std::vector<number> back = times(x), rhs = scaled(numbers(b), numberOf(alpha));
		for (size_t i = 0; i < back.size(); i++)
			if (!near(back[i], rhs[i], sizeof(real<T>) == 4 ? 1e-4 : 1e-11)) {
				fprintf(stderr, "line %d: a system of %d is not solved\n", line, order);
				exit(1);
			}
		b.up();
	};
	BLAS(trsm(T(), side, uplo, op, diag, m, n, &alpha, a.device, lda, b.device, ldb));
	solved(__LINE__);
	T *pointers[2] = {a.device, b.device}, **onDevice;
	CHECK(cudaMalloc(&onDevice, sizeof(pointers)));
	CHECK(cudaMemcpy(onDevice, pointers, sizeof(pointers), cudaMemcpyHostToDevice));
	BLAS(trsmBatched(T(), side, uplo, op, diag, m, n, &alpha, (const T *const *)onDevice, lda, onDevice + 1, ldb, 1));
	solved(__LINE__);
	CHECK(cudaFree(onDevice));
	if (left && n == 1) {
		alpha = valueOf<T>(1);
		BLAS(trmv(T(), uplo, op, diag, m, a.device, lda, b.device, 1));
		SAME_AS(b, times(numbers(b)));
		b.up();
		BLAS(trsv(T(), uplo, op, diag, m, a.device, lda, b.device, 1));
		solved(__LINE__);
	}
}

template <typename T> void testMatrices(int m, int n, int k) {
	T alpha = random<T>(), beta = valueOf<T>(number(2, isComplex<T> ? 3 : 0)), one = valueOf<T>(1);
	number al = numberOf(alpha), be = numberOf(beta);
	real<T> realAlpha = 3, realBeta = 2;
	int ld = (m > n ? m : n) > k ? (m > n ? m : n) + 1 : k + 1;
	Both<T> a(ld * ld), b(ld * ld), c(ld * ld);
	for (cublasFillMode_t uplo : uplos) {
		bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
		for (int herm = 0; herm <= isComplex<T>; herm++) {
			for (int right = 0; right < 2; right++) {
				cublasSideMode_t side = right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
				std::vector<number> want = numbers(c);
				BLAS(herm ? hemm(T(), side, uplo, m, n, &alpha, a.device, ld, b.device, ld, &beta, c.device, ld) : symm(T(), side, uplo, m, n, &alpha, a.device, ld, b.device, ld, &beta, c.device, ld));
				for (int j = 0; j < n; j++)
					for (int i = 0; i < m; i++) {
						number sum = 0;
						Form form = herm ? hermitian : symmetric;
						for (int l = 0; l < (right ? n : m); l++)
							sum += right ? numberOf(b.host[i + l * ld]) * formed(a, ld, form, lower, l, j) : formed(a, ld, form, lower, i, l) * numberOf(b.host[l + j * ld]);
						want[i + j * ld] = al * sum + be * want[i + j * ld];
					}
				SAME_AS(c, want);
				c.up();
			}
			for (int transposed = 0; transposed < 2; transposed++)
				for (int way = 0; way < 3; way++) { // by one matrix, by two and those exchanged, by two
					cublasOperation_t op = !transposed ? CUBLAS_OP_N : herm ? CUBLAS_OP_C : CUBLAS_OP_T;
					std::vector<number> want = numbers(c);
					if (way == 0 && !herm)
						BLAS(syrk(T(), uplo, op, n, k, &alpha, a.device, ld, &beta, c.device, ld));
					if (way == 1 && !herm)
						BLAS(syr2k(T(), uplo, op, n, k, &alpha, a.device, ld, b.device, ld, &beta, c.device, ld));
					if (way == 2)
						BLAS(syrkx(T(), uplo, !transposed ? CUBLAS_OP_N : CUBLAS_OP_T, n, k, &alpha, a.device, ld, b.device, ld, &beta, c.device, ld));
					if constexpr (isComplex<T>) {
						if (way == 0 && herm)
							BLAS(herk(T(), uplo, op, n, k, &realAlpha, a.device, ld, &realBeta, c.device, ld));
						if (way == 1 && herm)
							BLAS(her2k(T(), uplo, op, n, k, &alpha, a.device, ld, b.device, ld, &realBeta, c.device, ld));
					}
					bool conjugate = herm && way < 2;
					auto A = [&](int i, int l) { return element(a.host, ld, conjugate || !transposed ? op : CUBLAS_OP_T, i, l); };
					auto B = [&](int i, int l) { return element((way ? b : a).host, ld, conjugate || !transposed ? op : CUBLAS_OP_T, i, l); };
					for (int j = 0; j < n; j++)
						for (int i = 0; i < n; i++) {
							if (lower ? i < j : j < i)
								continue;
							number sum = 0;
							for (int l = 0; l < k; l++) {
								number factor = conjugate && way == 0 ? 3.0 : al;
								sum += factor * A(i, l) * (conjugate ? std::conj(B(j, l)) : B(j, l));
								if (way == 1)
									sum += (conjugate ? std::conj(al) : al) * B(i, l) * (conjugate ? std::conj(A(j, l)) : A(j, l));
							}
							number &w = want[i + j * ld];
							w = sum + (conjugate ? number(2) : be) * w;
							if (conjugate && i == j)
								w = w.real();
						}
					SAME_AS(c, want);
					c.up();
				}
		}
	}
	for (cublasOperation_t opa : ops)
		for (cublasOperation_t opb : ops) {
			std::vector<number> want = numbers(c);
			BLAS(geam(T(), opa, opb, m, n, &alpha, a.device, ld, &one, b.device, ld, c.device, ld));
			for (int j = 0; j < n; j++)
				for (int i = 0; i < m; i++)
					want[i + j * ld] = al * element(a.host, ld, opa, i, j) + element(b.host, ld, opb, i, j);
			SAME_AS(c, want);
			c.up();
		}
	for (int right = 0; right < 2; right++) {
		std::vector<number> want = numbers(c);
		int inc = right ? -1 : 2, order = right ? n : m;
		BLAS(dgmm(T(), right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, m, n, a.device, ld, b.device, inc, c.device, ld));
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++)
				want[i + j * ld] = numberOf(a.host[i + j * ld]) * numberOf(b.host[place(right ? j : i, order, inc)]);
		SAME_AS(c, want);
		c.up();
	}
}

// Addresses of the members of a batch, on the device.
template <typename T> struct Addresses {
	T **device;
	Addresses(const Both<T> &b, size_t stride, int batches) {
		std::vector<T *> at;
		for (int z = 0; z < batches; z++)
			at.push_back(b.device + z * stride);
		CHECK(cudaMalloc(&device, batches * sizeof(T *)));
		CHECK(cudaMemcpy(device, at.data(), batches * sizeof(T *), cudaMemcpyHostToDevice));
	}
	~Addresses() { cudaFree(device); }
};

template <typename T> std::vector<number> got(const Both<T> &b) {
	std::vector<number> all;
	for (T x : b.down())
		all.push_back(numberOf(x));
	return all;
}

// Systems are solved, and matrices are inverted and factorised: what is made of the results is what was there. The last of the batch is singular, if that is asked for.
template <typename T> void testSystems(int n, int nrhs, bool singular) {
	const int batches = 3, lda = n + 1, ldb = n + 2;
	Both<T> a(lda * n * batches), b(ldb * nrhs * batches), c(lda * n * batches), tau(n * batches);
	Both<int> pivots(n * batches), infos(batches);
	double tolerance = sizeof(real<T>) == 4 ? 1e-3 : 1e-10;
	for (int i = 0; singular && i < n; i++)
		a.host[2 * lda * n + i + lda * (n - 1)] = valueOf<T>(0);
	for (int z = 0; z < batches; z++) // the largest of each column is below the diagonal
		for (int i = 0; i < n; i++)
			a.host[(z * n + i) * lda + (i + 1) % n] = valueOf<T>(singular && i == n - 1 && z == 2 ? 0 : number(4 * n));
	a.up();
	std::vector<number> whole = numbers(a), right = numbers(b);
	Addresses<T> as(a, lda * n, batches), bs(b, ldb * nrhs, batches), cs(c, lda * n, batches), taus(tau, n, batches);
	auto A = [&](int z, int i, int j) { return whole[(z * n + j) * lda + i]; };
	auto isInverse = [&](int line) {
		std::vector<number> x = got(c);
		for (int z = 0; z < batches - singular; z++)
			for (int j = 0; j < n; j++)
				for (int i = 0; i < n; i++) {
					number sum = 0;
					for (int k = 0; k < n; k++)
						sum += A(z, i, k) * x[(z * n + j) * lda + k];
					if (!near(sum, i == j, tolerance))
						fprintf(stderr, "line %d: no inverse of %d\n", line, n), exit(1);
				}
	};
	auto haveInfos = [&] {
		std::vector<int> info = infos.down();
		EXPECT(info[0] == 0 && info[1] == 0 && info[2] == (singular ? n : 0));
	};
	if (n <= 32) {
		BLAS(matinvBatched(T(), n, (const T *const *)as.device, lda, cs.device, lda, infos.device, batches));
		isInverse(__LINE__);
		haveInfos();
	}
	BLAS(getrfBatched(T(), n, as.device, lda, pivots.device, infos.device, batches));
	haveInfos();
	EXPECT(n == 1 || pivots.down()[0] == 2);
	BLAS(getriBatched(T(), n, (const T *const *)as.device, lda, pivots.device, cs.device, lda, infos.device, batches));
	isInverse(__LINE__);
	haveInfos();
	for (cublasOperation_t op : ops) {
		int info = 7;
		BLAS(getrsBatched(T(), op, n, nrhs, (const T *const *)as.device, lda, pivots.device, bs.device, ldb, &info, batches));
		EXPECT(info == 0);
		std::vector<number> x = got(b);
		for (int z = 0; z < batches - singular; z++)
			for (int j = 0; j < nrhs; j++)
				for (int i = 0; i < n; i++) {
					number sum = 0;
					for (int k = 0; k < n; k++)
						sum += (op == CUBLAS_OP_N ? A(z, i, k) : op == CUBLAS_OP_T ? A(z, k, i) : std::conj(A(z, k, i))) * x[(z * nrhs + j) * ldb + k];
					EXPECT(near(sum, right[(z * nrhs + j) * ldb + i], tolerance));
				}
		b.up();
	}
	// Q R, where Q is the product of the reflections, the last of which is applied first.
	a.up();
	int info = 7, m = n, cols = n > 2 ? n - 2 : n;
	BLAS(geqrfBatched(T(), m, cols, as.device, lda, taus.device, &info, batches));
	EXPECT(info == 0);
	std::vector<number> qr = got(a), t = got(tau);
	for (int z = 0; z < batches; z++)
		for (int j = 0; j < cols; j++) {
			std::vector<number> column(m);
			for (int i = 0; i <= j; i++)
				column[i] = qr[(z * n + j) * lda + i];
			for (int k = cols - 1; k >= 0; k--) {
				auto v = [&](int i) { return i == k ? number(1) : qr[(z * n + k) * lda + i]; };
				number dot = 0;
				for (int i = k; i < m; i++)
					dot += std::conj(v(i)) * column[i];
				for (int i = k; i < m; i++)
					column[i] -= t[z * n + k] * v(i) * dot;
			}
			for (int i = 0; i < m; i++)
				EXPECT(near(column[i], A(z, i, j), tolerance));
		}
	// A triangle as one column, and back.
	for (cublasFillMode_t uplo : uplos) {
		Both<T> packed(n * (n + 1) / 2);
		a.up();
		BLAS(trttp(T(), uplo, n, a.device, lda, packed.device));
		std::vector<number> p = got(packed);
		size_t at = 0;
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++)
				if (uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j)
					EXPECT(p[at++] == A(0, i, j));
		CHECK(cudaMemset(c.device, 0, c.host.size() * sizeof(T)));
		BLAS(tpttr(T(), uplo, n, packed.device, c.device, lda));
		std::vector<number> back = got(c);
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++)
				EXPECT(back[i + j * lda] == ((uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j) ? A(0, i, j) : 0));
	}
}

template <typename T> void test() {
	testSystems<T>(1, 1, false);
	testSystems<T>(9, 3, true);
	testSystems<T>(35, 2, false);
	testVectors<T>(1, 1, 1);
	testVectors<T>(300, 1, 1);
	testVectors<T>(37, 2, -3);
	testVectors<T>(37, -1, 2);
	testVectors<T>(2500, 1, 2);
	testMatrixVector<T>(35, 70, 1, 1);
	testMatrixVector<T>(5, 3, -2, 3);
	testForms<T>(19, 1, 1);
	testForms<T>(3, 2, -1);
	testMatrices<T>(19, 21, 5);
	for (int i = 0; i < 12; i++) { // all of side, triangle and operation
		cublasSideMode_t side = i & 1 ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
		cublasDiagType_t diag = i % 5 == 0 ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
		testTriangles<T>(i & 1 ? 7 : 37, i & 1 ? 35 : 1 + i % 4, side, uplos[i >> 1 & 1], ops[i % 3], diag);
	}
}

// Results, norms near the ends of the range, and what is not to be read.
static void testEdges() {
	Both<double> d(3), result(1);
	d.host = {3e200, -4e200, 0};
	d.up();
	double norm = 0;
	BLAS(cublasDnrm2(handle, 3, d.device, 1, &norm));
	EXPECT(fabs(norm / 5e200 - 1) < 1e-15);
	BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
	BLAS(cublasDasum(handle, 3, d.device, 1, result.device));
	EXPECT(fabs(result.down()[0] / 7e200 - 1) < 1e-15);
	BLAS(cublasDscal(handle, 3, result.device, d.device, 0)); // does nothing
	BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
	int index = 7;
	BLAS(cublasIdamax(handle, 0, d.device, 1, &index));
	EXPECT(index == 0);
	Both<float> f(9);
	float zero = 0, two = 2, param[5] = {-2}, d1 = 2, d2 = 3, x1 = 4, y1 = 5;
	f.host = {NAN, 1, 2, 3, 4, 5, 6, 7, 8};
	f.up();
	BLAS(cublasSgemv(handle, CUBLAS_OP_N, 1, 2, &two, f.device + 1, 1, f.device + 3, 1, &zero, f.device, 1)); // 2 (1*3 + 2*4), beta 0 does not read NAN
	EXPECT(f.down()[0] == 22);
	// A norm of what is not a number is none, and with alpha 0 neither B nor A is read.
	d.host[0] = 3, d.host[1] = NAN, d.host[2] = 4;
	d.up();
	BLAS(cublasDnrm2(handle, 3, d.device, 1, &norm));
	EXPECT(isnan(norm));
	f.host = {0, 0, 0, 0, NAN, 1, NAN, 3, 8};
	f.up();
	BLAS(cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, 2, &zero, f.device, 2, f.device + 4, 2));
	f.host = {0, 0, 0, 0, 0, 0, 0, 0, 8};
	EXPECT(f.down() == f.host);
	// sqrt(d1) x1 and sqrt(d2) y1 are turned so that the second is zero, and what they are together stays.
	BLAS(cublasSrotmg(handle, &d1, &d2, &x1, &y1, param));
	EXPECT(param[0] == 1 && fabs(d1 * x1 * x1 - (2 * 16 + 3 * 25)) < 1e-3);
	f.host = {4, 5, 0, 0, 0, 0, 0, 0, 0};
	f.up();
	BLAS(cublasSrotm(handle, 1, f.device, 1, f.device + 1, 1, param));
	EXPECT(fabs(f.down()[0] - x1) < 1e-5 && fabs(f.down()[1]) < 1e-5);
	// Halves are added up in single precision.
	Both<__half> h(1000);
	for (__half &x : h.host)
		x = __float2half(3);
	h.up();
	__half half;
	BLAS(cublasDotEx(handle, 1000, h.device, CUDA_R_16F, 1, h.device, CUDA_R_16F, 1, &half, CUDA_R_16F, CUDA_R_32F));
	EXPECT((float)half == 9000);
	BLAS(cublasNrm2Ex(handle, 1000, h.device, CUDA_R_16F, 1, &half, CUDA_R_16F, CUDA_R_32F));
	EXPECT(fabs((float)half - 94.8683) < 0.05);
	BLAS(cublasAxpyEx(handle, 1000, &two, CUDA_R_32F, h.device, CUDA_R_16F, 1, h.device, CUDA_R_16F, 1, CUDA_R_32F));
	EXPECT((float)h.down()[999] == 9);
	BLAS(cublasScalEx(handle, 1000, &two, CUDA_R_32F, h.device, CUDA_R_16F, 1, CUDA_R_32F));
	EXPECT((float)h.down()[0] == 18);
	// Copies with gaps.
	float from[] = {1, 0, 2, 0, 3}, back[] = {9, 9, 9, 9, 9, 9};
	BLAS(cublasSetVector(3, sizeof(float), from, 2, f.device, 1));
	BLAS(cublasGetVector(3, sizeof(float), f.device, 1, back, 2));
	EXPECT(back[0] == 1 && back[1] == 9 && back[2] == 2 && back[4] == 3);
	BLAS(cublasSetMatrix(2, 2, sizeof(float), from, 2, f.device, 3));
	EXPECT(f.down()[0] == 1 && f.down()[3] == 2 && f.down()[4] == 0);
}

// A part is what takes little time with checks.
void run(bool part) {
	BLAS(cublasCreate(&handle));
	test<cuComplex>();
	if (!part) {
		test<float>();
		test<double>();
		test<cuDoubleComplex>();
	}
	testEdges();
	BLAS(cublasDestroy(handle));
}
} // namespace forms
