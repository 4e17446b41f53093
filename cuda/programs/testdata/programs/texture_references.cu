// Texture and surface references, as programs from before CUDA 12 have them: bound to linear memory, pitched memory, arrays and levels of detail,
// and bound again with other settings.
#include "check.h"
#include <cmath>
#include <vector>

texture<float, 1, cudaReadModeElementType> line;
texture<float4> quads; // of one dimension
texture<int2, 1, cudaReadModeElementType> doubles;
texture<float, 2, cudaReadModeElementType> picture;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours(1, cudaFilterModePoint, cudaAddressModeWrap);
texture<unsigned char, 2> bytes;
texture<short, 3> volume;
texture<float, cudaTextureType2DLayered> layers;
texture<float, cudaTextureTypeCubemap> cube;
texture<float, 2> levels;
static texture<float, 1> unbound;
static texture<int, 1> hidden; // of this file alone
surface<void, 2> sheet;
surface<void, cudaSurfaceType1D> strip;

__global__ void fetchLine(float *out, int first, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = tex1Dfetch(line, first + i);
}
__device__ double doubleAt(texture<int2, 1, cudaReadModeElementType> t, int i) { // by value, as helpers take them
	int2 v = tex1Dfetch(t, i);
	return __hiloint2double(v.y, v.x);
}
__global__ void fetchOthers(float4 *q, double *d, int *h) {
	int i = threadIdx.x;
	q[i] = tex1Dfetch(quads, i);
	d[i] = doubleAt(doubles, i);
	h[i] = tex1Dfetch(hidden, i);
}
__global__ void fetchPicture(float *out, const float2 *at) { out[threadIdx.x] = tex2D(picture, at[threadIdx.x].x, at[threadIdx.x].y); }
__global__ void fetchColours(float4 *out, float4 *gathered, int w, int h) {
	int x = threadIdx.x % w, y = threadIdx.x / w;
	out[threadIdx.x] = tex2D(colours, (x + 0.5f) / w + 3, (y + 0.5f) / h - 1);
	gathered[threadIdx.x] = tex2Dgather(colours, (x + 1.0f) / w, (y + 1.0f) / h, 1);
}
__global__ void fetchKinds(float *out) {
	int i = threadIdx.x;
	out[4 * i] = tex2D(bytes, i % 4 + 0.5f, i / 4 + 0.5f);
	out[4 * i + 1] = tex3D(volume, i % 2 + 0.5f, i / 2 % 2 + 0.5f, i / 4 % 2 + 0.5f);
	out[4 * i + 2] = tex2DLayered(layers, i % 2 + 0.5f, i / 2 % 2 + 0.5f, i / 4 % 3);
	float side = i % 2 ? -1.0f : 1.0f;
	out[4 * i + 3] = i / 2 % 3 == 0 ? texCubemap(cube, side, 0.1f, 0.2f) : i / 2 % 3 == 1 ? texCubemap(cube, 0.1f, side, 0.2f) : texCubemap(cube, 0.1f, 0.2f, side);
}
__global__ void fetchLevels(float *out) {
	int i = threadIdx.x;
	out[i] = i < 3 ? tex2DLod(levels, 0.5f, 0.5f, (float)i) : tex2DGrad(levels, 0.5f, 0.5f, make_float2((float)(1 << (i - 3)) / 4, 0), make_float2(0, 0));
}
__global__ void store(int w, int h) {
	int x = threadIdx.x % w, y = threadIdx.x / w;
	surf2Dwrite((float)(10 * y + x), sheet, 4 * x, y);
	surf2Dwrite(-1.0f, sheet, 4 * w, y, cudaBoundaryModeZero);
	surf1Dwrite(make_short2(threadIdx.x, -threadIdx.x), strip, 4 * threadIdx.x);
}
__global__ void load(float *out, int w) {
	short2 v;
	surf1Dread(&v, strip, 4 * threadIdx.x);
	out[threadIdx.x] = surf2Dread<float>(sheet, 4 * (threadIdx.x % w), threadIdx.x / w) + v.x + 2 * v.y;
}
__global__ void fetchUnbound(float *out) { *out = tex1Dfetch(unbound, 0); }

template <typename T> static T *onDevice(const std::vector<T> &v) {
	T *p;
	CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
	CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}
