// Loads and stores with operators, asynchronous copies, address spaces and clocks.
#include <cuComplex.h>
#include <cuda_pipeline.h>

extern "C" __global__ void copies(const float4 *in, float4 *out, unsigned *facts) {
	__shared__ float4 tile[64];
	int i = threadIdx.x;
	__pipeline_memcpy_async(&tile[i], &in[i], 16);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
	float4 a = tile[63 - i], b = __ldg(&in[i]), c = __ldcg(&in[i]), d = __ldcs(&in[i]);
	cuFloatComplex z = cuCmulf(make_cuFloatComplex(b.x, b.y), make_cuFloatComplex(c.z, d.w));
	__stcs(&out[i], make_float4(a.x, a.w, cuCrealf(z), cuCimagf(z)));
	long long begin = clock64();
	__threadfence();
	__nanosleep(20);
	facts[i] = (clock64() >= begin) + 2 * __isShared(tile) + 4 * __isGlobal(in) + 8 * (__cvta_generic_to_shared(&tile[2]) - __cvta_generic_to_shared(&tile[0]) == 32);
}
