// Copies in one, two and three dimensions, each against loops over bytes.
#include "check.h"

enum { BYTES = 4096 };

static unsigned char host[2][BYTES], expected[BYTES], got[BYTES];
static CUdeviceptr device[2];

static void fill(void)
{
	for (int i = 0; i < BYTES; i++) {
		host[0][i] = rand() & 0xff;
		host[1][i] = expected[i] = rand() & 0xff;
	}
	OK(cuMemcpyHtoD(device[0], host[0], BYTES));
	OK(cuMemcpyHtoD(device[1], host[1], BYTES));
}

/* look compares what was copied to, on the host or the device. */
static void look(int on_device, int line)
{
	if (on_device)
		OK(cuMemcpyDtoH(got, device[1], BYTES));
	else
		memcpy(got, host[1], BYTES);
	if (memcmp(got, expected, BYTES) != 0) {
		printf("copy.c:%d: bytes are not those wanted\n", line);
		failures++;
	}
}

static int below(int n) { return rand() % n; }

/* How an end of a copy is named: by host memory, device memory or an address of either. */
enum { AS_HOST, AS_DEVICE, AS_UNIFIED_HOST, AS_UNIFIED_DEVICE, KINDS };

static void boxes_3d(void)
{
	CUDA_MEMCPY3D c;

	for (int i = 0; i < 300; i++) {
		int to = below(KINDS), from = below(KINDS);
		fill();
		memset(&c, 0, sizeof c);
		c.WidthInBytes = below(12);
		c.Height = below(6);
		c.Depth = 1 + below(4);
		c.srcXInBytes = below(5), c.srcY = below(3), c.srcZ = below(2);
		c.dstXInBytes = below(5), c.dstY = below(3), c.dstZ = below(2);
		c.srcPitch = c.srcXInBytes + c.WidthInBytes + 1 + below(5), c.srcHeight = c.srcY + c.Height + below(3);
		c.dstPitch = c.dstXInBytes + c.WidthInBytes + 1 + below(5), c.dstHeight = c.dstY + c.Height + below(3);
		c.srcMemoryType = from == AS_HOST ? CU_MEMORYTYPE_HOST : from == AS_DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
		c.dstMemoryType = to == AS_HOST ? CU_MEMORYTYPE_HOST : to == AS_DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
		c.srcHost = host[0], c.dstHost = host[1];
		c.srcDevice = from == AS_UNIFIED_HOST ? (uintptr_t)host[0] : device[0];
		c.dstDevice = to == AS_UNIFIED_HOST ? (uintptr_t)host[1] : device[1];
		for (size_t z = 0; z < c.Depth; z++)
			for (size_t y = 0; y < c.Height; y++)
				for (size_t x = 0; x < c.WidthInBytes; x++)
					expected[c.dstXInBytes + x + (c.dstY + y) * c.dstPitch + (c.dstZ + z) * c.dstPitch * c.dstHeight] =
						host[0][c.srcXInBytes + x + (c.srcY + y) * c.srcPitch + (c.srcZ + z) * c.srcPitch * c.srcHeight];
		if (i % 2)
			OK(cuMemcpy3D(&c));
		else
			OK(cuMemcpy3DAsync(&c, 0));
		look(to == AS_DEVICE || to == AS_UNIFIED_DEVICE, __LINE__);
	}
}

static void boxes_2d(void)
{
	CUDA_MEMCPY2D c;

	for (int i = 0; i < 300; i++) {
		int to = below(2), from = below(2);
		fill();
		memset(&c, 0, sizeof c);
		c.WidthInBytes = 1 + below(30);
		c.Height = 1 + below(20);
		c.srcXInBytes = below(5), c.srcY = below(3), c.srcPitch = c.srcXInBytes + c.WidthInBytes + below(20);
		c.dstXInBytes = below(5), c.dstY = below(3), c.dstPitch = c.dstXInBytes + c.WidthInBytes + below(20);
		c.srcMemoryType = from == AS_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		c.dstMemoryType = to == AS_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		c.srcHost = host[0], c.dstHost = host[1], c.srcDevice = device[0], c.dstDevice = device[1];
		for (size_t y = 0; y < c.Height; y++)
			for (size_t x = 0; x < c.WidthInBytes; x++)
				expected[c.dstXInBytes + x + (c.dstY + y) * c.dstPitch] = host[0][c.srcXInBytes + x + (c.srcY + y) * c.srcPitch];
		if (i % 3 == 0)
			OK(cuMemcpy2D(&c));
		else if (i % 3 == 1)
			OK(cuMemcpy2DUnaligned(&c));
		else
			OK(cuMemcpy2DAsync(&c, 0));
		look(to == AS_DEVICE, __LINE__);
	}
}

