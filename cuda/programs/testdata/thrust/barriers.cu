// libcu++: barriers, pipelines, and copies that are not waited for.
#include "../programs/check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/barrier>
#include <vector>

namespace cg = cooperative_groups;
const int THREADS = 128;

// Threads that arrive, work, and wait; half of them make what the others use.
__global__ void phases(int *out, int rounds) {
	__shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
	__shared__ int buffer[THREADS / 2];
	if (threadIdx.x == 0) {
		init(&full, THREADS);
		init(&empty, THREADS);
	}
	__syncthreads();
	int t = threadIdx.x, sum = 0;
	if (t < THREADS / 2) {
		for (int r = 0; r < rounds; r++) {
			empty.arrive_and_wait();
			buffer[t] = r * 1000 + t;
			(void)full.arrive();
		}
	} else {
		for (int r = 0; r < rounds; r++) {
			(void)empty.arrive();
			full.wait(full.arrive());
			sum += buffer[THREADS - 1 - t];
		}
		out[t - THREADS / 2] = sum;
	}
}

__global__ void completion(int *out) {
	struct onCompletion {
		int *count;
		__device__ void operator()() noexcept { ++*count; }
	};
	__shared__ int count;
	using Barrier = cuda::barrier<cuda::thread_scope_block, onCompletion>;
	__shared__ char place[sizeof(Barrier)] __attribute__((aligned(64)));
	Barrier *barrier = reinterpret_cast<Barrier *>(place);
	if (threadIdx.x == 0) {
		count = 0;
		new (barrier) Barrier(blockDim.x, onCompletion{&count});
	}
	__syncthreads();
	for (int i = 0; i < 5; i++)
		barrier->arrive_and_wait();
	if (threadIdx.x == 0)
		*out = count;
}

__global__ void dropping(int *out) {
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	if (threadIdx.x == 0)
		init(&barrier, blockDim.x);
	__syncthreads();
	if (threadIdx.x >= 40) {
		barrier.arrive_and_drop();
		return;
	}
	for (int i = 0; i < 3; i++)
		barrier.arrive_and_wait();
	out[threadIdx.x] = 1;
}

__global__ void copies(const int *in, int *out, int n) {
	extern __shared__ __align__(16) int tile[];
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	auto block = cg::this_thread_block();
	if (block.thread_rank() == 0)
		init(&barrier, block.size());
	block.sync();
	for (int at = 0; at < n; at += THREADS) {
		cuda::memcpy_async(block, tile, in + at, cuda::aligned_size_t<16>(sizeof(int) * THREADS), barrier);
		barrier.arrive_and_wait();
		out[at + threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
		barrier.arrive_and_wait();
	}
	cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int), barrier); // by each thread
	barrier.arrive_and_wait();
	out[threadIdx.x] += tile[threadIdx.x ^ 1];
}

// A block's pipeline of two stages: the next tile is on its way while one is worked on.
__global__ void pipelined(const int *in, int *out, int tiles) {
	__shared__ int buffer[2][THREADS];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	auto block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	for (int computed = 0, fetched = 0; computed < tiles; computed++) {
		for (; fetched < tiles && fetched < computed + 2; fetched++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, buffer[fetched % 2], in + fetched * THREADS, sizeof(int) * THREADS, pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		out[computed * THREADS + threadIdx.x] = 2 * buffer[computed % 2][THREADS - 1 - threadIdx.x];
		pipe.consumer_release();
		block.sync(); // without roles, libcu++ 1.8 does not wait for those who still read
	}
}

// A thread's own pipeline.
__global__ void ownPipeline(const int *in, int *out, int rounds) {
	__shared__ int buffer[3][THREADS];
	auto pipe = cuda::make_pipeline();
	int t = threadIdx.x, sum = 0;
	for (int r = 0; r < rounds + 2; r++) {
		if (r < rounds) {
			pipe.producer_acquire();
			cuda::memcpy_async(&buffer[r % 3][t], in + r * THREADS + t, cuda::aligned_size_t<4>(4), pipe);
		}
		pipe.producer_commit();
		if (r >= 2) {
			cuda::pipeline_consumer_wait_prior<2>(pipe);
			sum += buffer[(r - 2) % 3][t];
			pipe.consumer_release();
		}
	}
	out[t] = sum;
}

// Threads of two roles share a pipeline.
__global__ void roles(const int *in, int *out, int tiles) {
	const int half = THREADS / 2;
	__shared__ int buffer[2][THREADS / 2];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	auto block = cg::this_thread_block();
	auto role = threadIdx.x < half ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
	auto pipe = cuda::make_pipeline(block, &state, role);
	int t = threadIdx.x % half;
	for (int i = 0; i < tiles; i++)
		if (role == cuda::pipeline_role::producer) {
			pipe.producer_acquire();
			cuda::memcpy_async(&buffer[i % 2][t], in + i * half + t, sizeof(int), pipe);
			pipe.producer_commit();
		} else {
			pipe.consumer_wait();
			out[i * half + t] = buffer[i % 2][half - 1 - t] + 1;
			pipe.consumer_release();
		}
}

int main() {
	const int tiles = 6, n = tiles * THREADS;
	int *in, *out;
	CHECK(cudaMallocManaged(&in, n * sizeof(int)));
	CHECK(cudaMallocManaged(&out, n * sizeof(int)));
	for (int i = 0; i < n; i++)
		in[i] = i * i % 1001;

	phases<<<1, THREADS>>>(out, 4);
	CHECK(cudaDeviceSynchronize());
	for (int t = 0; t < THREADS / 2; t++)
		EXPECT(out[t] == 6000 + 4 * (THREADS / 2 - 1 - t));
	completion<<<1, 96>>>(out);
	CHECK(cudaDeviceSynchronize());
	EXPECT(*out == 5);
	dropping<<<1, 64>>>(out);
	CHECK(cudaDeviceSynchronize());
	for (int t = 0; t < 40; t++)
		EXPECT(out[t] == 1);

	copies<<<1, THREADS, THREADS * sizeof(int)>>>(in, out, n);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		EXPECT(out[i] == in[i / THREADS * THREADS + THREADS - 1 - i % THREADS] + (i < THREADS ? in[i ^ 1] : 0));
	pipelined<<<1, THREADS>>>(in, out, tiles);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		EXPECT(out[i] == 2 * in[i / THREADS * THREADS + THREADS - 1 - i % THREADS]);
	ownPipeline<<<1, THREADS>>>(in, out, tiles);
	CHECK(cudaDeviceSynchronize());
	for (int t = 0, sum = 0; t < THREADS; t++, sum = 0) {
		for (int r = 0; r < tiles; r++)
			sum += in[r * THREADS + t];
		EXPECT(out[t] == sum);
	}
	roles<<<1, THREADS>>>(in, out, 2 * tiles);
	CHECK(cudaDeviceSynchronize());
	const int half = THREADS / 2;
	for (int i = 0; i < n; i++)
		EXPECT(out[i] == in[i / half * half + half - 1 - i % half] + 1);
	printf("ok\n");
}
