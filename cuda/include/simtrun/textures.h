/* Fetches from textures, and loads and stores of surfaces, as CUDA's programming guide defines them, by loads of the device. */
#ifndef SIMTRUN_TEXTURES_H
#define SIMTRUN_TEXTURES_H

#pragma GCC system_header

#include "texture_object.h"

#define SIMTRUN_TEX static __inline__ __device__

/* A texel of up to four channels, as integers or, if what it is worth is one, as floats. */
union simtrun_texel {
	int i[4];
	float f[4];
};

SIMTRUN_TEX const simtrun_texture *simtrun_textureOf(cudaTextureObject_t object) { return (const simtrun_texture *)object; }
SIMTRUN_TEX bool simtrun_isFloat(const simtrun_texture *t) {
	return t->kind == cudaChannelFormatKindFloat || t->normalizedRead;
}

/* Where texel i of n is, or -1 for the border. */
SIMTRUN_TEX int simtrun_addressed(int i, int n, unsigned int mode) {
	if (i >= 0 && i < n)
		return i;
	switch (mode) {
	case cudaAddressModeClamp: return i < 0 ? 0 : n - 1;
	case cudaAddressModeWrap: return (i % n + n) % n;
	case cudaAddressModeMirror:
		i = (i % (2 * n) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	}
	return -1;
}

SIMTRUN_TEX simtrun_texel simtrun_load(const simtrun_texture *t, int x, int y, int z) {
	simtrun_texel v = {{0, 0, 0, 0}};
	const char *p = (const char *)t->data + z * t->slice + y * t->pitch + (size_t)x * t->channels * (t->bits / 8);
	for (unsigned int c = 0; c < t->channels; c++) {
		bool isSigned = t->kind == cudaChannelFormatKindSigned;
		if (t->bits == 32)
			v.i[c] = ((const int *)p)[c];
		else if (t->bits == 16) {
			unsigned short bits = ((const unsigned short *)p)[c];
			if (t->kind == cudaChannelFormatKindFloat) {
				_Float16 h;
				__builtin_memcpy(&h, &bits, 2);
				v.f[c] = (float)h;
			} else
				v.i[c] = isSigned ? (short)bits : bits;
		} else
			v.i[c] = isSigned ? ((const signed char *)p)[c] : ((const unsigned char *)p)[c];
		if (t->normalizedRead && t->kind != cudaChannelFormatKindFloat) {
			float most = t->bits == 8 ? isSigned ? 127.0f : 255.0f : isSigned ? 32767.0f : 65535.0f;
			v.f[c] = fmaxf((float)v.i[c] / most, -1.0f);
		}
	}
	return v;
}

SIMTRUN_TEX simtrun_texel simtrun_at(const simtrun_texture *t, int x, int y, int z) {
	x = simtrun_addressed(x, t->width, t->address[0]);
	y = simtrun_addressed(y, t->height, t->address[1]);
	z = simtrun_addressed(z, t->depth, t->address[2]);
	if (x < 0 || y < 0 || z < 0) {
		simtrun_texel v;
		for (int c = 0; c < 4; c++)
			if (simtrun_isFloat(t))
				v.f[c] = t->border[c];
			else
				v.i[c] = (int)t->border[c];
		return v;
	}
	return simtrun_load(t, x, y, z);
}

/* Weights of linear filters have 8 bits of fraction. */
SIMTRUN_TEX float simtrun_weight(float x) { return rintf((x - floorf(x)) * 256.0f) * (1.0f / 256.0f); }

/* A fetch in 1 to 3 dimensions; layer counts where the third is none. */
SIMTRUN_TEX simtrun_texel simtrun_fetch(const simtrun_texture *t, int dimensions, float x, float y, float z, int layer) {
	if (t->normalizedCoordinates) {
		x *= t->width, y *= t->height;
		if (dimensions == 3)
			z *= t->depth;
	}
	if (!t->linear || !simtrun_isFloat(t))
		return simtrun_at(t, (int)floorf(x), dimensions > 1 ? (int)floorf(y) : 0, dimensions > 2 ? (int)floorf(z) : layer);
	x -= 0.5f, y -= 0.5f, z -= 0.5f;
	float a = simtrun_weight(x), b = dimensions > 1 ? simtrun_weight(y) : 0, c = dimensions > 2 ? simtrun_weight(z) : 0;
	int i = (int)floorf(x), j = dimensions > 1 ? (int)floorf(y) : 0, k = dimensions > 2 ? (int)floorf(z) : layer;
	simtrun_texel sum = {{0, 0, 0, 0}};
	for (int corner = 0; corner < 1 << dimensions; corner++) {
		int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
		float w = (dx ? a : 1 - a) * (dy ? b : 1 - b) * (dz ? c : 1 - c);
		if (w == 0)
			continue;
		simtrun_texel v = simtrun_at(t, i + dx, j + dy, k + dz);
		for (unsigned int n = 0; n < t->channels; n++)
			sum.f[n] += w * v.f[n];
	}
	return sum;
}

/* What a texel is as a T. */
template <typename T> struct simtrun_as;
#define SIMTRUN_AS(T, MEMBER)                                                                                          \
	template <> struct simtrun_as<T> {                                                                                   \
		static __inline__ __device__ T of(simtrun_texel v) { return (T)v.MEMBER[0]; }                                      \
	};
#define SIMTRUN_AS_VECTORS(NAME, T, MEMBER)                                                                            \
	SIMTRUN_AS(T, MEMBER)                                                                                                \
	template <> struct simtrun_as<NAME##1> {                                                                             \
		static __inline__ __device__ NAME##1 of(simtrun_texel v) { return make_##NAME##1((T)v.MEMBER[0]); }                \
	};                                                                                                                   \
	template <> struct simtrun_as<NAME##2> {                                                                             \
		static __inline__ __device__ NAME##2 of(simtrun_texel v) {                                                         \
			return make_##NAME##2((T)v.MEMBER[0], (T)v.MEMBER[1]);                                                           \
		}                                                                                                                  \
	};                                                                                                                   \
	template <> struct simtrun_as<NAME##4> {                                                                             \
		static __inline__ __device__ NAME##4 of(simtrun_texel v) {                                                         \
			return make_##NAME##4((T)v.MEMBER[0], (T)v.MEMBER[1], (T)v.MEMBER[2], (T)v.MEMBER[3]);                           \
		}                                                                                                                  \
	};