static void wrong_boxes(void)
{
	CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = device[0], .dstDevice = device[1], .srcPitch = 64, .dstPitch = 64, .WidthInBytes = 64, .Height = 64}, d;
	CUDA_MEMCPY3D e = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = device[0], .dstDevice = device[1], .srcPitch = 16, .dstPitch = 16, .srcHeight = 16, .dstHeight = 16, .WidthInBytes = 16, .Height = 16, .Depth = 16}, f;

	fill();
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(NULL));
	d = c, d.Height = 65;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&d));
	d = c, d.srcPitch = 63;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&d));
	d = c, d.dstPitch = 63;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&d));
	d = c, d.dstDevice = 0;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&d));
	d = c, d.dstXInBytes = 1;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&d));
	d = c, d.srcMemoryType = 99;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&d));
	d = c, d.srcMemoryType = CU_MEMORYTYPE_HOST; /* of NULL */
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&d));
	f = e, f.Depth = 17;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&f));
	f = e, f.srcHeight = 15;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&f));
	f = e, f.dstZ = 1;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&f));
	look(1, __LINE__); /* nothing has changed */
	OK(cuMemcpy2D(&c));
	memcpy(expected, host[0], BYTES);
	look(1, __LINE__);
}

static void lines(void)
{
	CUcontext ctx = NULL;

	OK(cuCtxGetCurrent(&ctx));
	for (int i = 0; i < 200; i++) {
		int n = below(100), to = below(BYTES - n), from = below(BYTES - n);
		int how = i % 12;
		int on_device = how != 1 && how != 4 && how != 8;
		fill();
		memcpy(expected + to, host[0] + from, n);
		CUdeviceptr dst = device[1] + to, src = device[0] + from, host_dst = (uintptr_t)(host[1] + to), host_src = (uintptr_t)(host[0] + from);
		switch (how) {
		case 0: OK(cuMemcpyHtoD(dst, host[0] + from, n)); break;
		case 1: OK(cuMemcpyDtoH(host[1] + to, src, n)); break;
		case 2: OK(cuMemcpyDtoD(dst, src, n)); break;
		case 3: OK(cuMemcpyHtoDAsync(dst, host[0] + from, n, 0)); break;
		case 4: OK(cuMemcpyDtoHAsync(host[1] + to, src, n, 0)); break;
		case 5: OK(cuMemcpyDtoDAsync(dst, src, n, 0)); break;
		case 6: OK(cuMemcpy(dst, src, n)); break;
		case 7: OK(cuMemcpy(dst, host_src, n)); break;
		case 8: OK(cuMemcpyAsync(host_dst, src, n, 0)); break;
		case 9: OK(cuMemcpyPeer(dst, ctx, src, ctx, n)); break;
		case 10: OK(cuMemcpyPeerAsync(dst, ctx, src, ctx, n, 0)); break;
		case 11: OK(cuMemcpyAsync(dst, host_src, n, 0)); break;
		}
		look(on_device, __LINE__);
	}
	/* What is of the device is not of the host. */
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(device[1], (void *)(uintptr_t)device[0], 16));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH((void *)(uintptr_t)device[1], device[0], 16));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(device[1], (uintptr_t)host[0], 16));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy(device[1], device[0] + BYTES - 8, 16));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuMemcpyDtoDAsync(device[1], device[0], 16, (CUstream)0x123456));
}

int main(void)
{
	begin();
	OK(cuMemAlloc(&device[0], BYTES));
	OK(cuMemAlloc(&device[1], BYTES));
	boxes_3d();
	boxes_2d();
	wrong_boxes();
	lines();
	return failures != 0;
}
