// libcu++: atomic variables of all scopes, locks, semaphores and latches.
#include "../programs/check.h"
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>

__global__ void counts(int *plain, cuda::atomic<int, cuda::thread_scope_device> *device, cuda::std::atomic<unsigned> *system, double *sum, int *most) {
	cuda::atomic_ref<int, cuda::thread_scope_device> p(*plain);
	p.fetch_add(1, cuda::memory_order_relaxed);
	device->fetch_add(2, cuda::std::memory_order_acq_rel);
	(*system)++;
	cuda::atomic_ref<double, cuda::thread_scope_device> f(*sum);
	for (double old = f.load(); !f.compare_exchange_weak(old, old + 0.5);)
		;
	cuda::atomic_ref<int, cuda::thread_scope_device>(*most).fetch_max(blockIdx.x * blockDim.x + threadIdx.x);
	__shared__ cuda::atomic<int, cuda::thread_scope_block> block;
	if (threadIdx.x == 0)
		new (&block) cuda::atomic<int, cuda::thread_scope_block>(0);
	__syncthreads();
	block.fetch_add(1, cuda::memory_order_relaxed);
	__syncthreads();
	if (threadIdx.x == 0)
		p.fetch_add(1000 * block.load());
}

// A stack of numbers, on which each thread puts its own.
struct node {
	node *next;
	int value;
};
__global__ void push(node *nodes, cuda::atomic<node *, cuda::thread_scope_device> *head) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	nodes[i].value = i;
	nodes[i].next = head->load(cuda::memory_order_relaxed);
	while (!head->compare_exchange_weak(nodes[i].next, &nodes[i], cuda::memory_order_release, cuda::memory_order_relaxed))
		;
}

// Messages from block to block: data that is not atomic, and a flag that is.
__global__ void messages(int *data, cuda::atomic<int, cuda::thread_scope_device> *flag, int *got) {
	if (blockIdx.x == 0) {
		*data = 42;
		flag->store(1, cuda::memory_order_release);
		flag->notify_all();
	} else {
		flag->wait(0, cuda::memory_order_acquire);
		got[blockIdx.x] = *data;
	}
}
__global__ void fences(int *data, int *flag, int *got) {
	cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
	if (blockIdx.x == 0) {
		*data = 43;
		cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
		f.store(1, cuda::memory_order_relaxed);
	} else {
		while (f.load(cuda::memory_order_relaxed) == 0)
			;
		cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
		got[blockIdx.x] = *data;
	}
}

__global__ void locks(cuda::std::atomic_flag *flag, cuda::binary_semaphore<cuda::thread_scope_device> *one,
                      cuda::counting_semaphore<cuda::thread_scope_device, 3> *three, int *counters, cuda::atomic<int, cuda::thread_scope_device> *inside) {
	while (flag->test_and_set(cuda::std::memory_order_acquire))
		;
	counters[0]++;
	flag->clear(cuda::std::memory_order_release);
	one->acquire();
	counters[1]++;
	one->release();
	three->acquire();
	int n = inside->fetch_add(1) + 1;
	cuda::atomic_ref<int, cuda::thread_scope_device>(counters[2]).fetch_max(n);
	inside->fetch_sub(1);
	three->release();
}

__global__ void latches(int *data, int *sums) {
	using Latch = cuda::latch<cuda::thread_scope_block>;
	alignas(Latch) __shared__ char place[sizeof(Latch)];
	Latch &latch = *reinterpret_cast<Latch *>(place);
	if (threadIdx.x == 0)
		new (place) Latch(blockDim.x);
	__syncthreads();
	data[threadIdx.x] = threadIdx.x;
	latch.arrive_and_wait();
	sums[threadIdx.x] = data[threadIdx.x] + data[(threadIdx.x + 40) % blockDim.x];
}

template <typename T> T *managed(int n = 1) {
	T *p;
	CHECK(cudaMallocManaged(&p, n * sizeof(T)));
	CHECK(cudaMemset(p, 0, n * sizeof(T)));
	CHECK(cudaDeviceSynchronize());
	return p;
}

int main() {
	const int blocks = 4, threads = 64, n = blocks * threads;
	auto ints = managed<int>(n);
	auto device = new (managed<cuda::atomic<int, cuda::thread_scope_device>>()) cuda::atomic<int, cuda::thread_scope_device>(5);
	auto system = new (managed<cuda::std::atomic<unsigned>>()) cuda::std::atomic<unsigned>(7);
	double *sum = managed<double>();
	counts<<<blocks, threads>>>(&ints[0], device, system, sum, &ints[1]);
	CHECK(cudaDeviceSynchronize());
	EXPECT(ints[0] == 1001 * n && *device == 5 + 2 * n && system->load() == 7u + n && *sum == 0.5 * n && ints[1] == n - 1);
	system->fetch_add(1); // by the host
	EXPECT(system->exchange(3) == 8u + n);

	auto nodes = managed<node>(n);
	auto head = new (managed<cuda::atomic<node *, cuda::thread_scope_device>>()) cuda::atomic<node *, cuda::thread_scope_device>(nullptr);
	push<<<blocks, threads>>>(nodes, head);
	CHECK(cudaDeviceSynchronize());
	int length = 0, total = 0;
	for (node *at = head->load(); at != nullptr; at = at->next) {
		length++;
		total += at->value;
	}
	EXPECT(length == n && total == n * (n - 1) / 2);

	device->store(0);
	messages<<<3, 1>>>(&ints[0], device, &ints[10]);
	CHECK(cudaDeviceSynchronize());
	EXPECT(ints[11] == 42 && ints[12] == 42);
	ints[1] = 0;
	fences<<<3, 1>>>(&ints[0], &ints[1], &ints[10]);
	CHECK(cudaDeviceSynchronize());
	EXPECT(ints[11] == 43 && ints[12] == 43);

	auto flag = new (managed<cuda::std::atomic_flag>()) cuda::std::atomic_flag();
	auto one = new (managed<cuda::binary_semaphore<cuda::thread_scope_device>>()) cuda::binary_semaphore<cuda::thread_scope_device>(1);
	auto three = new (managed<cuda::counting_semaphore<cuda::thread_scope_device, 3>>()) cuda::counting_semaphore<cuda::thread_scope_device, 3>(3);
	CHECK(cudaMemset(ints, 0, 3 * sizeof(int)));
	device->store(0);
	locks<<<3, 20>>>(flag, one, three, ints, device);
	CHECK(cudaDeviceSynchronize());
	EXPECT(ints[0] == 60 && ints[1] == 60 && ints[2] >= 1 && ints[2] <= 3 && *device == 0);

	latches<<<1, 96>>>(ints, ints + 100);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 96; i++)
		EXPECT(ints[100 + i] == i + (i + 40) % 96);
	printf("ok\n");
}
