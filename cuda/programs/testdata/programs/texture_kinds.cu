//cc: -DSIMTRUN_NO_TEXTURE_REFERENCES
// Texture and surface objects of all kinds: element types, cube maps, layers, levels of detail, gathers, views, boundary modes, and what is told of them.
#include "check.h"
#include <cmath>
#include <cstring>
#include <vector>

template <typename T> static std::vector<T> onHost(const T *p, int n) {
	std::vector<T> v(n);
	CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
	return v;
}
template <typename T> static T *zeros(int n) {
	T *p;
	CHECK(cudaMalloc(&p, n * sizeof(T)));
	CHECK(cudaMemset(p, 0, n * sizeof(T)));
	return p;
}
static cudaResourceDesc ofArray(cudaArray_t array) {
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = array;
	return r;
}
// A program that has a use of its own for the name.
static cudaTextureObject_t texture(const cudaResourceDesc &r, const cudaTextureDesc &d = {}, const cudaResourceViewDesc *v = nullptr) {
	cudaTextureObject_t t = 0;
	CHECK(cudaCreateTextureObject(&t, &r, &d, v));
	return t;
}
static cudaSurfaceObject_t surfaceOf(cudaArray_t array) {
	cudaSurfaceObject_t s = 0;
	cudaResourceDesc r = ofArray(array);
	CHECK(cudaCreateSurfaceObject(&s, &r));
	return s;
}

