// Built-in variables, vectors and dim3.
struct Point {
	float3 at;
	int2 cell;
};

__device__ unsigned flat(uint3 t, dim3 n) { return t.x + n.x * (t.y + n.y * t.z); }

extern "C" __global__ void indices(unsigned *out, Point *points) {
	unsigned thread = flat(threadIdx, blockDim), block = flat(blockIdx, gridDim);
	unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
	const dim3 t = threadIdx;
	out[i] = t.x | t.y << 8 | blockIdx.x << 16 | blockIdx.y << 20 | (unsigned)warpSize << 24;
	float4 a = make_float4(i, 2.0f, 3.0f, 4.0f);
	double2 b = {0.5, 0.25};
	uchar4 c = make_uchar4(1, 2, 3, 255);
	points[i].at = make_float3(a.x + a.w, (float)(b.x + b.y), c.w + c.z);
	points[i].cell = make_int2(sizeof(float3), alignof(float4) + alignof(short4) * 100 + alignof(double4) * 10000);
}
