// Textures of arrays, linear and pitched memory with filters and address modes, and surfaces, against formulas of the programming guide.
#include "check.h"
#include <cmath>
#include <vector>

__global__ void rotate(float *out, int w, int h, float theta, cudaTextureObject_t tex) {
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	float u = x / (float)w - 0.5f, v = y / (float)h - 0.5f;
	float tu = u * cosf(theta) - v * sinf(theta) + 0.5f, tv = v * cosf(theta) + u * sinf(theta) + 0.5f;
	out[y * w + x] = tex2D<float>(tex, tu, tv);
}
__global__ void linear(uchar4 *out, cudaTextureObject_t tex, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = tex1Dfetch<uchar4>(tex, n - 1 - i);
}
__global__ void points(float *out, cudaTextureObject_t pitched, cudaTextureObject_t volume, cudaTextureObject_t line) {
	int i = threadIdx.x;
	out[4 * i] = tex2D<float>(pitched, i + 0.5f, 1.5f);
	out[4 * i + 1] = tex3D<float>(volume, (i % 4 + 0.5f) / 4, 0.25f, 1.0f);
	out[4 * i + 2] = tex1D<float>(line, i - 1.25f);
	float4 all;
	tex2D(&all, pitched, i - 3.0f, 0.0f);
	out[4 * i + 3] = all.x;
}
__global__ void invert(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < w && y < h) {
		uchar4 v;
		surf2Dread(&v, in, x * 4, y);
		v.x = 255 - v.x;
		surf2Dwrite(v, out, x * 4, y);
		surf2Dwrite(v, out, -4, y, cudaBoundaryModeZero);
	}
}

static cudaTextureObject_t objectOf(const cudaResourceDesc &resource, bool filter, bool normalized, cudaTextureAddressMode mode, cudaTextureReadMode read = cudaReadModeElementType) {
	cudaTextureDesc desc = {};
	desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = mode;
	desc.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
	desc.readMode = read;
	desc.normalizedCoords = normalized;
	cudaTextureObject_t t = 0;
	CHECK(cudaCreateTextureObject(&t, &resource, &desc, NULL));
	return t;
}

