/* Texture fetches, and surface loads and stores, each of which is a PTX instruction, for objects and for
   references. */
#ifndef SIMTRUN_TEXTURES_H
#define SIMTRUN_TEXTURES_H

#pragma GCC system_header

/* Faults in these functions are reported at the lines that call them. */
#define SIMTRUN_INLINE static __inline__ __attribute__((nodebug)) __device__

/* References: device variables that the host binds to memory. The compiler knows the types, and passes handles for
   them. CUDA 12 has no references, and programs for it may use the names for other purposes. */
#ifndef SIMTRUN_NO_TEXTURE_REFERENCES
template <typename T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
	texture(int isNormalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint, cudaTextureAddressMode address = cudaAddressModeClamp)
	    : texture(isNormalized, filter, address, cudaCreateChannelDesc<T>()) {}
	texture(int isNormalized, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc) : textureReference() {
		normalized = isNormalized;
		filterMode = filter;
		addressMode[0] = addressMode[1] = addressMode[2] = address;
		channelDesc = desc;
	}
};
template <typename T, int type = 1> struct __attribute__((device_builtin_surface_type)) surface;
template <int type> struct __attribute__((device_builtin_surface_type)) surface<void, type> : public surfaceReference {
	surface() : surfaceReference() {}
};

template <typename T> SIMTRUN_INLINE unsigned long long simtrun_handle(T reference) {
	unsigned long long handle;
	asm("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
	return handle;
}

/* The host side. */
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &t, const void *p, const cudaChannelFormatDesc &desc, size_t size = UINT_MAX) {
	return ::cudaBindTexture(offset, (const textureReference *)&t, p, &desc, size);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &t, const void *p, size_t size = UINT_MAX) {
	return cudaBindTexture(offset, t, p, t.channelDesc, size);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, type, mode> &t, const void *p, const cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch) {
	return ::cudaBindTexture2D(offset, (const textureReference *)&t, p, &desc, width, height, pitch);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, type, mode> &t, const void *p, size_t width, size_t height, size_t pitch) {
	return cudaBindTexture2D(offset, t, p, t.channelDesc, width, height, pitch);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &t, cudaArray_const_t array, const cudaChannelFormatDesc &desc) {
	return ::cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &t, cudaArray_const_t array) {
	return cudaBindTextureToArray(t, array, t.channelDesc);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToMipmappedArray(const texture<T, type, mode> &t, cudaMipmappedArray_const_t array, const cudaChannelFormatDesc &desc) {
	return ::cudaBindTextureToMipmappedArray((const textureReference *)&t, array, &desc);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToMipmappedArray(const texture<T, type, mode> &t, cudaMipmappedArray_const_t array) {
	return cudaBindTextureToMipmappedArray(t, array, t.channelDesc);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const texture<T, type, mode> &t) {
	return ::cudaUnbindTexture((const textureReference *)&t);
}
template <typename T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const texture<T, type, mode> &t) {
	return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)&t);
}
template <int type> static inline cudaError_t cudaBindSurfaceToArray(const surface<void, type> &s, cudaArray_const_t array, const cudaChannelFormatDesc &desc) {
	return ::cudaBindSurfaceToArray((const surfaceReference *)&s, array, &desc);
}
template <int type> static inline cudaError_t cudaBindSurfaceToArray(const surface<void, type> &s, cudaArray_const_t array) {
	return ::cudaBindSurfaceToArray((const surfaceReference *)&s, array, NULL);
}
#endif

#define SIMTRUN_D template <typename T> SIMTRUN_INLINE
#define SIMTRUN_BARE(...) __VA_ARGS__

/* The result of an instruction. */
template <typename R> struct simtrun_fetched {
	R x, y, z, w;
};

/* The representation of T in the result of an instruction: the type of its channels there, those channels as
   floats, and four of them. */
template <typename T> struct simtrun_texel;
#define SIMTRUN_TEXEL(T, R, FLOATS, FOUR, ...)                                                                         \
	template <> struct simtrun_texel<T> {                                                                                \
		typedef R read;                                                                                                    \
		typedef FLOATS floats;                                                                                             \
		typedef FOUR four;                                                                                                 \
		SIMTRUN_INLINE T of(simtrun_fetched<R> v) { return __VA_ARGS__; }                                                  \
	};