SIMTRUN_AS(char, i)
SIMTRUN_AS_VECTORS(char, signed char, i)
SIMTRUN_AS_VECTORS(uchar, unsigned char, i)
SIMTRUN_AS_VECTORS(short, short, i)
SIMTRUN_AS_VECTORS(ushort, unsigned short, i)
SIMTRUN_AS_VECTORS(int, int, i)
SIMTRUN_AS_VECTORS(uint, unsigned int, i)
SIMTRUN_AS_VECTORS(float, float, f)
#undef SIMTRUN_AS
#undef SIMTRUN_AS_VECTORS

/* Each function returns a T, or stores it through a pointer. */
#define SIMTRUN_FETCH(NAME, PARAMETERS, ARGUMENTS, CALL)                                                               \
	template <typename T> __device__ __inline__ T NAME PARAMETERS { return simtrun_as<T>::of(CALL); }                    \
	template <typename T> __device__ __inline__ void NAME(T *to, SIMTRUN_BARE PARAMETERS) { *to = NAME<T> ARGUMENTS; }
#define SIMTRUN_BARE(...) __VA_ARGS__
SIMTRUN_FETCH(tex1Dfetch, (cudaTextureObject_t o, int x), (o, x), simtrun_at(simtrun_textureOf(o), x, 0, 0))
SIMTRUN_FETCH(tex1D, (cudaTextureObject_t o, float x), (o, x), simtrun_fetch(simtrun_textureOf(o), 1, x, 0, 0, 0))
SIMTRUN_FETCH(tex2D, (cudaTextureObject_t o, float x, float y), (o, x, y), simtrun_fetch(simtrun_textureOf(o), 2, x, y, 0, 0))
SIMTRUN_FETCH(tex3D, (cudaTextureObject_t o, float x, float y, float z), (o, x, y, z),
              simtrun_fetch(simtrun_textureOf(o), 3, x, y, z, 0))