int main() {
	const int w = 32, h = 16;
	std::vector<float> image(w * h), got(w * h);
	for (int i = 0; i < w * h; i++)
		image[i] = i % 13 + 0.5f * (i / w);
	cudaChannelFormatDesc floats = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	cudaArray_t array;
	CHECK(cudaMallocArray(&array, &floats, w, h));
	CHECK(cudaMemcpyToArray(array, 0, 0, image.data(), w * h * sizeof(float), cudaMemcpyHostToDevice));
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaTextureObject_t wrapped = objectOf(resource, true, true, cudaAddressModeWrap);
	float *d;
	CHECK(cudaMalloc(&d, w * h * sizeof(float)));
	rotate<<<dim3(w / 8, h / 8), dim3(8, 8)>>>(d, w, h, 0.5f, wrapped);
	CHECK(cudaMemcpy(got.data(), d, w * h * sizeof(float), cudaMemcpyDeviceToHost));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			double u = x / (double)w - 0.5, v = y / (double)h - 0.5;
			double tx = (u * std::cos(0.5) - v * std::sin(0.5) + 0.5) * w - 0.5, ty = (v * std::cos(0.5) + u * std::sin(0.5) + 0.5) * h - 0.5;
			int i = (int)std::floor(tx), j = (int)std::floor(ty);
			double a = tx - i, b = ty - j, sum = 0;
			for (int k = 0; k < 4; k++)
				sum += (k & 1 ? a : 1 - a) * (k >> 1 ? b : 1 - b) * image[((j + (k >> 1) + 4 * h) % h) * w + (i + (k & 1) + 4 * w) % w];
			EXPECT(std::fabs(sum - got[y * w + x]) < 0.1);
		}

	const int n = 100;
	uchar4 *bytes, *reversed, back[n];
	CHECK(cudaMallocManaged(&bytes, n * sizeof(uchar4)));
	CHECK(cudaMalloc(&reversed, n * sizeof(uchar4)));
	for (int i = 0; i < n; i++)
		bytes[i] = make_uchar4(i, 2 * i, 255 - i, 7);
	cudaResourceDesc flat = {};
	flat.resType = cudaResourceTypeLinear;
	flat.res.linear.devPtr = bytes;
	flat.res.linear.desc = cudaCreateChannelDesc<uchar4>();
	flat.res.linear.sizeInBytes = n * sizeof(uchar4);
	linear<<<1, 128>>>(reversed, objectOf(flat, false, false, cudaAddressModeClamp), n);
	CHECK(cudaMemcpy(back, reversed, sizeof(back), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(back[i].x == bytes[n - 1 - i].x && back[i].y == bytes[n - 1 - i].y && back[i].z == bytes[n - 1 - i].z && back[i].w == 7);

	unsigned char *rows;
	size_t pitch;
	CHECK(cudaMallocPitch(&rows, &pitch, 8, 4));
	unsigned char texels[4][8];
	for (int i = 0; i < 32; i++)
		texels[i / 8][i % 8] = i * 8;
	CHECK(cudaMemcpy2D(rows, pitch, texels, 8, 8, 4, cudaMemcpyHostToDevice));
	cudaResourceDesc pitched = {};
	pitched.resType = cudaResourceTypePitch2D;
	pitched.res.pitch2D.devPtr = rows;
	pitched.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
	pitched.res.pitch2D.width = 8, pitched.res.pitch2D.height = 4, pitched.res.pitch2D.pitchInBytes = pitch;
	cudaArray_t volume;
	float cube[4 * 2 * 2];
	for (int i = 0; i < 16; i++)
		cube[i] = i;
	CHECK(cudaMalloc3DArray(&volume, &floats, make_cudaExtent(4, 2, 2)));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(cube, 4 * sizeof(float), 4, 2);
	copy.dstArray = volume;
	copy.extent = make_cudaExtent(4, 2, 2);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	resource.res.array.array = volume;
	cudaTextureObject_t solid = objectOf(resource, true, true, cudaAddressModeClamp);
	cudaArray_t line;
	CHECK(cudaMallocArray(&line, &floats, 8));
	CHECK(cudaMemcpy2DToArray(line, 0, 0, cube, 0, 32, 1, cudaMemcpyHostToDevice));
	resource.res.array.array = line;
	float *out, o[32];
	CHECK(cudaMalloc(&out, sizeof(o)));
	points<<<1, 8>>>(out, objectOf(pitched, false, false, cudaAddressModeClamp, cudaReadModeNormalizedFloat), solid, objectOf(resource, false, false, cudaAddressModeBorder));
	CHECK(cudaMemcpy(o, out, sizeof(o), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 8; i++) {
		EXPECT(std::fabs(o[4 * i] - (8 + i) * 8 / 255.0f) < 1e-6f);
		EXPECT(o[4 * i + 1] == 8 + i % 4);
		EXPECT(o[4 * i + 2] == (i >= 2 ? i - 2 : 0));
		EXPECT(std::fabs(o[4 * i + 3] - (i > 3 ? i - 3 : 0) * 8 / 255.0f) < 1e-6f);
	}

	cudaChannelFormatDesc colours = cudaCreateChannelDesc<uchar4>();
	cudaArray_t from, to;
	CHECK(cudaMallocArray(&from, &colours, 10, 10, cudaArraySurfaceLoadStore));
	CHECK(cudaMallocArray(&to, &colours, 10, 10, cudaArraySurfaceLoadStore));
	CHECK(cudaMemcpy2DToArray(from, 0, 0, bytes, 40, 40, 10, cudaMemcpyHostToDevice));
	cudaSurfaceObject_t sin, sout;
	resource.res.array.array = from;
	CHECK(cudaCreateSurfaceObject(&sin, &resource));
	resource.res.array.array = to;
	CHECK(cudaCreateSurfaceObject(&sout, &resource));
	invert<<<dim3(2, 2), dim3(8, 8)>>>(sin, sout, 10, 10);
	CHECK(cudaMemcpy2DFromArray(back, 40, to, 0, 0, 40, 10, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(back[i].x == 255 - bytes[i].x && back[i].y == bytes[i].y);
	CHECK(cudaDestroySurfaceObject(sin));
	CHECK(cudaDestroyTextureObject(wrapped));
	CHECK(cudaFreeArray(array));
	printf("ok\n");
}
