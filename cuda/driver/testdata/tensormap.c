// Tensor maps, as kernels use them that copy boxes of tensors.
// STDERR ^simtrun: tensor map: the address 0x\w+ of the tensor is not a multiple of 16$
// STDERR ^simtrun: tensor map: a box of 257 in dimension 0; expected 1 to 256$
// STDERR ^simtrun: tensor map: no tensor map is there$
#include "check.h"

/* copy(map, out) copies a box of 16 words or less, by an instruction, to shared memory and from there to out. */
#define PTX_COPY(name, bytes, instruction) \
	".visible .entry " name "(.param .align 64 .b8 map[128], .param .u64 out)\n{\n" \
	".reg .pred %p<3>;\n.reg .b16 %h;\n.reg .b32 %r<4>;\n.reg .b64 %d<5>;\n.shared .align 128 .b8 s[64];\n.shared .align 8 .b64 full;\n" \
	"ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [full], 1;\nbar.sync 0;\n@!%p1 bra WAIT;\n" \
	"mbarrier.arrive.expect_tx.shared.b64 _, [full], " bytes ";\nmov.u64 %d2, map;\ncvta.param.u64 %d2, %d2;\n" instruction "\n" \
	"WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [full], 0;\n@!%p2 bra WAIT;\n" \
	"mul.lo.u32 %r2, %r1, 4;\nsetp.ge.u32 %p2, %r2, " bytes ";\n@%p2 exit;\nmov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\nld.shared.u32 %r3, [%r3];\n" \
	"mad.wide.u32 %d1, %r1, 4, %d1;\nst.global.u32 [%d1], %r3;\nret;\n}\n"

static const char ptx[] = PTX_HEAD
	PTX_COPY("tiled", "32", "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%d2, {6, 1}], [full];")
	PTX_COPY("im2col", "64", "mov.b16 %h, 0;\ncp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [s], [%d2, {0, 2, 1}], [full], {%h};");

static CUfunction tiled, im2col;
static CUdeviceptr numbers, others, out;
static const cuuint64_t sizes[] = {8, 6}, strides[] = {32};
static const cuuint32_t box[] = {4, 2}, steps[] = {1, 1, 1};

static void is(int line, CUfunction f, CUtensorMap *map, int n, const int *want)
{
	int got[16];
	void *params[] = {map, &out};
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, params, 0));
	OK(cuMemcpyDtoH(got, out, n * sizeof *got));
	for (int i = 0; i < n; i++)
		if (got[i] != want[i]) {
			printf("tensormap.c:%d: [%d] is %d, want %d\n", line, i, got[i], want[i]);
			failures++;
		}
}

static CUresult encode(CUtensorMap *map, int type, int rank, CUdeviceptr at, const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box, int interleave, int swizzle, int fill)
{
	return cuTensorMapEncodeTiled(map, type, rank, (void *)(uintptr_t)at, sizes, strides, box, steps, interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, fill);
}

static void boxes(void)
{
	CUtensorMap map[2];

	/* 8 columns and 6 rows of numbers 0, 1, 2 …: from column 6 on the edge is behind two. */
	OK(encode(map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, numbers, sizes, strides, box, 0, 0, 0));
	is(__LINE__, tiled, map, 8, (int[]){14, 15, 0, 0, 22, 23, 0, 0});
	OK(cuTensorMapReplaceAddress(map, (void *)(uintptr_t)others));
	is(__LINE__, tiled, map, 8, (int[]){1014, 1015, 0, 0, 1022, 1023, 0, 0});
	OK(encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, numbers, sizes, strides, box, 0, 0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA));
	is(__LINE__, tiled, map, 2, (int[]){14, 15});

	WANT(CUDA_ERROR_INVALID_VALUE, encode(NULL, 3, 2, numbers, sizes, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode((CUtensorMap *)((char *)map + 16), 3, 2, numbers, sizes, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, -1, 2, numbers, sizes, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 0, numbers, sizes, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 6, numbers, sizes, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers + 4, sizes, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, NULL, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, NULL, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, strides, NULL, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, (cuuint64_t[]){40}, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, (cuuint64_t[]){8, 0}, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, strides, (cuuint32_t[]){257, 1}, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, strides, (cuuint32_t[]){3, 1}, 0, 0, 0)); /* 12 bytes */
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, strides, box, 3, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, strides, box, 1, 0, 0)); /* two dimensions */
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, strides, box, 0, 7, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, strides, (cuuint32_t[]){16, 1}, 0, CU_TENSOR_MAP_SWIZZLE_32B, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, encode(map, 3, 2, numbers, sizes, strides, box, 0, 0, 1)); /* NaN as an integer */
	WANT(CUDA_ERROR_NOT_SUPPORTED, encode(map, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, 2, numbers, sizes, strides, box, 0, 0, 0));
	OK(encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, numbers, sizes, strides, (cuuint32_t[]){64, 1}, 0, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B, 0));
	memset(map, 0, sizeof map);
	WANT(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(map, (void *)(uintptr_t)numbers));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(NULL, (void *)(uintptr_t)numbers));
	OK(encode(map, 3, 2, numbers, sizes, strides, box, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(map, (void *)(uintptr_t)(numbers + 8)));
}

/* Images: two of 8 pixels with 4 channels, of which 4 pixels of the second are copied, from pixel 2 on. */
static void images(void)
{
	static const cuuint64_t sizes[] = {4, 8, 2}, strides[] = {16, 128};
	static const int zero[] = {0};
	CUtensorMap map;
	int want[16];

	OK(cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, (void *)(uintptr_t)numbers, sizes, strides, zero, zero, 4, 4, steps, 0, 0, 0, 0));
	for (int i = 0; i < 16; i++)
		want[i] = (1 * 8 + 2) * 4 + i;
	is(__LINE__, im2col, &map, 16, want);
	WANT(CUDA_ERROR_INVALID_VALUE, cuTensorMapEncodeIm2col(&map, 3, 2, (void *)(uintptr_t)numbers, sizes, strides, zero, zero, 4, 4, steps, 0, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTensorMapEncodeIm2col(&map, 3, 3, (void *)(uintptr_t)numbers, sizes, strides, NULL, zero, 4, 4, steps, 0, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTensorMapEncodeIm2col(&map, 3, 3, (void *)(uintptr_t)numbers, sizes, strides, zero, zero, 4, 1025, steps, 0, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTensorMapEncodeIm2col(&map, 3, 3, (void *)(uintptr_t)numbers, sizes, strides, zero, zero, 0, 4, steps, 0, 0, 0, 0));
}

int main(void)
{
	CUmodule module = NULL;
	int v[80];

	begin();
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&tiled, module, "tiled"));
	OK(cuModuleGetFunction(&im2col, module, "im2col"));
	OK(cuMemAlloc(&numbers, sizeof v));
	OK(cuMemAlloc(&others, sizeof v));
	OK(cuMemAlloc(&out, 64));
	for (int i = 0; i < 80; i++)
		v[i] = i;
	OK(cuMemcpyHtoD(numbers, v, sizeof v));
	for (int i = 0; i < 80; i++)
		v[i] = 1000 + i;
	OK(cuMemcpyHtoD(others, v, sizeof v));
	boxes();
	images();
	return failures != 0;
}
