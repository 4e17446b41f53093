//cc: -Wno-deprecated-declarations -Wno-return-type
// What nvcc takes and clang refuses, and names of headers that nvcc includes by itself.
#include <type_traits>
extern __shared__ alignas(256) char dynamic[];

struct Mask {
	int scale;
	__host__ __device__ Mask(int scale) : scale(scale) {}
	__device__ __forceinline__ Mask(const Mask &other) : scale(other.scale) {}
};

__device__ constexpr int half(int n) { return n / 2; }

// Names of templates behind "template", values beyond an enumeration's, and letters behind strings.
enum Side { left, right };
template <int N> struct Fixed {
	static constexpr Side side = static_cast<Side>(N);
	template <class T> __host__ __device__ T times(T t) const { return t * N; }
};
template <class F, class T> __host__ __device__ T timesOf(F f, T t) { return f.template times(t); }
#define TEXT "%d"
static const char format[] = "failed: "TEXT", want "TEXT"\n";

// An intrinsic that the program defines itself.
__device__ __inline__ int __float_as_int(float f) {
	int i;
	memcpy(&i, &f, 4);
	return i;
}

// A library that asks for a lambda's result in host code, and whether it is of both sides.
template <class F> __global__ void apply(F f, int *out) { *out = f(*out); }
template <class F> void applied(F f, int *out) {
	static_assert(std::is_same<typename std::result_of<F(int)>::type, int>::value && !__nv_is_extended_host_device_lambda_closure_type(int), "");
	static_assert(__nv_is_extended_host_device_lambda_closure_type(F) && !__nv_is_extended_host_device_lambda_closure_type(std::pair<F, F>), "");
	apply<<<1, 1>>>(f, out);
}

// A template of both sides that calls a function of the host where it is never called on the device.
#ifdef __CUDA_ARCH__
#define ON_HOST 0
#else
#define ON_HOST 1
#endif
template <class T> T onHost(T t) { return t; }
template <class T> __host__ __device__ T anywhere(T t) {
	if (ON_HOST)
		return onHost(t);
	return t;
}

__global__ void scaled(int *out, Mask mask) { *out = half(mask.scale * *out) + timesOf(Fixed<5>(), 3) - anywhere<int>(Fixed<15>::side); }

// Overflows, and memory read by another type, which unoptimised host code has as the processor does.
__attribute__((noinline)) bool squares(const int *squares, int n) {
	for (int i = 0; i < n; i++)
		if (squares[i] != i * i)
			return false;
	return true;
}
__attribute__((noinline)) int reread(int *i, float *f) {
	*i = 0;
	*f = 1;
	return *i;
}

// A method that is called without an object, and asks.
struct Node {
	int number;
	__attribute__((noinline)) int id() { return this ? number : 7; }
};

#ifdef __CUDA_ARCH__
#define UNROLLED #pragma unroll
#else
#define UNROLLED
#endif
// Functions that end without a return statement. Callers ignore their results.
__attribute__((noinline)) bool set(int *p, int value) { *p = value; }
__device__ int add(int *p, int i) {
	*p += i;
	if (*p < 0)
		return i;
}
__global__ void added(int *p) {
	UNROLLED
	for (int i = 0; i < 10; i++)
		add(p, i);
	*p *= 2;
}

// A linkage without a blank, and dynamic shared memory that is not an array.
template <int N> struct Rotated {
	int first[N], last;
};
extern "C"__global__ void rotate(int *p) {
	extern __shared__ Rotated<3> rotated;
	rotated.first[threadIdx.x] = p[threadIdx.x];
	if (threadIdx.x == 0)
		rotated.last = p[3];
	__syncthreads();
	p[threadIdx.x] = threadIdx.x ? rotated.first[threadIdx.x - 1] : rotated.last;
}