SIMTRUN_FETCH(tex1DLayered, (cudaTextureObject_t o, float x, int layer), (o, x, layer),
              simtrun_fetch(simtrun_textureOf(o), 1, x, 0, 0, layer))
SIMTRUN_FETCH(tex2DLayered, (cudaTextureObject_t o, float x, float y, int layer), (o, x, y, layer),
              simtrun_fetch(simtrun_textureOf(o), 2, x, y, 0, layer))
/* There is one level of detail. */
SIMTRUN_FETCH(tex1DLod, (cudaTextureObject_t o, float x, float), (o, x, 0), simtrun_fetch(simtrun_textureOf(o), 1, x, 0, 0, 0))
SIMTRUN_FETCH(tex2DLod, (cudaTextureObject_t o, float x, float y, float), (o, x, y, 0),
              simtrun_fetch(simtrun_textureOf(o), 2, x, y, 0, 0))
SIMTRUN_FETCH(tex3DLod, (cudaTextureObject_t o, float x, float y, float z, float), (o, x, y, z, 0),
              simtrun_fetch(simtrun_textureOf(o), 3, x, y, z, 0))
#undef SIMTRUN_FETCH
#undef SIMTRUN_BARE

/* The place of a surface's element, by bytes in x. What is outside is 0 and not stored, or clamped, or ends the kernel. */
template <typename T>
__device__ __inline__ T *simtrun_element(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
	const simtrun_texture *t = simtrun_textureOf(object);
	int width = (int)(t->width * t->channels * (t->bits / 8)), size = (int)sizeof(T);
	bool inside = x >= 0 && x + size <= width && y >= 0 && y < (int)t->height && z >= 0 && z < (int)t->depth;
	if (!inside && mode == cudaBoundaryModeTrap)
		__trap();
	if (!inside && mode == cudaBoundaryModeZero)
		return nullptr;
	x = min(max(x, 0), width - size), y = min(max(y, 0), (int)t->height - 1), z = min(max(z, 0), (int)t->depth - 1);
	return (T *)((char *)t->data + z * t->slice + y * t->pitch + x);
}
#define SIMTRUN_SURFACE(NAME, PARAMETERS, PLACE, ...)                                                                  \
	template <typename T>                                                                                                \
	__device__ __inline__ T NAME##read PARAMETERS {                                                                      \
		const T *p = simtrun_element<T> PLACE;                                                                             \
		return p == nullptr ? T() : *p;                                                                                    \
	}                                                                                                                    \
	template <typename T>                                                                                                \
	__device__ __inline__ void NAME##read(T *to, __VA_ARGS__) {                                                          \
		const T *p = simtrun_element<T> PLACE;                                                                             \
		*to = p == nullptr ? T() : *p;                                                                                     \
	}                                                                                                                    \
	template <typename T>                                                                                                \
	__device__ __inline__ void NAME##write(T value, __VA_ARGS__) {                                                       \
		T *p = simtrun_element<T> PLACE;                                                                                   \
		if (p != nullptr)                                                                                                  \
			*p = value;                                                                                                      \
	}
SIMTRUN_SURFACE(surf1D, (cudaSurfaceObject_t o, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap), (o, x, 0, 0, mode),
                cudaSurfaceObject_t o, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
SIMTRUN_SURFACE(surf2D, (cudaSurfaceObject_t o, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap), (o, x, y, 0, mode),
                cudaSurfaceObject_t o, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
SIMTRUN_SURFACE(surf3D, (cudaSurfaceObject_t o, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                (o, x, y, z, mode), cudaSurfaceObject_t o, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
SIMTRUN_SURFACE(surf2DLayered, (cudaSurfaceObject_t o, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                (o, x, y, z, mode), cudaSurfaceObject_t o, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)
#undef SIMTRUN_SURFACE

#undef SIMTRUN_TEX
#endif