template <typename T> static std::vector<T> onHost(const T *p, int n) {
	std::vector<T> v(n);
	CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
	return v;
}
template <typename T> static T *zeros(int n) { return onDevice(std::vector<T>(n)); }

static void linearMemory() {
	const int n = 500;
	std::vector<float> values(n);
	for (int i = 0; i < n; i++)
		values[i] = i * 0.25f;
	float *d = onDevice(values), *out = zeros<float>(n);
	size_t offset = 7;
	CHECK(cudaBindTexture(&offset, line, d, n * sizeof(float)));
	EXPECT(offset == 0);
	fetchLine<<<4, 128>>>(out, 0, n);
	EXPECT(onHost(out, n) == values);
	// What lies outside is 0.
	fetchLine<<<1, 128>>>(out, n - 1, 2);
	EXPECT(onHost(out, 2)[0] == values[n - 1] && onHost(out, 2)[1] == 0);
	// An address at which no texture begins.
	EXPECT(cudaBindTexture(NULL, line, d + 5, 100 * sizeof(float)) == cudaErrorInvalidValue);
	EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
	CHECK(cudaBindTexture(&offset, line, d + 5, 100 * sizeof(float)));
	EXPECT(offset == 5 * sizeof(float));
	size_t again;
	CHECK(cudaGetTextureAlignmentOffset(&again, line));
	EXPECT(again == offset);
	fetchLine<<<1, 128>>>(out, offset / sizeof(float), 100);
	EXPECT(onHost(out, 1)[0] == values[5]);
	// As C has it, to the end of the memory.
	const textureReference *ref;
	CHECK(cudaGetTextureReference(&ref, &line));
	CHECK(cudaBindTexture(NULL, ref, d, &line.channelDesc, UINT_MAX));
	fetchLine<<<4, 128>>>(out, 0, n);
	EXPECT(onHost(out, n) == values);
	CHECK(cudaUnbindTexture(line));
	// More than is allocated, which a GPU notices at the fetch of a texel that is not there.
	CHECK(cudaBindTexture(NULL, line, d, 2 * n * sizeof(float)));
	fetchLine<<<4, 128>>>(out, 0, n);
	EXPECT(onHost(out, n) == values);
	EXPECT(cudaBindTexture(NULL, line, d, (size_t)1 << 40) == cudaErrorInvalidValue);
	EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
	CHECK(cudaUnbindTexture(line));

	std::vector<float4> four(32);
	std::vector<double> eight(32);
	std::vector<int> ints(32);
	for (int i = 0; i < 32; i++) {
		four[i] = make_float4(i, 2 * i, -i, 0.5f);
		eight[i] = i / 3.0;
		ints[i] = -i * i;
	}
	CHECK(cudaBindTexture(0, quads, onDevice(four)));
	CHECK(cudaBindTexture(0, doubles, onDevice(eight), 32 * sizeof(double)));
	CHECK(cudaBindTexture(0, hidden, onDevice(ints), hidden.channelDesc, 32 * sizeof(int)));
	float4 *q = zeros<float4>(32);
	double *e = zeros<double>(32);
	int *h = zeros<int>(32);
	fetchOthers<<<1, 32>>>(q, e, h);
	EXPECT(onHost(e, 32) == eight && onHost(h, 32) == ints);
	std::vector<float4> got = onHost(q, 32);
	for (int i = 0; i < 32; i++)
		EXPECT(got[i].x == i && got[i].y == 2 * i && got[i].z == -i && got[i].w == 0.5f);
}