#define SIMTRUN_TEXELS(NAME, T, R)                                                                                     \
	SIMTRUN_TEXEL(T, R, float, NAME##4, (T)v.x)                                                                          \
	SIMTRUN_TEXEL(NAME##1, R, float1, NAME##4, make_##NAME##1((T)v.x))                                                   \
	SIMTRUN_TEXEL(NAME##2, R, float2, NAME##4, make_##NAME##2((T)v.x, (T)v.y))                                           \
	SIMTRUN_TEXEL(NAME##4, R, float4, NAME##4, make_##NAME##4((T)v.x, (T)v.y, (T)v.z, (T)v.w))
SIMTRUN_TEXEL(char, int, float, char4, (char)v.x)
SIMTRUN_TEXELS(char, signed char, int)
SIMTRUN_TEXELS(uchar, unsigned char, unsigned int)
SIMTRUN_TEXELS(short, short, int)
SIMTRUN_TEXELS(ushort, unsigned short, unsigned int)
SIMTRUN_TEXELS(int, int, int)
SIMTRUN_TEXELS(uint, unsigned int, unsigned int)
SIMTRUN_TEXELS(float, float, float)
#undef SIMTRUN_TEXELS
#undef SIMTRUN_TEXEL

template <typename T, cudaTextureReadMode mode> struct simtrun_read {
	typedef T type;
};
template <typename T> struct simtrun_read<T, cudaReadModeNormalizedFloat> {
	typedef typename simtrun_texel<T>::floats type;
};

/* SIMTRUN_INSTRUCTION defines a function that fetches floats or integers. */
#define SIMTRUN_INSTRUCTION_AS(FUNCTION, R, LETTER, TYPE, INSTRUCTION, COORDINATES, PLACE, PARAMETERS, ...)            \
	SIMTRUN_INLINE void FUNCTION(simtrun_fetched<R> &v, cudaTextureObject_t o, SIMTRUN_BARE PARAMETERS) {                \
		asm(INSTRUCTION ".v4." TYPE "." COORDINATES " {%0, %1, %2, %3}, [%4, " PLACE ";"                                   \
		    : "=" LETTER(v.x), "=" LETTER(v.y), "=" LETTER(v.z), "=" LETTER(v.w)                                           \
		    : "l"(o), __VA_ARGS__);                                                                                        \
	}
#define SIMTRUN_INSTRUCTION(FUNCTION, ...)                                                                             \
	SIMTRUN_INSTRUCTION_AS(FUNCTION, float, "f", "f32", __VA_ARGS__)                                                     \
	SIMTRUN_INSTRUCTION_AS(FUNCTION, int, "r", "s32", __VA_ARGS__)                                                       \
	SIMTRUN_INSTRUCTION_AS(FUNCTION, unsigned int, "r", "u32", __VA_ARGS__)

#ifndef SIMTRUN_NO_TEXTURE_REFERENCES
#define SIMTRUN_BY_REFERENCE(NAME, DIMENSIONS, PARAMETERS, ARGUMENTS)                                                  \
	template <typename T, cudaTextureReadMode mode>                                                                      \
	SIMTRUN_INLINE typename simtrun_read<T, mode>::type NAME(texture<T, DIMENSIONS, mode> t,                             \
	                                                         SIMTRUN_BARE PARAMETERS) {                                  \
		return NAME<typename simtrun_read<T, mode>::type>((cudaTextureObject_t)simtrun_handle(t), SIMTRUN_BARE ARGUMENTS); \
	}
#else
#define SIMTRUN_BY_REFERENCE(NAME, DIMENSIONS, PARAMETERS, ARGUMENTS)
#endif

/* Each function returns a T, stores it through a pointer, or fetches the type of a reference. */
#define SIMTRUN_FETCH(NAME, DIMENSIONS, INSTRUCTION, COORDINATES, PLACE, PARAMETERS, ARGUMENTS, ...)                   \
	SIMTRUN_INSTRUCTION(simtrun_##NAME, INSTRUCTION, COORDINATES, PLACE, PARAMETERS, __VA_ARGS__)                        \
	SIMTRUN_D T NAME(cudaTextureObject_t o, SIMTRUN_BARE PARAMETERS) {                                                   \
		simtrun_fetched<typename simtrun_texel<T>::read> v;                                                                \
		simtrun_##NAME(v, o, SIMTRUN_BARE ARGUMENTS);                                                                      \
		return simtrun_texel<T>::of(v);                                                                                    \
	}                                                                                                                    \
	SIMTRUN_D void NAME(T *to, cudaTextureObject_t o, SIMTRUN_BARE PARAMETERS) { *to = NAME<T>(o, SIMTRUN_BARE ARGUMENTS); } \
	SIMTRUN_BY_REFERENCE(NAME, DIMENSIONS, PARAMETERS, ARGUMENTS)

SIMTRUN_FETCH(tex1Dfetch, cudaTextureType1D, "tex.1d", "s32", "{%5}]", (int x), (x), "r"(x))
SIMTRUN_FETCH(tex1D, cudaTextureType1D, "tex.1d", "f32", "{%5}]", (float x), (x), "f"(x))
SIMTRUN_FETCH(tex2D, cudaTextureType2D, "tex.2d", "f32", "{%5, %6}]", (float x, float y), (x, y), "f"(x), "f"(y))
SIMTRUN_FETCH(tex3D, cudaTextureType3D, "tex.3d", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z), "f"(x), "f"(y), "f"(z))
SIMTRUN_FETCH(tex1DLayered, cudaTextureType1DLayered, "tex.a1d", "f32", "{%5, %6}]", (float x, int layer), (x, layer), "r"(layer), "f"(x))
SIMTRUN_FETCH(tex2DLayered, cudaTextureType2DLayered, "tex.a2d", "f32", "{%5, %6, %7, %7}]", (float x, float y, int layer), (x, y, layer),
              "r"(layer), "f"(x), "f"(y))
SIMTRUN_FETCH(texCubemap, cudaTextureTypeCubemap, "tex.cube", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), (x, y, z), "f"(x),
              "f"(y), "f"(z))
SIMTRUN_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, "tex.acube", "f32", "{%5, %6, %7, %8}]", (float x, float y, float z, int layer),
              (x, y, z, layer), "r"(layer), "f"(x), "f"(y), "f"(z))

SIMTRUN_FETCH(tex1DLod, cudaTextureType1D, "tex.level.1d", "f32", "{%5}], %6", (float x, float level), (x, level), "f"(x), "f"(level))
SIMTRUN_FETCH(tex2DLod, cudaTextureType2D, "tex.level.2d", "f32", "{%5, %6}], %7", (float x, float y, float level), (x, y, level), "f"(x),
              "f"(y), "f"(level))
SIMTRUN_FETCH(tex3DLod, cudaTextureType3D, "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
              (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
SIMTRUN_FETCH(tex1DLayeredLod, cudaTextureType1DLayered, "tex.level.a1d", "f32", "{%5, %6}], %7", (float x, int layer, float level),
              (x, layer, level), "r"(layer), "f"(x), "f"(level))
SIMTRUN_FETCH(tex2DLayeredLod, cudaTextureType2DLayered, "tex.level.a2d", "f32", "{%5, %6, %7, %7}], %8",
              (float x, float y, int layer, float level), (x, y, layer, level), "r"(layer), "f"(x), "f"(y), "f"(level))
SIMTRUN_FETCH(texCubemapLod, cudaTextureTypeCubemap, "tex.level.cube", "f32", "{%5, %6, %7, %7}], %8",
              (float x, float y, float z, float level), (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
SIMTRUN_FETCH(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, "tex.level.acube", "f32", "{%5, %6, %7, %8}], %9",
              (float x, float y, float z, int layer, float level), (x, y, z, layer, level), "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))

SIMTRUN_FETCH(tex1DGrad, cudaTextureType1D, "tex.grad.1d", "f32", "{%5}], {%6}, {%7}", (float x, float dx, float dy), (x, dx, dy), "f"(x),
              "f"(dx), "f"(dy))
SIMTRUN_FETCH(tex2DGrad, cudaTextureType2D, "tex.grad.2d", "f32", "{%5, %6}], {%7, %8}, {%9, %10}", (float x, float y, float2 dx, float2 dy),
              (x, y, dx, dy), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
SIMTRUN_FETCH(tex3DGrad, cudaTextureType3D, "tex.grad.3d", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
              (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z),
              "f"(dy.x), "f"(dy.y), "f"(dy.z))
SIMTRUN_FETCH(tex1DLayeredGrad, cudaTextureType1DLayered, "tex.grad.a1d", "f32", "{%5, %6}], {%7}, {%8}",
              (float x, int layer, float dx, float dy), (x, layer, dx, dy), "r"(layer), "f"(x), "f"(dx), "f"(dy))
SIMTRUN_FETCH(tex2DLayeredGrad, cudaTextureType2DLayered, "tex.grad.a2d", "f32", "{%5, %6, %7, %7}], {%8, %9}, {%10, %11}",
              (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy), "r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y),
              "f"(dy.x), "f"(dy.y))
SIMTRUN_FETCH(texCubemapGrad, cudaTextureTypeCubemap, "tex.grad.cube", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
              (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z),
              "f"(dy.x), "f"(dy.y), "f"(dy.z))
SIMTRUN_FETCH(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered, "tex.grad.acube", "f32",
              "{%5, %6, %7, %8}], {%9, %10, %11, %11}, {%12, %13, %14, %14}", (float x, float y, float z, int layer, float4 dx, float4 dy),
              (x, y, z, layer, dx, dy), "r"(layer), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))

/* Gathers: one channel of four texels. */
#define SIMTRUN_GATHER(CHANNEL)                                                                                        \
	SIMTRUN_INSTRUCTION(simtrun_gather_##CHANNEL, "tld4." #CHANNEL ".2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
SIMTRUN_GATHER(r)
SIMTRUN_GATHER(g)
SIMTRUN_GATHER(b)
SIMTRUN_GATHER(a)
#undef SIMTRUN_GATHER
SIMTRUN_D T tex2Dgather(cudaTextureObject_t o, float x, float y, int channel = 0) {
	simtrun_fetched<typename simtrun_texel<T>::read> v;
	switch (channel) {
	case 0: simtrun_gather_r(v, o, x, y); break;
	case 1: simtrun_gather_g(v, o, x, y); break;
	case 2: simtrun_gather_b(v, o, x, y); break;
	default: simtrun_gather_a(v, o, x, y);
	}
	return simtrun_texel<T>::of(v);
}
SIMTRUN_D void tex2Dgather(T *to, cudaTextureObject_t o, float x, float y, int channel = 0) { *to = tex2Dgather<T>(o, x, y, channel); }
#ifndef SIMTRUN_NO_TEXTURE_REFERENCES
template <typename T, cudaTextureReadMode mode>
SIMTRUN_INLINE typename simtrun_texel<typename simtrun_read<T, mode>::type>::four tex2Dgather(texture<T, cudaTextureType2D, mode> t,
                                                                                                            float x, float y, int channel = 0) {
	return tex2Dgather<typename simtrun_texel<typename simtrun_read<T, mode>::type>::four>((cudaTextureObject_t)simtrun_handle(t), x, y, channel);
}
#endif

#undef SIMTRUN_FETCH
#undef SIMTRUN_BY_REFERENCE
#undef SIMTRUN_INSTRUCTION
#undef SIMTRUN_INSTRUCTION_AS

/* A surface element of the given size, in registers. */
template <size_t bytes> struct simtrun_element;
template <> struct simtrun_element<1> {
	unsigned short bits;
};
template <> struct simtrun_element<2> {
	unsigned short bits;
};
template <> struct simtrun_element<4> {
	unsigned int bits;
};
template <> struct simtrun_element<8> {
	unsigned long long bits;
};
template <> struct simtrun_element<16> {
	unsigned long long bits, high;
};

/* Accesses outside a surface read 0 and do not store, or are clamped, or end the kernel. */
#define SIMTRUN_LOAD(CLAMP, TYPE, GEOMETRY, PLACE, RESULT, OUTPUTS, ...)                                               \
	asm volatile("suld.b." GEOMETRY "." TYPE "." CLAMP " " RESULT ", [%[o], " PLACE "];" : SIMTRUN_BARE OUTPUTS : [o] "l"(o), __VA_ARGS__ : "memory")
#define SIMTRUN_STORE(CLAMP, TYPE, GEOMETRY, PLACE, VALUE, INPUTS, ...)                                                \
	asm volatile("sust.b." GEOMETRY "." TYPE "." CLAMP " [%[o], " PLACE "], " VALUE ";" : : SIMTRUN_BARE INPUTS, [o] "l"(o), __VA_ARGS__ : "memory")

#define SIMTRUN_SURFACE_OF(FUNCTION, BYTES, TYPE, GEOMETRY, PLACE, VALUE, OUTPUTS, INPUTS, PARAMETERS, ...)            \
	SIMTRUN_INLINE void FUNCTION##read(simtrun_element<BYTES> &v, cudaSurfaceObject_t o, SIMTRUN_BARE PARAMETERS,        \
	                                                 cudaSurfaceBoundaryMode mode) {                                     \
		switch (mode) {                                                                                                    \
		case cudaBoundaryModeZero: SIMTRUN_LOAD("zero", TYPE, GEOMETRY, PLACE, VALUE, OUTPUTS, __VA_ARGS__); break;        \
		case cudaBoundaryModeClamp: SIMTRUN_LOAD("clamp", TYPE, GEOMETRY, PLACE, VALUE, OUTPUTS, __VA_ARGS__); break;      \
		default: SIMTRUN_LOAD("trap", TYPE, GEOMETRY, PLACE, VALUE, OUTPUTS, __VA_ARGS__);                                 \
		}                                                                                                                  \
	}                                                                                                                    \
	SIMTRUN_INLINE void FUNCTION##write(simtrun_element<BYTES> v, cudaSurfaceObject_t o, SIMTRUN_BARE PARAMETERS,        \
	                                                  cudaSurfaceBoundaryMode mode) {                                    \
		switch (mode) {                                                                                                    \
		case cudaBoundaryModeZero: SIMTRUN_STORE("zero", TYPE, GEOMETRY, PLACE, VALUE, INPUTS, __VA_ARGS__); break;        \
		case cudaBoundaryModeClamp: SIMTRUN_STORE("clamp", TYPE, GEOMETRY, PLACE, VALUE, INPUTS, __VA_ARGS__); break;      \
		default: SIMTRUN_STORE("trap", TYPE, GEOMETRY, PLACE, VALUE, INPUTS, __VA_ARGS__);                                 \
		}                                                                                                                  \
	}
#define SIMTRUN_SURFACE_WORD(FUNCTION, BYTES, TYPE, LETTER, GEOMETRY, PLACE, PARAMETERS, ...)                          \
	SIMTRUN_SURFACE_OF(FUNCTION, BYTES, TYPE, GEOMETRY, PLACE, "%[v]", ([v] "=" LETTER(v.bits)), ([v] LETTER(v.bits)), PARAMETERS, __VA_ARGS__)

#ifndef SIMTRUN_NO_TEXTURE_REFERENCES
#define SIMTRUN_SURFACE_BY_REFERENCE(NAME, DIMENSIONS, PARAMETERS, ARGUMENTS)                                          \
	SIMTRUN_D T NAME##read(surface<void, DIMENSIONS> s, SIMTRUN_BARE PARAMETERS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
		return NAME##read<T>((cudaSurfaceObject_t)simtrun_handle(s), SIMTRUN_BARE ARGUMENTS, mode);                        \
	}                                                                                                                    \
	SIMTRUN_D void NAME##read(T *to, surface<void, DIMENSIONS> s, SIMTRUN_BARE PARAMETERS,                               \
	                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
		*to = NAME##read<T>((cudaSurfaceObject_t)simtrun_handle(s), SIMTRUN_BARE ARGUMENTS, mode);                         \
	}                                                                                                                    \
	SIMTRUN_D void NAME##write(T value, surface<void, DIMENSIONS> s, SIMTRUN_BARE PARAMETERS,                            \
	                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                    \
		NAME##write<T>(value, (cudaSurfaceObject_t)simtrun_handle(s), SIMTRUN_BARE ARGUMENTS, mode);                       \
	}
#else
#define SIMTRUN_SURFACE_BY_REFERENCE(NAME, DIMENSIONS, PARAMETERS, ARGUMENTS)
#endif

#define SIMTRUN_SURFACE(NAME, DIMENSIONS, GEOMETRY, PLACE, PARAMETERS, ARGUMENTS, ...)                                 \
	SIMTRUN_SURFACE_WORD(simtrun_##NAME, 1, "b8", "h", GEOMETRY, PLACE, PARAMETERS, __VA_ARGS__)                         \
	SIMTRUN_SURFACE_WORD(simtrun_##NAME, 2, "b16", "h", GEOMETRY, PLACE, PARAMETERS, __VA_ARGS__)                        \
	SIMTRUN_SURFACE_WORD(simtrun_##NAME, 4, "b32", "r", GEOMETRY, PLACE, PARAMETERS, __VA_ARGS__)                        \
	SIMTRUN_SURFACE_WORD(simtrun_##NAME, 8, "b64", "l", GEOMETRY, PLACE, PARAMETERS, __VA_ARGS__)                        \
	SIMTRUN_SURFACE_OF(simtrun_##NAME, 16, "v2.b64", GEOMETRY, PLACE, "{%[v], %[w]}", ([v] "=l"(v.bits), [w] "=l"(v.high)), \
	                   ([v] "l"(v.bits), [w] "l"(v.high)), PARAMETERS, __VA_ARGS__)                                      \
	SIMTRUN_D T NAME##read(cudaSurfaceObject_t o, SIMTRUN_BARE PARAMETERS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
		simtrun_element<sizeof(T)> element;                                                                                \
		T value;                                                                                                           \
		simtrun_##NAME##read(element, o, SIMTRUN_BARE ARGUMENTS, mode);                                                    \
		__builtin_memcpy(&value, &element, sizeof(T));                                                                     \
		return value;                                                                                                      \
	}                                                                                                                    \
	SIMTRUN_D void NAME##read(T *to, cudaSurfaceObject_t o, SIMTRUN_BARE PARAMETERS,                                     \
	                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
		*to = NAME##read<T>(o, SIMTRUN_BARE ARGUMENTS, mode);                                                              \
	}                                                                                                                    \
	SIMTRUN_D void NAME##write(T value, cudaSurfaceObject_t o, SIMTRUN_BARE PARAMETERS,                                  \
	                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                    \
		simtrun_element<sizeof(T)> element = {};                                                                           \
		__builtin_memcpy(&element, &value, sizeof(T));                                                                     \
		simtrun_##NAME##write(element, o, SIMTRUN_BARE ARGUMENTS, mode);                                                   \
	}                                                                                                                    \
	SIMTRUN_SURFACE_BY_REFERENCE(NAME, DIMENSIONS, PARAMETERS, ARGUMENTS)

/* x coordinates are in bytes; faces of cube maps are layers. */
SIMTRUN_SURFACE(surf1D, cudaSurfaceType1D, "1d", "{%[x]}", (int x), (x), [x] "r"(x))
SIMTRUN_SURFACE(surf2D, cudaSurfaceType2D, "2d", "{%[x], %[y]}", (int x, int y), (x, y), [x] "r"(x), [y] "r"(y))
SIMTRUN_SURFACE(surf3D, cudaSurfaceType3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z), (x, y, z), [x] "r"(x), [y] "r"(y), [z] "r"(z))
SIMTRUN_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, "a1d", "{%[n], %[x]}", (int x, int layer), (x, layer), [x] "r"(x), [n] "r"(layer))
SIMTRUN_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, "a2d", "{%[n], %[x], %[y], %[y]}", (int x, int y, int layer), (x, y, layer),
                [x] "r"(x), [y] "r"(y), [n] "r"(layer))
SIMTRUN_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, "a2d", "{%[n], %[x], %[y], %[y]}", (int x, int y, int face), (x, y, face), [x] "r"(x),
                [y] "r"(y), [n] "r"(face))
SIMTRUN_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, "a2d", "{%[n], %[x], %[y], %[y]}", (int x, int y, int layerFace),
                (x, y, layerFace), [x] "r"(x), [y] "r"(y), [n] "r"(layerFace))

#undef SIMTRUN_SURFACE
#undef SIMTRUN_SURFACE_BY_REFERENCE
#undef SIMTRUN_SURFACE_WORD
#undef SIMTRUN_SURFACE_OF
#undef SIMTRUN_STORE
#undef SIMTRUN_LOAD
#undef SIMTRUN_BARE
#undef SIMTRUN_D
#undef SIMTRUN_INLINE
#endif