// Shared variables with a destructor, which nobody calls.
struct Counter {
	int n;
	Counter() = default;
	__device__ ~Counter() { n = -1; }
	__device__ void add(int by) { atomicAdd(&n, by); }
};
template <class T> __global__ void counted(int *p) {
	__shared__ T one;
	__shared__ alignas(64) T two[2];
	if (threadIdx.x == 0)
		one.n = two[0].n = two[1].n = 0;
	__syncthreads();
	one.add(1);
	two[threadIdx.x % 2].add((int)threadIdx.x);
	__syncthreads();
	p[threadIdx.x] = one.n * 100 + two[0].n * 10 + two[1].n;
}

// A default argument that only the definition of a template's member has.
template <int N> struct Sum {
	int of(int n, int more);
};
template <int N> int Sum<N>::of(int n, int more = (3)) { return N + n + more; }

template <int N> __global__ void kernel(int *out, int n) {
	__shared__ alignas(64 * N) int aligned[3];
	register int a = (int)(__cvta_generic_to_shared(aligned) % (64 * N) + __cvta_generic_to_shared(dynamic) % 256);
#pragma unroll (N / 4)
	for (int i = 0; i < n; i++)
		a += i;
#pragma unroll 0
	for (int i = 0; i < n; i++)
		a += 10 * i;
#pragma unroll
#pragma unroll 4
	for (int i = 0; i < n; i++)
		a += 100 * i;
#pragma unroll
	a += 1000 * N;
	asm volatile("add.s32 %0, %1, %2;" : "=r"(a) : "r"(a) "r"(0));
	std::pair<int, int> p(a, INT_MAX % 1000);
	*out = p.first - p.second;
}

int main() {
	static int table[70000];
	for (unsigned i = 0; i < 70000; i++)
		table[i] = (int)(i * i);
	if (!squares(table, 70000) || reread(table, (float *)table) != 0x3f800000)
		return printf("overflow or types\n");
	if (Node *none = nullptr; none->id() != 7)
		return printf("null\n");
	register int n = Sum<1>().of(1, 3);
	dim3 grid = {n / 5};
	int *out, *rotated, got = 1, want = 2, around[4] = {5, 6, 7, 8};
	cudaMalloc(&out, sizeof(got));
	set(&got, 1);
	cudaMemcpy(out, &got, sizeof(got), cudaMemcpyHostToDevice);
	added<<<1, 1>>>(out);
	cudaMemcpy(&got, out, sizeof(got), cudaMemcpyDeviceToHost);
	if (set(&table[0], 3), table[0] != 3 || got != 2 * (1 + 45))
		return printf("no return: %d\n", got);
	cudaMalloc(&rotated, sizeof(around));
	cudaMemcpy(rotated, around, sizeof(around), cudaMemcpyHostToDevice);
	rotate<<<1, 3, sizeof(Rotated<3>)>>>(rotated);
	cudaMemcpy(around, rotated, sizeof(around), cudaMemcpyDeviceToHost);
	if (around[0] != 8 || around[1] != 5 || around[2] != 6 || around[3] != 8)
		return printf("shared: %d %d %d %d\n", around[0], around[1], around[2], around[3]);
	counted<Counter><<<1, 4>>>(rotated);
	cudaMemcpy(around, rotated, sizeof(around), cudaMemcpyDeviceToHost);
	if (around[0] != 424 || around[3] != 424)
		return printf("counters: %d %d\n", around[0], around[3]);
	kernel<2><<<grid, dim3{1}>>>(out, n);
	applied([=] __device__(int i) { return i - __popc(n) + (__float_as_int(1.5f) - 0x3fc00000); }, out);
	scaled << <grid, half(2) >> >(out, Mask(-6));
	cudaMemcpy(&got, out, sizeof(got), cudaMemcpyDeviceToHost);
	want = -3 * (3110 - INT_MAX % 1000 - 2);
	std::swap(got, want);
	printf(got == want ? "ok\n" : format, want, got);
	return got != want;
}