// The settings of a reference count when it is bound.
static void pictures() {
	const int w = 8, h = 4;
	std::vector<float> texels(w * h);
	for (int i = 0; i < w * h; i++)
		texels[i] = i;
	std::vector<float2> at = {{2.5f, 1.5f}, {3.0f, 2.0f}, {-5, -5}, {100, 1.5f}, {0.3125f, 0.375f}, {1.2f, 0.125f}};
	float2 *places = onDevice(at);
	float *out = zeros<float>(6);
	cudaArray_t array;
	CHECK(cudaMallocArray(&array, &picture.channelDesc, w, h));
	CHECK(cudaMemcpyToArray(array, 0, 0, texels.data(), w * h * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaBindTextureToArray(picture, array));
	fetchPicture<<<1, 4>>>(out, places);
	std::vector<float> got = onHost(out, 6);
	EXPECT(got[0] == 10 && got[1] == 19 && got[2] == 0 && got[3] == 15);
	picture.filterMode = cudaFilterModeLinear;
	CHECK(cudaBindTextureToArray(picture, array, picture.channelDesc));
	fetchPicture<<<1, 4>>>(out, places);
	got = onHost(out, 6);
	EXPECT(got[0] == 10 && got[1] == 14.5f && got[2] == 0 && got[3] == 15);
	picture.normalized = true;
	picture.addressMode[0] = cudaAddressModeMirror;
	picture.addressMode[1] = cudaAddressModeBorder;
	picture.filterMode = cudaFilterModePoint;
	CHECK(cudaBindTextureToArray(picture, array));
	fetchPicture<<<1, 6>>>(out, places);
	got = onHost(out, 6);
	EXPECT(got[2] == 0 && got[4] == 10 && got[5] == 6); // 1.2 is mirrored to 0.8
	// Pitched memory.
	float *rows;
	size_t pitch, offset = 1;
	CHECK(cudaMallocPitch(&rows, &pitch, w * sizeof(float), h));
	CHECK(cudaMemcpy2D(rows, pitch, texels.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
	picture.normalized = false;
	CHECK(cudaBindTexture2D(&offset, picture, rows, picture.channelDesc, w, h, pitch));
	EXPECT(offset == 0);
	fetchPicture<<<1, 2>>>(out, places);
	EXPECT(onHost(out, 1)[0] == 10 && onHost(out, 2)[1] == 19);

	std::vector<uchar4> image(w * h);
	for (int i = 0; i < w * h; i++)
		image[i] = make_uchar4(i, 255 - i, 7 * i, 51);
	cudaArray_t coloured;
	CHECK(cudaMallocArray(&coloured, &colours.channelDesc, w, h, cudaArrayTextureGather));
	CHECK(cudaMemcpy2DToArray(coloured, 0, 0, image.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
	CHECK(cudaBindTextureToArray(colours, coloured));
	float4 *c = zeros<float4>(w * h), *g = zeros<float4>(w * h);
	fetchColours<<<1, w * h>>>(c, g, w, h);
	std::vector<float4> is = onHost(c, w * h), gathered = onHost(g, w * h);
	for (int i = 0; i < w * h; i++) {
		EXPECT(is[i].x == i / 255.0f && is[i].y == (255 - i) / 255.0f && is[i].z == (7 * i % 256) / 255.0f && is[i].w == 0.2f);
		int x = i % w, y = i / w, right = (x + 1) % w, below = (y + 1) % h;
		EXPECT(gathered[i].x == (255 - (below * w + x)) / 255.0f && gathered[i].y == (255 - (below * w + right)) / 255.0f);
		EXPECT(gathered[i].z == (255 - (y * w + right)) / 255.0f && gathered[i].w == (255 - i) / 255.0f);
	}
}

static void kinds() {
	unsigned char flat[16];
	short solid[8];
	float layered[12], faces[6 * 4];
	for (int i = 0; i < 24; i++) {
		faces[i] = i / 4; // the face's number
		if (i < 16)
			flat[i] = 10 * i;
		if (i < 8)
			solid[i] = -i;
		if (i < 12)
			layered[i] = i + 0.5f;
	}
	cudaArray_t a, b, c, d;
	CHECK(cudaMallocArray(&a, &bytes.channelDesc, 4, 4));
	CHECK(cudaMemcpyToArray(a, 0, 0, flat, sizeof(flat), cudaMemcpyHostToDevice));
	CHECK(cudaMalloc3DArray(&b, &volume.channelDesc, make_cudaExtent(2, 2, 2)));
	CHECK(cudaMemcpyToArray(b, 0, 0, solid, sizeof(solid), cudaMemcpyHostToDevice));
	CHECK(cudaMalloc3DArray(&c, &layers.channelDesc, make_cudaExtent(2, 2, 3), cudaArrayLayered));
	CHECK(cudaMemcpyToArray(c, 0, 0, layered, sizeof(layered), cudaMemcpyHostToDevice));
	CHECK(cudaMalloc3DArray(&d, &cube.channelDesc, make_cudaExtent(2, 2, 6), cudaArrayCubemap));
	CHECK(cudaMemcpyToArray(d, 0, 0, faces, sizeof(faces), cudaMemcpyHostToDevice));
	bytes.filterMode = cudaFilterModeLinear; // which integers do not have
	EXPECT(cudaBindTextureToArray(bytes, a) == cudaErrorInvalidFilterSetting);
	EXPECT(cudaGetLastError() == cudaErrorInvalidFilterSetting);
	bytes.filterMode = cudaFilterModePoint;
	CHECK(cudaBindTextureToArray(bytes, a));
	CHECK(cudaBindTextureToArray(volume, b));
	CHECK(cudaBindTextureToArray(layers, c));
	CHECK(cudaBindTextureToArray(cube, d));
	float *out = zeros<float>(64);
	fetchKinds<<<1, 16>>>(out);
	std::vector<float> got = onHost(out, 64);
	for (int i = 0; i < 16; i++) {
		EXPECT(got[4 * i] == 10 * i);
		EXPECT(got[4 * i + 1] == -(i % 8));
		EXPECT(got[4 * i + 2] == i / 4 % 3 * 4 + i % 4 + 0.5f);
		EXPECT(got[4 * i + 3] == i / 2 % 3 * 2 + i % 2);
	}

	cudaMipmappedArray_t m;
	CHECK(cudaMallocMipmappedArray(&m, &levels.channelDesc, make_cudaExtent(4, 4, 0), 3));
	for (int i = 0; i < 3; i++) {
		cudaArray_t level;
		std::vector<float> same(16, 100.0f + i);
		CHECK(cudaGetMipmappedArrayLevel(&level, m, i));
		CHECK(cudaMemcpyToArray(level, 0, 0, same.data(), (16 >> 2 * i) * sizeof(float), cudaMemcpyHostToDevice));
	}
	levels.normalized = true;
	levels.maxMipmapLevelClamp = 9;
	CHECK(cudaBindTextureToMipmappedArray(levels, m));
	fetchLevels<<<1, 6>>>(out);
	got = onHost(out, 6);
	for (int i = 0; i < 6; i++)
		EXPECT(got[i] == 100 + i % 3);
	CHECK(cudaFreeMipmappedArray(m));
	CHECK(cudaUnbindTexture(levels));
}

static void surfaces() {
	cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), pairs = cudaCreateChannelDesc<short2>();
	cudaArray_t plain, a, b;
	CHECK(cudaMallocArray(&plain, &floats, 8, 4));
	CHECK(cudaMallocArray(&a, &floats, 8, 4, cudaArraySurfaceLoadStore));
	CHECK(cudaMallocArray(&b, &pairs, 32, 0, cudaArraySurfaceLoadStore));
	EXPECT(cudaBindSurfaceToArray(sheet, plain) == cudaErrorInvalidValue);
	EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
	CHECK(cudaBindSurfaceToArray(sheet, a));
	const surfaceReference *ref;
	CHECK(cudaGetSurfaceReference(&ref, &strip));
	CHECK(cudaBindSurfaceToArray(ref, b, &pairs));
	EXPECT(cudaGetSurfaceReference(&ref, &line) == cudaErrorInvalidSurface);
	EXPECT(cudaGetLastError() == cudaErrorInvalidSurface);
	store<<<1, 32>>>(8, 4);
	float *out = zeros<float>(32);
	load<<<1, 32>>>(out, 8);
	std::vector<float> got = onHost(out, 32), array(32);
	CHECK(cudaMemcpyFromArray(array.data(), a, 0, 0, 32 * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++) {
		EXPECT(array[i] == 10 * (i / 8) + i % 8);
		EXPECT(got[i] == array[i] - i);
	}
}

int main() {
	linearMemory();
	pictures();
	kinds();
	surfaces();
	const textureReference *ref;
	float notOne;
	EXPECT(cudaGetTextureReference(&ref, &notOne) == cudaErrorInvalidTexture);
	EXPECT(cudaGetLastError() == cudaErrorInvalidTexture);
	// After a reset references can be bound again.
	CHECK(cudaDeviceReset());
	linearMemory();
	// The kernel fails.
	fetchUnbound<<<1, 1>>>(zeros<float>(1));
	EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
	printf("ok\n");
}
