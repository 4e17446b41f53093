//cc: -arch=sm_90
// Tiles of a matrix that a tensor map describes, and the barriers in shared memory at which threads wait for them.
#include "check.h"
#include <cuda.h>
#include <cuda_awbarrier_primitives.h>

const int width = 64, height = 32, tileWidth = 16, tileHeight = 8, threads = 64;

__global__ void tile(int x, int y, const __grid_constant__ CUtensorMap map, int *out) {
	alignas(128) __shared__ int values[tileHeight][tileWidth];
	__shared__ __mbarrier_t barrier;
	if (threadIdx.x == 0)
		__mbarrier_init(&barrier, blockDim.x);
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
		asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"((int)sizeof values) : "memory");
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
		                 (unsigned)__cvta_generic_to_shared(values)),
		             "l"(&map), "r"(x), "r"(y), "r"(at)
		             : "memory");
	}
	__mbarrier_token_t token = __mbarrier_arrive(&barrier);
	while (!__mbarrier_try_wait(&barrier, token, 1000))
		;
	for (int i = threadIdx.x; i < tileWidth * tileHeight; i += blockDim.x)
		out[i] = __isGridConstant(&map) && !__isGridConstant(out) ? values[i / tileWidth][i % tileWidth] : -1;
	__syncthreads();
	if (threadIdx.x == 0)
		__mbarrier_inval(&barrier);
}

// Neighbours of another warp are read after the barrier; half of the threads arrive for the last time.
__global__ void phases(int *out) {
	__shared__ int values[threads], later[threads / 2];
	__shared__ __mbarrier_t barrier;
	int i = threadIdx.x;
	if (i == 0)
		__mbarrier_init(&barrier, threads);
	__syncthreads();
	values[i] = i;
	__mbarrier_token_t token = i < threads / 2 ? __mbarrier_arrive(&barrier) : __mbarrier_arrive_and_drop(&barrier);
	bool counted = __mbarrier_token_pending_count(token) >= 1 && __mbarrier_token_pending_count(token) <= threads;
	while (!__mbarrier_test_wait(&barrier, token))
		;
	int sum = values[threads - 1 - i];
	if (i < threads / 2) {
		later[i] = 100 + i;
		__mbarrier_arrive(&barrier);
	}
	while (i % 2 ? !__mbarrier_try_wait_parity(&barrier, true, 1000) : !__mbarrier_test_wait_parity(&barrier, true))
		;
	out[i] = counted && !__mbarrier_test_wait_parity(&barrier, false) ? sum + 1000 * later[threads / 2 - 1 - i % (threads / 2)] : -1;
}

int main() {
	int *matrix, *out;
	CHECK(cudaMallocManaged(&matrix, width * height * sizeof(int)));
	CHECK(cudaMallocManaged(&out, tileWidth * tileHeight * sizeof(int)));
	for (int i = 0; i < width * height; i++)
		matrix[i] = i + 1;

	void *entry;
	cudaDriverEntryPointQueryResult found;
	CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
	decltype(&cuTensorMapEncodeTiled) encode = (decltype(&cuTensorMapEncodeTiled))entry;
	CUtensorMap map;
	cuuint64_t sizes[] = {width, height}, strides[] = {width * sizeof(int)};
	cuuint32_t box[] = {tileWidth, tileHeight}, steps[] = {1, 1};
	EXPECT(encode(&map, CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, sizes, strides, box, steps,
	              CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE, CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
	              CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
	              CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
	int corners[][2] = {{0, 0}, {16, 8}, {-4, -2}, {56, 28}, {width, height}};
	for (auto &corner : corners) {
		tile<<<1, threads>>>(corner[0], corner[1], map, out);
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < tileWidth * tileHeight; i++) {
			int x = corner[0] + i % tileWidth, y = corner[1] + i / tileWidth;
			EXPECT(out[i] == (x >= 0 && x < width && y >= 0 && y < height ? matrix[y * width + x] : 0));
		}
	}

	phases<<<1, threads>>>(out);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < threads; i++)
		EXPECT(out[i] == threads - 1 - i + 1000 * (100 + threads / 2 - 1 - i % (threads / 2)));
	printf("ok\n");
}