// Elements of all types, in an array, as a surface, and in linear memory; each by its bytes.
template <typename T> __global__ void copyElements(T *out, cudaTextureObject_t flat, cudaTextureObject_t array, cudaSurfaceObject_t in, cudaSurfaceObject_t to) {
	int i = threadIdx.x, x = i % 8, y = i / 8;
	out[i] = tex1Dfetch<T>(flat, i);
	tex2D(&out[32 + i], array, x + 0.5f, y + 0.5f);
	T v = surf2Dread<T>(in, x * (int)sizeof(T), y);
	surf2Dwrite(v, to, x * (int)sizeof(T), y);
	surf2Dread(&out[64 + i], in, x * (int)sizeof(T), y);
}
template <typename T> static void elements() {
	unsigned char bytes[32 * sizeof(T)], back[3 * sizeof(bytes)];
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = 37 * i + i / 7;
	T *memory = zeros<T>(32), *out = zeros<T>(96);
	CHECK(cudaMemcpy(memory, bytes, sizeof(bytes), cudaMemcpyHostToDevice));
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>(), told;
	cudaArray_t a, b;
	cudaExtent extent;
	unsigned flags;
	CHECK(cudaMallocArray(&a, &desc, 8, 4, cudaArraySurfaceLoadStore));
	CHECK(cudaMallocArray(&b, &desc, 8, 4, cudaArraySurfaceLoadStore));
	CHECK(cudaArrayGetInfo(&told, &extent, &flags, a));
	EXPECT(told.x == desc.x && told.y == desc.y && told.z == desc.z && told.w == desc.w && told.f == desc.f);
	EXPECT(extent.width == 8 && extent.height == 4 && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
	CHECK(cudaMemcpyToArray(a, 0, 0, memory, sizeof(bytes), cudaMemcpyDeviceToDevice));
	cudaResourceDesc flat = {};
	flat.resType = cudaResourceTypeLinear;
	flat.res.linear.devPtr = memory, flat.res.linear.desc = desc, flat.res.linear.sizeInBytes = sizeof(bytes);
	copyElements<<<1, 32>>>(out, texture(flat), texture(ofArray(a)), surfaceOf(a), surfaceOf(b));
	CHECK(cudaMemcpy(back, out, sizeof(back), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 3; i++)
		EXPECT(memcmp(back + i * sizeof(bytes), bytes, sizeof(bytes)) == 0);
	CHECK(cudaMemcpyFromArray(back, b, 0, 0, sizeof(bytes), cudaMemcpyDefault));
	EXPECT(memcmp(back, bytes, sizeof(bytes)) == 0);
	CHECK(cudaFreeArray(a));
	CHECK(cudaFreeArray(b));
}

// Places that all kinds share: the texel's number is its value.
__global__ void lines(float *out, cudaTextureObject_t line, cudaTextureObject_t layered) {
	int i = threadIdx.x;
	out[4 * i] = tex1D<float>(line, i + 0.5f) + tex1DLod<float>(line, i + 0.5f, 0) + tex1DGrad<float>(line, i + 0.5f, 0, 0);
	tex1DLayered(&out[4 * i + 1], layered, i % 4 + 0.5f, i / 4);
	out[4 * i + 2] = tex1DLayeredLod<float>(layered, i % 4 + 0.5f, i / 4, 0);
	out[4 * i + 3] = tex1DLayeredGrad<float>(layered, i % 4 + 0.5f, i / 4, 0, 0);
}
__global__ void boxes(float *out, cudaTextureObject_t solid, cudaTextureObject_t layered) {
	int i = threadIdx.x;
	float x = i % 4 + 0.5f, y = i / 4 % 2 + 0.5f;
	int z = i / 8;
	out[6 * i] = tex3D<float>(solid, x, y, z + 0.5f);
	out[6 * i + 1] = tex3DLod<float>(solid, x, y, z + 0.5f, 0);
	out[6 * i + 2] = tex3DGrad<float>(solid, x, y, z + 0.5f, make_float4(0, 0, 0, 0), make_float4(0, 0, 0, 0));
	out[6 * i + 3] = tex2DLayered<float>(layered, x, y, z);
	out[6 * i + 4] = tex2DLayeredLod<float>(layered, x, y, z, 0);
	out[6 * i + 5] = tex2DLayeredGrad<float>(layered, x, y, z, make_float2(0, 0), make_float2(0, 0));
}
static void placesOfTexels() {
	float texels[64], o[192];
	for (int i = 0; i < 64; i++)
		texels[i] = i + 1;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	cudaArray_t line, rows, solid, sheets;
	CHECK(cudaMallocArray(&line, &desc, 32));
	CHECK(cudaMalloc3DArray(&rows, &desc, make_cudaExtent(4, 0, 8), cudaArrayLayered));
	CHECK(cudaMalloc3DArray(&solid, &desc, make_cudaExtent(4, 2, 4)));
	CHECK(cudaMalloc3DArray(&sheets, &desc, make_cudaExtent(4, 2, 4), cudaArrayLayered));
	CHECK(cudaMemcpyToArray(line, 0, 0, texels, 128, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyToArray(rows, 0, 0, texels, 128, cudaMemcpyHostToDevice));
	cudaMemcpy3DParms p = {};
	p.srcPtr = make_cudaPitchedPtr(texels, 16, 4, 2);
	p.dstArray = solid;
	p.extent = make_cudaExtent(4, 2, 4);
	p.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&p));
	// By a graph, from the other array.
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	p = {};
	p.srcArray = solid, p.dstArray = sheets, p.extent = make_cudaExtent(4, 2, 4), p.kind = cudaMemcpyDeviceToDevice;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, 0));
	float *out = zeros<float>(192);
	lines<<<1, 32>>>(out, texture(ofArray(line)), texture(ofArray(rows)));
	CHECK(cudaMemcpy(o, out, 128 * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		EXPECT(o[4 * i] == 3 * (i + 1) && o[4 * i + 1] == i + 1 && o[4 * i + 2] == i + 1 && o[4 * i + 3] == i + 1);
	boxes<<<1, 32>>>(out, texture(ofArray(solid)), texture(ofArray(sheets)));
	CHECK(cudaMemcpy(o, out, sizeof(o), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		for (int k = 0; k < 6; k++)
			EXPECT(o[6 * i + k] == i + 1);

	// A part of an array, and what is not there.
	p = {};
	p.srcArray = solid, p.srcPos = make_cudaPos(1, 1, 2);
	p.dstPtr = make_cudaPitchedPtr(o, 3 * sizeof(float), 3, 1), p.extent = make_cudaExtent(3, 1, 2), p.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&p));
	for (int i = 0; i < 6; i++)
		EXPECT(o[i] == 1 + 1 + 4 + 8 * (2 + i / 3) + i % 3);
	p.srcPos.z = 3;
	EXPECT(cudaMemcpy3D(&p) == cudaErrorInvalidValue);
	EXPECT(cudaMemcpyToArray(line, 0, 0, texels, 132, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
	EXPECT(cudaMemcpyToArray(line, 0, 0, texels, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidMemcpyDirection);
	EXPECT(cudaMemcpy2DToArray(solid, 0, 0, texels, 8, 16, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
	CHECK(cudaMemcpyArrayToArray(line, 8, 0, solid, 0, 1, 32));
	CHECK(cudaMemcpy2DArrayToArray(line, 48, 0, solid, 4, 1, 8, 1));
	CHECK(cudaMemcpy2DFromArrayAsync(o, 128, line, 0, 0, 128, 1, cudaMemcpyDeviceToHost, 0));
	for (int i = 0; i < 32; i++)
		EXPECT(o[i] == (i >= 2 && i < 10 ? 5 + i - 2 : i >= 12 && i < 14 ? 6 + i - 12 : i + 1));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

// Cube maps: each face has a value of its own, and a level of half the size another.
__global__ void cubes(float *out, cudaTextureObject_t cube, cudaTextureObject_t cubes) {
	int face = threadIdx.x % 6, layer = threadIdx.x / 6;
	float d[3] = {0.25f, -0.125f, 0.5f};
	d[face / 2] = face % 2 ? -2 : 2;
	float4 step = make_float4(0, 0, 0, 0), wide = make_float4(face / 2 == 0 ? 0 : 2, face / 2 == 0 ? 2 : 0, 0, 0); // half of the face: two texels
	out[6 * threadIdx.x] = texCubemap<float>(cube, d[0], d[1], d[2]);
	out[6 * threadIdx.x + 1] = texCubemapLod<float>(cube, d[0], d[1], d[2], 1);
	out[6 * threadIdx.x + 2] = texCubemapGrad<float>(cube, d[0], d[1], d[2], wide, step);
	out[6 * threadIdx.x + 3] = texCubemapLayered<float>(cubes, d[0], d[1], d[2], layer);
	out[6 * threadIdx.x + 4] = texCubemapLayeredLod<float>(cubes, d[0], d[1], d[2], layer, 0);
	out[6 * threadIdx.x + 5] = texCubemapLayeredGrad<float>(cubes, d[0], d[1], d[2], layer, step, step);
}
__global__ void drawFaces(cudaSurfaceObject_t level0, cudaSurfaceObject_t level1, cudaSurfaceObject_t all) {
	int x = threadIdx.x % 4, y = threadIdx.x / 4, face = blockIdx.x;
	if (face < 6) {
		surfCubemapwrite(10.0f + face, level0, 4 * x, y, face);
		surfCubemapwrite(20.0f + face, level1, 4 * x, y, face, cudaBoundaryModeZero); // of two texels in a row
	}
	surfCubemapLayeredwrite(surfCubemapLayeredread<float>(all, 4 * x, y, face) + 100.0f + face, all, 4 * x, y, face);
}
static void cubeMaps() {
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t m;
	cudaArray_t level0, level1, all;
	CHECK(cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(4, 4, 6), 2, cudaArrayCubemap | cudaArraySurfaceLoadStore));
	CHECK(cudaGetMipmappedArrayLevel(&level0, m, 0));
	CHECK(cudaGetMipmappedArrayLevel(&level1, m, 1));
	CHECK(cudaMalloc3DArray(&all, &desc, make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore));
	std::vector<float> zero(4 * 4 * 12);
	CHECK(cudaMemcpyToArray(all, 0, 0, zero.data(), zero.size() * sizeof(float), cudaMemcpyHostToDevice));
	drawFaces<<<12, 16>>>(surfaceOf(level0), surfaceOf(level1), surfaceOf(all));
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeMipmappedArray;
	r.res.mipmap.mipmap = m;
	cudaTextureDesc d = {};
	d.normalizedCoords = 1, d.maxMipmapLevelClamp = 5, d.filterMode = cudaFilterModeLinear;
	float *out = zeros<float>(72);
	cubes<<<1, 12>>>(out, texture(r, d), texture(ofArray(all), d));
	std::vector<float> o = onHost(out, 72);
	for (int i = 0; i < 12; i++) {
		EXPECT(o[6 * i] == 10 + i % 6 && o[6 * i + 1] == 20 + i % 6 && o[6 * i + 2] == 20 + i % 6);
		EXPECT(o[6 * i + 3] == 100 + i && o[6 * i + 4] == 100 + i && o[6 * i + 5] == 100 + i);
	}
	CHECK(cudaFreeMipmappedArray(m));
}

// Levels of detail, with a filter between them, a bias and limits; and a view of one of them.
__global__ void detail(float *out, cudaTextureObject_t t) {
	int i = threadIdx.x;
	out[2 * i] = tex2DLod<float>(t, 0.3f, 0.6f, i * 0.25f);
	float step = exp2f((float)(i % 4)) / 8;
	out[2 * i + 1] = tex2DGrad<float>(t, 0.3f, 0.6f, make_float2(step / 2, 0), make_float2(0, step));
}
__global__ void fill(cudaSurfaceObject_t to, unsigned char value) { surf2Dwrite(value, to, threadIdx.x, threadIdx.y); }
static void levels() {
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<unsigned char>();
	cudaMipmappedArray_t m;
	CHECK(cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(8, 8, 0), 4));
	for (int k = 0; k < 4; k++) {
		cudaArray_t level;
		std::vector<unsigned char> same(64, 51 * (k + 1));
		CHECK(cudaGetMipmappedArrayLevel(&level, m, k));
		if (k % 2 == 0)
			CHECK(cudaMemcpy2DToArray(level, 0, 0, same.data(), 8 >> k, 8 >> k, 8 >> k, cudaMemcpyHostToDevice));
		else // Levels are surfaces, too, without a flag.
			fill<<<1, dim3(8 >> k, 8 >> k)>>>(surfaceOf(level), same[0]);
	}
	cudaArray_t none;
	EXPECT(cudaGetMipmappedArrayLevel(&none, m, 4) == cudaErrorInvalidValue);
	cudaResourceDesc r = {}, r2;
	r.resType = cudaResourceTypeMipmappedArray;
	r.res.mipmap.mipmap = m;
	cudaTextureDesc d = {}, d2;
	d.normalizedCoords = 1, d.readMode = cudaReadModeNormalizedFloat, d.mipmapFilterMode = cudaFilterModeLinear;
	d.mipmapLevelBias = 0.5f, d.minMipmapLevelClamp = 0.75f, d.maxMipmapLevelClamp = 2.5f;
	d.addressMode[1] = cudaAddressModeMirror, d.borderColor[2] = 0.5f, d.maxAnisotropy = 4;
	cudaTextureObject_t t = texture(r, d);
	float *out = zeros<float>(32);
	detail<<<1, 16>>>(out, t);
	std::vector<float> o = onHost(out, 32);
	for (int i = 0; i < 16; i++) {
		float lod = fminf(fmaxf(i * 0.25f + 0.5f, 0.75f), 2.5f), grad = fminf(fmaxf(i % 4 + 0.5f, 0.75f), 2.5f);
		EXPECT(std::fabs(o[2 * i] - (lod + 1) * 0.2f) < 1e-6f);
		EXPECT(std::fabs(o[2 * i + 1] - (grad + 1) * 0.2f) < 1e-6f);
	}
	CHECK(cudaGetTextureObjectResourceDesc(&r2, t));
	EXPECT(r2.resType == cudaResourceTypeMipmappedArray && r2.res.mipmap.mipmap == m);
	CHECK(cudaGetTextureObjectTextureDesc(&d2, t));
	EXPECT(memcmp(&d, &d2, sizeof(d)) == 0);
	cudaResourceViewDesc v = {}, v2;
	EXPECT(cudaGetTextureObjectResourceViewDesc(&v2, t) == cudaErrorInvalidValue);
	v.format = cudaResViewFormatSignedChar1, v.width = 8, v.height = 8, v.firstMipmapLevel = v.lastMipmapLevel = 2;
	d.mipmapLevelBias = d.minMipmapLevelClamp = 0;
	t = texture(r, d, &v);
	CHECK(cudaGetTextureObjectResourceViewDesc(&v2, t));
	EXPECT(v2.format == v.format && v2.width == 8 && v2.height == 8 && v2.depth == 0 && v2.firstMipmapLevel == 2 && v2.lastMipmapLevel == 2 && v2.firstLayer == 0 && v2.lastLayer == 0);
	detail<<<1, 16>>>(out, t);
	EXPECT(std::fabs(onHost(out, 1)[0] - (signed char)(3 * 51) / 127.0f) < 1e-6f);
	CHECK(cudaFreeMipmappedArray(m));
}

__global__ void gather(float4 *f, int4 *n, cudaTextureObject_t floats, cudaTextureObject_t ints) {
	int i = threadIdx.x;
	f[i] = tex2Dgather<float4>(floats, i % 3 + 1.0f, i / 3 + 1.0f, 2);
	tex2Dgather(&n[i], ints, i % 3 + 1.0f, i / 3 + 1.0f);
}
static void gathers() {
	cudaChannelFormatDesc colours = cudaCreateChannelDesc<float4>(), ints = cudaCreateChannelDesc<short>();
	std::vector<float4> c(16);
	std::vector<short> s(16);
	for (int i = 0; i < 16; i++)
		c[i] = make_float4(0, 1, 10 * i, 3), s[i] = -i;
	cudaArray_t a, b;
	CHECK(cudaMallocArray(&a, &colours, 4, 4, cudaArrayTextureGather));
	CHECK(cudaMallocArray(&b, &ints, 4, 4, cudaArrayTextureGather));
	CHECK(cudaMemcpyToArray(a, 0, 0, c.data(), 256, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyToArray(b, 0, 0, s.data(), 32, cudaMemcpyHostToDevice));
	float4 *f = zeros<float4>(9);
	int4 *n = zeros<int4>(9);
	gather<<<1, 9>>>(f, n, texture(ofArray(a)), texture(ofArray(b)));
	std::vector<float4> fs = onHost(f, 9);
	std::vector<int4> ns = onHost(n, 9);
	for (int i = 0; i < 9; i++) {
		int at = i / 3 * 4 + i % 3; // of the four, the one of the lowest coordinates, which comes last
		EXPECT(fs[i].w == 10 * at && fs[i].z == 10 * (at + 1) && fs[i].y == 10 * (at + 5) && fs[i].x == 10 * (at + 4));
		EXPECT(ns[i].w == -at && ns[i].z == -(at + 1) && ns[i].y == -(at + 5) && ns[i].x == -(at + 4));
	}
}

// Surfaces of other kinds, and places outside of them.
__global__ void surfaces(cudaSurfaceObject_t line, cudaSurfaceObject_t rows, cudaSurfaceObject_t solid, cudaSurfaceObject_t sheets) {
	int i = threadIdx.x;
	surf1Dwrite(i, line, 4 * i);
	surf1DLayeredwrite(2 * i, rows, i % 4 * 4, i / 4);
	surf3Dwrite(3 * i, solid, i % 4 * 4, i / 4 % 2, i / 8);
	surf2DLayeredwrite(surf3Dread<int>(solid, i % 4 * 4, i / 4 % 2, i / 8) + surf1DLayeredread<int>(rows, i % 4 * 4, i / 4) + surf1Dread<int>(line, 4 * i), sheets,
	                   i % 4 * 4, i / 4 % 2, i / 8);
}
__global__ void outside(int *out, cudaSurfaceObject_t line, cudaSurfaceObject_t sheets) {
	out[0] = surf1Dread<int>(line, -4, cudaBoundaryModeZero);
	out[1] = surf1Dread<int>(line, 4000, cudaBoundaryModeClamp);
	out[2] = surf2DLayeredread<int>(sheets, 4, 9, 1, cudaBoundaryModeZero);
	surf2DLayeredread(&out[3], sheets, 4, 9, 1, cudaBoundaryModeClamp);
	surf1Dwrite(77, line, -4, cudaBoundaryModeClamp);
	surf1Dwrite(78, line, 128, cudaBoundaryModeZero);
	out[4] = surf1Dread<int>(line, 0);
}
__global__ void trap(cudaSurfaceObject_t line) { surf1Dwrite(1, line, 128); }
static void surfaceKinds(bool trapped) {
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
	cudaArray_t line, rows, solid, sheets;
	unsigned flags = cudaArraySurfaceLoadStore;
	CHECK(cudaMallocArray(&line, &desc, 32, 0, flags));
	CHECK(cudaMalloc3DArray(&rows, &desc, make_cudaExtent(4, 0, 8), flags | cudaArrayLayered));
	CHECK(cudaMalloc3DArray(&solid, &desc, make_cudaExtent(4, 2, 4), flags));
	CHECK(cudaMalloc3DArray(&sheets, &desc, make_cudaExtent(4, 2, 4), flags | cudaArrayLayered));
	cudaSurfaceObject_t s = surfaceOf(line), layered = surfaceOf(sheets);
	if (trapped) {
		trap<<<1, 1>>>(s);
		EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
		return;
	}
	surfaces<<<1, 32>>>(s, surfaceOf(rows), surfaceOf(solid), layered);
	int got[32], *out = zeros<int>(5);
	CHECK(cudaMemcpyFromArray(got, sheets, 0, 0, sizeof(got), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		EXPECT(got[i] == 6 * i);
	outside<<<1, 1>>>(out, s, layered);
	std::vector<int> o = onHost(out, 5);
	EXPECT(o[0] == 0 && o[1] == 31 && o[2] == 0 && o[3] == 6 * (8 + 4 + 1) && o[4] == 77);
	cudaResourceDesc r;
	CHECK(cudaGetSurfaceObjectResourceDesc(&r, s));
	EXPECT(r.resType == cudaResourceTypeArray && r.res.array.array == line);
	CHECK(cudaDestroySurfaceObject(s));
	EXPECT(cudaDestroySurfaceObject(s) == cudaErrorInvalidValue);
}

static void wrong() {
	cudaChannelFormatDesc three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned}, odd = {12, 0, 0, 0, cudaChannelFormatKindUnsigned}, mixed = {8, 16, 0, 0, cudaChannelFormatKindSigned}, ints = cudaCreateChannelDesc<int>();
	cudaArray_t a;
	EXPECT(cudaMallocArray(&a, &three, 4) == cudaErrorInvalidChannelDescriptor);
	EXPECT(cudaMallocArray(&a, &odd, 4) == cudaErrorInvalidChannelDescriptor);
	EXPECT(cudaMallocArray(&a, &mixed, 4) == cudaErrorInvalidChannelDescriptor);
	EXPECT(cudaMallocArray(&a, &ints, 0) == cudaErrorInvalidValue);
	CHECK(cudaMallocArray(&a, &ints, 4, 4));
	cudaTextureObject_t t;
	cudaSurfaceObject_t s;
	cudaResourceDesc r = ofArray(a);
	cudaTextureDesc d = {};
	d.readMode = cudaReadModeNormalizedFloat;
	EXPECT(cudaCreateTextureObject(&t, &r, &d, NULL) == cudaErrorInvalidNormSetting);
	d.readMode = cudaReadModeElementType, d.filterMode = cudaFilterModeLinear;
	EXPECT(cudaCreateTextureObject(&t, &r, &d, NULL) == cudaErrorInvalidFilterSetting);
	EXPECT(cudaCreateTextureObject(&t, &r, NULL, NULL) == cudaErrorInvalidValue);
	EXPECT(cudaCreateSurfaceObject(&s, &r) == cudaErrorInvalidValue); // without cudaArraySurfaceLoadStore
	EXPECT(cudaDestroyTextureObject(12345) == cudaErrorInvalidValue);
	CHECK(cudaFreeArray(a));
	EXPECT(cudaFreeArray(a) == cudaErrorInvalidResourceHandle);
	CHECK(cudaFreeArray(NULL));
	cudaGetLastError();
	// Normalized kinds of channels.
	cudaChannelFormatDesc unorm = {8, 8, 0, 0, cudaChannelFormatKindUnsignedNormalized8X2}, told;
	CHECK(cudaMallocArray(&a, &unorm, 4));
	CHECK(cudaGetChannelDesc(&told, a));
	EXPECT(told.x == 8 && told.y == 8 && told.z == 0 && told.f == unorm.f);
}

int main() {
	elements<char>(), elements<char1>(), elements<char2>(), elements<char4>();
	elements<signed char>();
	elements<unsigned char>(), elements<uchar1>(), elements<uchar2>(), elements<uchar4>();
	elements<short>(), elements<short1>(), elements<short2>(), elements<short4>();
	elements<unsigned short>(), elements<ushort1>(), elements<ushort2>(), elements<ushort4>();
	elements<int>(), elements<int1>(), elements<int2>(), elements<int4>();
	elements<unsigned>(), elements<uint1>(), elements<uint2>(), elements<uint4>();
	elements<float>(), elements<float1>(), elements<float2>(), elements<float4>();
	placesOfTexels();
	cubeMaps();
	levels();
	gathers();
	surfaceKinds(false);
	wrong();
	surfaceKinds(true);
	printf("ok\n");
}
