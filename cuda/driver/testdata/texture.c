// Texture objects, surface objects, and references to textures and surfaces, against a scalar reference: formulas of the CUDA C++ Programming
// Guide. Coordinates are odd multiples of 1/64 of a texel, so that the weights of filters, which have 8 bits, are exact.
// RUN
// STDERR ^simtrun: block compressed formats of resource views are not supported yet$
// STDERR ^simtrun: resource views of some of the layers of a mipmapped array or of cube maps are not supported yet$
// STDERR ^simtrun: seamless cubemaps are not supported yet$
// STDERR ^simtrun: a surface of an array that was made without CUDA_ARRAY3D_SURFACE_LDST$
// STDERR ^simtrun: texture: srgb is for unorm8, not f32x1$
// STDERR ^simtrun: picture cannot be bound to what its reference has$
// STDERR the \.texref picture, which tex\S+ in line \d+ names, is bound to nothing
// RUN SIMTRUN_FUNCTIONAL=0
// STDERR
// RUN SIMTRUN_CHECK=race
// STDERR
// RUN SIMTRUN_SAVE=$OUT
// STDERR ^simtrun: SIMTRUN_SAVE: tex2: .*textures
// STDERR ^simtrun: SIMTRUN_SAVE: named2: .*textures
// RUN freed
// STDERR the texels of the \.texref object \d+ were in array \d+, which was freed \[mem-freed\]
// RUN destroyed
// STDERR is not a handle of a \.texref \[image-handle\]
#include "check.h"
#include <math.h>

enum { N = 64, MOST = 1 << 16 };

/* Each thread takes 12 numbers: x, y, z, layer, level, the steps of x, y and z in two directions. */
#define FETCH(NAME, INSTRUCTION, RESULT, REST) \
	".visible .entry " NAME "(.param .u64 to, .param .u64 from, .param .u64 handle)\n{\n" \
	".reg .b32 %r<30>;\n.reg .f32 %f<30>;\n.reg .b64 %d<6>;\n" \
	"ld.param.u64 %d1, [to];\nld.param.u64 %d2, [from];\nld.param.u64 %d3, [handle];\n" \
	"mov.u32 %r9, %tid.x;\nmad.wide.u32 %d4, %r9, 48, %d2;\nmad.wide.u32 %d5, %r9, 16, %d1;\n" \
	"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d4];\nld.global.v4.f32 {%f5, %f6, %f7, %f8}, [%d4+16];\nld.global.v4.f32 {%f9, %f10, %f11, %f12}, [%d4+32];\n" \
	"cvt.rzi.s32.f32 %r1, %f4;\ncvt.rzi.s32.f32 %r2, %f1;\n" \
	INSTRUCTION " {%" RESULT "20, %" RESULT "21, %" RESULT "22, %" RESULT "23}, " REST ";\n" \
	"st.global.v4.b32 [%d5], {%" RESULT "20, %" RESULT "21, %" RESULT "22, %" RESULT "23};\nret;\n}\n"

/* Each thread has x in bytes, y, z and the layer, and stores or loads a word. */
#define SURFACE(NAME, GEOMETRY, PLACE) \
	".visible .entry " NAME "(.param .u64 to, .param .u64 from, .param .u64 handle, .param .u32 store)\n{\n" \
	".reg .b32 %r<10>;\n.reg .b64 %d<6>;\n.reg .pred %p;\n" \
	"ld.param.u64 %d1, [to];\nld.param.u64 %d2, [from];\nld.param.u64 %d3, [handle];\nld.param.u32 %r8, [store];\n" \
	"mov.u32 %r9, %tid.x;\nmad.wide.u32 %d4, %r9, 16, %d2;\nmad.wide.u32 %d5, %r9, 4, %d1;\n" \
	"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d4];\nsetp.ne.u32 %p, %r8, 0;\n@%p bra STORE;\n" \
	"suld.b." GEOMETRY ".b32.trap %r5, [%d3, {" PLACE "}];\nst.global.u32 [%d5], %r5;\nret;\n" \
	"STORE:\nld.global.u32 %r5, [%d5];\nsust.b." GEOMETRY ".b32.trap [%d3, {" PLACE "}], %r5;\nret;\n}\n"

static const char ptx[] = PTX_HEAD
	FETCH("tex1", "tex.1d.v4.f32.f32", "f", "[%d3, {%f1}]")
	FETCH("tex2", "tex.2d.v4.f32.f32", "f", "[%d3, {%f1, %f2}]")
	FETCH("tex3", "tex.3d.v4.f32.f32", "f", "[%d3, {%f1, %f2, %f3, %f3}]")
	FETCH("layered1", "tex.a1d.v4.f32.f32", "f", "[%d3, {%r1, %f1}]")
	FETCH("layered2", "tex.a2d.v4.f32.f32", "f", "[%d3, {%r1, %f1, %f2, %f2}]")
	FETCH("cube", "tex.cube.v4.f32.f32", "f", "[%d3, {%f1, %f2, %f3, %f3}]")
	FETCH("cubes", "tex.acube.v4.f32.f32", "f", "[%d3, {%r1, %f1, %f2, %f3}]")
	FETCH("level2", "tex.level.2d.v4.f32.f32", "f", "[%d3, {%f1, %f2}], %f5")
	FETCH("grad2", "tex.grad.2d.v4.f32.f32", "f", "[%d3, {%f1, %f2}], {%f6, %f7}, {%f9, %f10}")
	FETCH("gather", "tld4.g.2d.v4.f32.f32", "f", "[%d3, {%f1, %f2}]")
	FETCH("whole2", "tex.2d.v4.s32.f32", "r", "[%d3, {%f1, %f2}]")
	FETCH("line", "tex.1d.v4.f32.s32", "f", "[%d3, {%r2}]")
	FETCH("wholeline", "tex.1d.v4.u32.s32", "r", "[%d3, {%r2}]")
	SURFACE("surf1", "1d", "%r1")
	SURFACE("surf2", "2d", "%r1, %r2")
	SURFACE("surf3", "3d", "%r1, %r2, %r3, %r3")
	SURFACE("surf1layered", "a1d", "%r4, %r1")
	SURFACE("surf2layered", "a2d", "%r4, %r1, %r2, %r2");

static const char references[] = PTX_HEAD
	".global .texref picture;\n.global .texref row;\n.global .surfref sheet;\n"
	FETCH("named2", "tex.2d.v4.f32.f32", "f", "[picture, {%f1, %f2}]")
	FETCH("namedline", "tex.1d.v4.u32.s32", "r", "[row, {%r2}]")
	".visible .entry write(.param .u32 value)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [value];\nmov.u32 %r2, %tid.x;\nshl.b32 %r3, %r2, 2;\n"
	"sust.b.1d.b32.trap [sheet, {%r3}], %r1;\nret;\n}\n";

static CUmodule module;
static CUdeviceptr in, out;
static float places[N][12], got[N][4];
static unsigned char texels[MOST];

static int below(int n) { return rand() % n; }

/* An image as the reference has it: texels side by side, levels one after the other. */
struct image {
	int w, h, d;     /* 1 for what is not there */
	CUarray_format format;
	unsigned channels;
	const unsigned char *bytes;
};

static int channel_bytes(CUarray_format f)
{
	return f == CU_AD_FORMAT_UNSIGNED_INT8 || f == CU_AD_FORMAT_SIGNED_INT8 ? 1 : f == CU_AD_FORMAT_UNSIGNED_INT16 || f == CU_AD_FORMAT_SIGNED_INT16 || f == CU_AD_FORMAT_HALF ? 2 : 4;
}

static double half(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h >> 15 ? -v : v;
}

static double linear(double x) { return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); }

/* channel is channel c of a texel. */
static double channel(const struct image *m, const CUDA_TEXTURE_DESC *t, int x, int y, int z, unsigned c)
{
	const unsigned char *p = m->bytes + (((size_t)z * m->h + y) * m->w + x) * m->channels * channel_bytes(m->format) + c * channel_bytes(m->format);
	int whole = t->flags & CU_TRSF_READ_AS_INTEGER;
	int16_t s;
	uint16_t u;
	int32_t i;
	uint32_t n;
	float f;

	if (c >= m->channels)
		return c == 3;
	switch (m->format) {
	case CU_AD_FORMAT_UNSIGNED_INT8: return whole ? *p : (t->flags & CU_TRSF_SRGB) && c < 3 ? linear(*p / 255.0) : *p / 255.0;
	case CU_AD_FORMAT_SIGNED_INT8: return whole ? (signed char)*p : fmax((signed char)*p / 127.0, -1);
	case CU_AD_FORMAT_UNSIGNED_INT16: memcpy(&u, p, 2); return whole ? u : u / 65535.0;
	case CU_AD_FORMAT_SIGNED_INT16: memcpy(&s, p, 2); return whole ? s : fmax(s / 32767.0, -1);
	case CU_AD_FORMAT_HALF: memcpy(&u, p, 2); return half(u);
	case CU_AD_FORMAT_SIGNED_INT32: memcpy(&i, p, 4); return i;
	case CU_AD_FORMAT_UNSIGNED_INT32: memcpy(&n, p, 4); return n;
	default: memcpy(&f, p, 4); return f;
	}
}

/* inside brings a texel's number inside, or is -1 for the border. */
static int inside(int i, int n, const CUDA_TEXTURE_DESC *t, int dim)
{
	int mode = t->addressMode[dim];

	if (!(t->flags & CU_TRSF_NORMALIZED_COORDINATES) && (mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR))
		mode = CU_TR_ADDRESS_MODE_CLAMP;
	if (i >= 0 && i < n)
		return i;
	switch (mode) {
	case CU_TR_ADDRESS_MODE_CLAMP: return i < 0 ? 0 : n - 1;
	case CU_TR_ADDRESS_MODE_WRAP: return (i % n + n) % n;
	case CU_TR_ADDRESS_MODE_MIRROR: i = (i % (2 * n) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i;
	}
	return -1;
}

static double at(const struct image *m, const CUDA_TEXTURE_DESC *t, int x, int y, int z, unsigned c)
{
	return x < 0 || y < 0 || z < 0 ? t->borderColor[c] : channel(m, t, x, y, z, c);
}

/* fetch is a fetch at texel coordinates; of layers, z is the layer. */
static double fetch(const struct image *m, const CUDA_TEXTURE_DESC *t, int dims, double x, double y, double z, unsigned c)
{
	double sum = 0, u[3] = {x, y, z};
	int low[3] = {0, 0, z}, size[3] = {m->w, m->h, m->d};
	double alpha[3] = {0, 0, 0};

	for (int i = 0; i < dims; i++) {
		double shifted = t->filterMode == CU_TR_FILTER_MODE_LINEAR ? u[i] - 0.5 : u[i];
		low[i] = floor(shifted);
		if (t->filterMode == CU_TR_FILTER_MODE_LINEAR)
			alpha[i] = shifted - low[i];
	}
	for (int corner = 0; corner < 8; corner++) {
		double weight = 1;
		int place[3];
		for (int i = 0; i < 3; i++) {
			int next = corner >> i & 1;
			weight *= next ? alpha[i] : 1 - alpha[i];
			place[i] = i < dims ? inside(low[i] + next, size[i], t, i) : low[i];
		}
		if (weight != 0)
			sum += weight * at(m, t, place[0], place[1], place[2], c);
	}
	return sum;
}

static CUdeviceptr run(const char *name, unsigned long long handle)
{
	CUfunction fn = NULL;
	void *params[] = {&out, &in, &handle};

	OK(cuMemcpyHtoD(in, places, sizeof places));
	OK(cuModuleGetFunction(&fn, module, name));
	OK(cuLaunchKernel(fn, 1, 1, 1, N, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH(got, out, sizeof got));
	return out;
}

static void same(double want, float is, const char *what, int line)
{
	if (fabs(want - is) <= 2e-6 * fmax(1, fabs(want)))
		return;
	printf("texture.c:%d: %s: %.9g, want %.9g\n", line, what, is, want);
	failures++;
}

static double odd(int texels) { return (2 * below(64 * texels) + 1 - 32 * texels) / 64.0; } /* from -n/2 to 3n/2 */

static void random_texels(CUarray_format format)
{
	for (int i = 0; i < MOST; i++)
		texels[i] = rand();
	for (int i = 0; i < MOST / 4 && format == CU_AD_FORMAT_FLOAT; i++)
		((float *)texels)[i] = below(2000) / 8.0f - 100;
	for (int i = 0; i < MOST / 2 && format == CU_AD_FORMAT_HALF; i++)
		((uint16_t *)texels)[i] = below(2) << 15 | (10 + below(10)) << 10 | below(1024);
}

static CUarray make(size_t w, size_t h, size_t d, CUarray_format format, unsigned channels, unsigned flags)
{
	CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = w, .Height = h, .Depth = d, .Format = format, .NumChannels = channels, .Flags = flags};
	CUarray a = NULL;

	OK(cuArray3DCreate(&a, &desc));
	OK(cuMemcpyHtoA(a, 0, texels, w * (h ? h : 1) * (d ? d : 1) * channels * channel_bytes(format)));
	return a;
}

static CUDA_RESOURCE_DESC of_array(CUarray a)
{
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
	r.res.array.hArray = a;
	return r;
}

static const CUarray_format formats[] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT};

static CUDA_TEXTURE_DESC random_desc(void)
{
	CUDA_TEXTURE_DESC t;

	memset(&t, 0, sizeof t);
	for (int i = 0; i < 3; i++)
		t.addressMode[i] = below(4);
	for (int i = 0; i < 4; i++)
		t.borderColor[i] = below(100) / 4.0f;
	t.filterMode = below(2);
	t.flags = below(2) ? CU_TRSF_NORMALIZED_COORDINATES : 0;
	return t;
}

/* Arrays of one to three dimensions and of layers, of all formats that give floats. */
static void arrays(void)
{
	static const struct { const char *kernel; int dims, w, h, d; unsigned flags; } kinds[] = {
		{"tex1", 1, 16, 0, 0, 0}, {"tex2", 2, 16, 8, 0, 0}, {"tex3", 3, 8, 4, 4, 0}, {"layered1", 1, 8, 0, 5, CUDA_ARRAY3D_LAYERED}, {"layered2", 2, 4, 8, 3, CUDA_ARRAY3D_LAYERED}};

	for (int i = 0; i < 120; i++) {
		int k = i % 5, w = kinds[k].w, h = kinds[k].h ? kinds[k].h : 1, d = kinds[k].d ? kinds[k].d : 1;
		CUDA_TEXTURE_DESC t = random_desc();
		struct image m = {w, h, d, formats[below(6)], 1 << below(3), texels};
		double at[N][3];
		CUDA_RESOURCE_DESC r;
		CUtexObject object = 0;

		random_texels(m.format);
		if (m.format == CU_AD_FORMAT_UNSIGNED_INT8 && below(2))
			t.flags |= CU_TRSF_SRGB;
		r = of_array(make(w, kinds[k].h, kinds[k].d, m.format, m.channels, kinds[k].flags));
		OK(cuTexObjectCreate(&object, &r, &t, NULL));
		for (int n = 0; n < N; n++) {
			double scale[3] = {w, h, d};
			for (int j = 0; j < 3; j++) {
				at[n][j] = odd(scale[j]);
				places[n][j] = t.flags & CU_TRSF_NORMALIZED_COORDINATES ? at[n][j] / scale[j] : at[n][j];
			}
			if (kinds[k].flags)
				at[n][2] = places[n][3] = below(d);
		}
		run(kinds[k].kernel, object);
		for (int n = 0; n < N; n++)
			for (int c = 0; c < 4; c++)
				same(fetch(&m, &t, kinds[k].dims, at[n][0], at[n][1], kinds[k].dims == 3 || kinds[k].flags ? at[n][2] : 0, c), got[n][c], kinds[k].kernel, __LINE__);
		OK(cuTexObjectDestroy(object));
		OK(cuArrayDestroy(r.res.array.hArray));
	}
}

/* Integers that are read as such, in an array, and in linear and pitched memory. */
static void integers(void)
{
	static const CUarray_format whole[] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32};

	for (int i = 0; i < 60; i++) {
		CUDA_TEXTURE_DESC t = random_desc();
		struct image m = {16, 8, 1, whole[below(6)], 1 << below(3), texels};
		CUDA_RESOURCE_DESC r;
		CUdeviceptr memory;
		CUtexObject object = 0;
		size_t pitch = 320, row = 16 * m.channels * channel_bytes(m.format);
		double x[N], y[N];

		t.filterMode = 0, t.flags |= CU_TRSF_READ_AS_INTEGER;
		for (int c = 0; c < 4; c++)
			t.borderColor[c] = floor(t.borderColor[c]);
		random_texels(m.format);
		OK(cuMemAlloc(&memory, 8 * pitch));
		if (i % 3 == 0) {
			r = of_array(make(16, 8, 0, m.format, m.channels, 0));
		} else if (i % 3 == 1) {
			memset(&r, 0, sizeof r);
			r.resType = CU_RESOURCE_TYPE_PITCH2D;
			r.res.pitch2D.devPtr = memory, r.res.pitch2D.format = m.format, r.res.pitch2D.numChannels = m.channels;
			r.res.pitch2D.width = 16, r.res.pitch2D.height = 8, r.res.pitch2D.pitchInBytes = pitch;
			for (int k = 0; k < 8; k++)
				OK(cuMemcpyHtoD(memory + k * pitch, texels + k * row, row));
		} else {
			memset(&r, 0, sizeof r);
			r.resType = CU_RESOURCE_TYPE_LINEAR;
			r.res.linear.devPtr = memory, r.res.linear.format = m.format, r.res.linear.numChannels = m.channels;
			r.res.linear.sizeInBytes = 4 * row + m.channels * channel_bytes(m.format) - 1; /* the last one does not count */
			OK(cuMemcpyHtoD(memory, texels, 4 * row));
		}
		CUDA_TEXTURE_DESC asked = t;
		asked.filterMode = i % 2; /* integers are not filtered */
		OK(cuTexObjectCreate(&object, &r, &asked, NULL));
		for (int n = 0; n < N; n++) {
			x[n] = odd(16), y[n] = odd(8);
			places[n][0] = t.flags & CU_TRSF_NORMALIZED_COORDINATES ? x[n] / 16 : x[n];
			places[n][1] = t.flags & CU_TRSF_NORMALIZED_COORDINATES ? y[n] / 8 : y[n];
			if (i % 3 == 2)
				places[n][0] = below(80) - 8;
		}
		run(i % 3 == 2 ? "wholeline" : "whole2", object);
		for (int n = 0; n < N; n++)
			for (unsigned c = 0; c < 4; c++) {
				int32_t is, k = places[n][0];
				memcpy(&is, &got[n][c], 4);
				if (i % 3 == 2)
					HAVE((int32_t)(int64_t)(k < 0 || k >= 64 ? 0 : channel(&m, &t, k, 0, 0, c)), is);
				else
					HAVE((int32_t)(int64_t)fetch(&m, &t, 2, x[n], y[n], 0, c), is);
			}
		OK(cuTexObjectDestroy(object));
		if (i % 3 == 0)
			OK(cuArrayDestroy(r.res.array.hArray));
		OK(cuMemFree(memory));
	}
}

/* Cube maps: the face is that of the coordinate of the greatest magnitude, which is 1 here. */
static void cubes(void)
{
	for (int i = 0; i < 8; i++) {
		int layered = i % 2, layers = layered ? 3 : 1;
		CUDA_TEXTURE_DESC t = random_desc(), clamped = {.filterMode = t.filterMode, .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}};
		struct image m = {8, 8, 6 * layers, CU_AD_FORMAT_FLOAT, 2, texels};
		CUDA_RESOURCE_DESC r;
		CUtexObject object = 0;
		double u[N], v[N];
		int face[N];

		random_texels(m.format);
		r = of_array(make(8, 8, 6 * layers, m.format, 2, CUDA_ARRAY3D_CUBEMAP | (layered ? CUDA_ARRAY3D_LAYERED : 0)));
		OK(cuTexObjectCreate(&object, &r, &t, NULL));
		for (int n = 0; n < N; n++) {
			double s = (2 * below(128) + 1) / 128.0 - 1, q = (2 * below(128) + 1) / 128.0 - 1;
			/* s and t of a face (programming guide, cubemap textures) are these coordinates with these signs. */
			static const struct { int major, sign, s, ss, t, ts; } faces[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1}, {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1}, {2, -1, 0, -1, 1, -1}};
			int f = below(6);
			places[n][faces[f].major] = faces[f].sign;
			places[n][faces[f].s] = faces[f].ss * s;
			places[n][faces[f].t] = faces[f].ts * q;
			places[n][3] = below(layers);
			face[n] = f + 6 * places[n][3];
			u[n] = (s + 1) / 2 * 8, v[n] = (q + 1) / 2 * 8;
		}
		run(layered ? "cubes" : "cube", object);
		for (int n = 0; n < N; n++)
			for (int c = 0; c < 4; c++)
				same(fetch(&m, &clamped, 2, u[n], v[n], face[n], c), got[n][c], "cube", __LINE__);
		OK(cuTexObjectDestroy(object));
		OK(cuArrayDestroy(r.res.array.hArray));
	}
}

/* Levels of detail by number and by steps, with a bias, limits, a filter between levels, and a view of some of them. */
static void levels(void)
{
	CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = 16, .Height = 16, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
	CUmipmappedArray m = NULL;
	struct image level[5];
	CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
	CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_FLOAT_1X32, .width = 16, .height = 16, .firstMipmapLevel = 1, .lastMipmapLevel = 3}, view_back;
	CUarray a;
	size_t at_byte = 0;

	random_texels(CU_AD_FORMAT_FLOAT);
	OK(cuMipmappedArrayCreate(&m, &desc, 5));
	r.res.mipmap.hMipmappedArray = m;
	for (int k = 0; k < 5; k++) {
		int n = 16 >> k;
		level[k] = (struct image){n, n, 1, CU_AD_FORMAT_FLOAT, 1, texels + at_byte};
		OK(cuMipmappedArrayGetLevel(&a, m, k));
		OK(cuMemcpyHtoA(a, 0, texels + at_byte, 4 * n * n));
		at_byte += 4 * n * n;
	}
	for (int i = 0; i < 40; i++) {
		CUDA_TEXTURE_DESC t = random_desc();
		CUtexObject object = 0;
		int viewed = i % 4 == 3, first = viewed ? 1 : 0, last = viewed ? 3 : 4, grad = i % 2;

		t.flags = CU_TRSF_NORMALIZED_COORDINATES;
		t.filterMode = 0; /* which has exact coordinates in all levels */
		t.mipmapFilterMode = below(2), t.mipmapLevelBias = (below(9) - 4) / 4.0f, t.minMipmapLevelClamp = below(5) / 4.0f, t.maxMipmapLevelClamp = 2 + below(8) / 4.0f;
		OK(cuTexObjectCreate(&object, &r, &t, viewed ? &view : NULL));
		for (int n = 0; n < N; n++) {
			places[n][0] = odd(16) / 16, places[n][1] = odd(16) / 16;
			places[n][4] = (below(96) - 16) / 16.0f;
			if (grad) { /* the longer of two steps, in texels of the first level, is a power of two */
				int k = below(5);
				places[n][4] = k;
				places[n][5] = ldexp(1, k) / (16 >> first), places[n][6] = 0;
				places[n][8] = 0, places[n][9] = ldexp(1, k) / (16 >> first) / 2;
			}
		}
		run(grad ? "grad2" : "level2", object);
		for (int n = 0; n < N; n++) {
			double lod = fmin(fmax(places[n][4] + t.mipmapLevelBias, t.minMipmapLevelClamp), t.maxMipmapLevelClamp), want = 0;
			lod = fmin(fmax(lod, 0), last - first);
			for (int k = 0; k <= last - first; k++) {
				double weight = t.mipmapFilterMode ? fmax(0, 1 - fabs(lod - k)) : floor(lod + 0.5) == k, size = 16 >> (k + first);
				if (weight > 0)
					want += weight * fetch(&level[k + first], &t, 2, places[n][0] * size, places[n][1] * size, 0, 0);
			}
			same(want, got[n][0], "level", __LINE__);
		}
		if (viewed) {
			OK(cuTexObjectGetResourceViewDesc(&view_back, object));
			TRUE(memcmp(&view_back, &view, sizeof view) == 0);
		}
		OK(cuTexObjectDestroy(object));
	}
	OK(cuMipmappedArrayDestroy(m));
}

static void gathers(void)
{
	CUDA_TEXTURE_DESC t = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}};
	struct image m = {8, 8, 1, CU_AD_FORMAT_UNSIGNED_INT8, 4, texels};
	CUDA_RESOURCE_DESC r;
	CUtexObject object = 0;

	random_texels(m.format);
	r = of_array(make(8, 8, 0, m.format, 4, CUDA_ARRAY3D_TEXTURE_GATHER));
	OK(cuTexObjectCreate(&object, &r, &t, NULL));
	for (int n = 0; n < N; n++)
		places[n][0] = odd(8), places[n][1] = odd(8);
	run("gather", object);
	for (int n = 0; n < N; n++) {
		static const int dx[] = {0, 1, 1, 0}, dy[] = {1, 1, 0, 0};
		for (int k = 0; k < 4; k++) {
			int x = floor(places[n][0] - 0.5) + dx[k], y = floor(places[n][1] - 0.5) + dy[k];
			same(at(&m, &t, inside(x, 8, &t, 0), inside(y, 8, &t, 1), 0, 1), got[n][k], "gather", __LINE__);
		}
	}
	OK(cuTexObjectDestroy(object));
	OK(cuArrayDestroy(r.res.array.hArray));
}

/* Views with another format, and of some of the layers. */
static void views(void)
{
	CUDA_TEXTURE_DESC t = {.flags = CU_TRSF_READ_AS_INTEGER};
	CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_SINT_4X8, .width = 16, .height = 4}, v;
	CUDA_RESOURCE_DESC r;
	CUtexObject object = 0;
	struct image m = {16, 4, 5, CU_AD_FORMAT_FLOAT, 1, texels};

	random_texels(CU_AD_FORMAT_UNSIGNED_INT8);
	r = of_array(make(16, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0));
	OK(cuTexObjectCreate(&object, &r, &t, &view));
	for (int n = 0; n < N; n++)
		places[n][0] = n % 16 + 0.5f, places[n][1] = n / 16 + 0.5f;
	run("whole2", object);
	for (int n = 0; n < N; n++)
		for (int c = 0; c < 4; c++) {
			int32_t is;
			memcpy(&is, &got[n][c], 4);
			HAVE((signed char)texels[4 * n + c], is);
		}
	OK(cuTexObjectDestroy(object));
	v = view, v.format = CU_RES_VIEW_FORMAT_UINT_1X8; /* of another size */
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &t, &v));
	v = view, v.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate(&object, &r, &t, &v));
	v = view, v.width = 15;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &t, &v));
	v = view, v.lastMipmapLevel = 1;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &t, &v));
	v = view, v.lastLayer = 1;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &t, &v));
	OK(cuArrayDestroy(r.res.array.hArray));

	random_texels(CU_AD_FORMAT_FLOAT);
	r = of_array(make(16, 4, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED));
	view.format = CU_RES_VIEW_FORMAT_NONE, view.depth = 5, view.firstLayer = 2, view.lastLayer = 3;
	OK(cuTexObjectCreate(&object, &r, &t, &view));
	for (int n = 0; n < N; n++)
		places[n][3] = n % 3;
	run("layered2", object);
	for (int n = 0; n < N; n++) /* past the last layer is the last one */
		same(channel(&m, &t, n % 16, n / 16, n % 3 == 0 ? 2 : 3, 0), got[n][0], "layers", __LINE__);
	OK(cuTexObjectDestroy(object));
	v = view, v.lastLayer = 5;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &t, &v));
	v = view, v.firstLayer = 4;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &t, &v));
	OK(cuArrayDestroy(r.res.array.hArray));

	r = of_array(make(4, 4, 12, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED));
	view.width = view.height = 4, view.depth = 12, view.firstLayer = 0;
	for (int last = 0; last < 13; last++) {
		view.lastLayer = last; /* two cubes, or twelve faces */
		WANT(last == 1 || last == 11 ? CUDA_SUCCESS : last == 12 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate(&object, &r, &t, &view));
	}
	OK(cuArrayDestroy(r.res.array.hArray));
}

/* Surfaces: words are stored at places of arrays of all kinds, and loaded again. */
static void surfaces(void)
{
	static const struct { const char *kernel; int w, h, d; unsigned flags; } kinds[] = {
		{"surf1", 64, 0, 0, 0}, {"surf2", 16, 8, 0, 0}, {"surf3", 8, 4, 4, 0}, {"surf1layered", 16, 0, 5, CUDA_ARRAY3D_LAYERED}, {"surf2layered", 8, 4, 3, CUDA_ARRAY3D_LAYERED},
		{"surf2layered", 4, 4, 12, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP}};
	static uint32_t where[N][4], words[N];

	for (int k = 0; k < 6; k++) {
		int w = kinds[k].w, h = kinds[k].h ? kinds[k].h : 1, d = kinds[k].d ? kinds[k].d : 1, store;
		CUDA_RESOURCE_DESC r, back;
		CUsurfObject object = 0;
		CUfunction fn;
		void *params[] = {&out, &in, &object, &store};
		uint32_t *model = (uint32_t *)texels;

		random_texels(CU_AD_FORMAT_UNSIGNED_INT8);
		r = of_array(make(w, kinds[k].h, kinds[k].d, CU_AD_FORMAT_UNSIGNED_INT8, 4, kinds[k].flags | CUDA_ARRAY3D_SURFACE_LDST));
		OK(cuSurfObjectCreate(&object, &r));
		OK(cuSurfObjectGetResourceDesc(&back, object));
		TRUE(back.res.array.hArray == r.res.array.hArray);
		WANT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectGetResourceDesc(NULL, object));
		WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(object));
		for (int n = 0; n < N; n++) { /* each place once */
			int place = (n * (w * h * d / N) + k) % (w * h * d), z = place / w / h;
			where[n][0] = 4 * (place % w), where[n][1] = place / w % h, where[n][2] = where[n][3] = z;
			words[n] = rand();
			model[place] = words[n];
		}
		OK(cuModuleGetFunction(&fn, module, kinds[k].kernel));
		OK(cuMemcpyHtoD(in, where, sizeof where));
		OK(cuMemcpyHtoD(out, words, sizeof words));
		store = 1;
		OK(cuLaunchKernel(fn, 1, 1, 1, N, 1, 1, 0, 0, params, NULL));
		OK(cuMemcpyAtoH(places, r.res.array.hArray, 0, 4 * w * h * d < (int)sizeof places ? 4 * w * h * d : (int)sizeof places));
		TRUE(memcmp(places, texels, 4 * w * h * d < (int)sizeof places ? 4 * w * h * d : (int)sizeof places) == 0);
		OK(cuMemsetD8(out, 0, sizeof words));
		store = 0;
		OK(cuLaunchKernel(fn, 1, 1, 1, N, 1, 1, 0, 0, params, NULL));
		OK(cuMemcpyDtoH(got, out, sizeof words));
		TRUE(memcmp(got, words, sizeof words) == 0);
		OK(cuSurfObjectDestroy(object));
		WANT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy(object));
		OK(cuSurfObjectDestroy(0));
		OK(cuTexObjectDestroy(0));
		OK(cuArrayDestroy(r.res.array.hArray));
	}
}

static void wrong_objects(void)
{
	CUDA_TEXTURE_DESC t = {0}, d, t_back;
	CUDA_RESOURCE_DESC r, e, back;
	CUDA_RESOURCE_VIEW_DESC view = {.lastLayer = 0};
	CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = 8, .Height = 8, .Depth = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1, .Flags = CUDA_ARRAY3D_LAYERED};
	CUtexObject object = 0;
	CUsurfObject surface = 0;
	CUarray bytes, floats, cube;
	CUmipmappedArray m;
	CUdeviceptr memory;

	bytes = make(8, 8, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
	floats = make(8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0);
	cube = make(8, 8, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP);
	OK(cuMemAlloc(&memory, 4096));
	OK(cuMipmappedArrayCreate(&m, &desc, 3));
	r = of_array(floats);
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(NULL, &r, &t, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, NULL, &t, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, NULL, NULL));
	e = r, e.resType = 9;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	e = r, e.flags = 1;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	e = of_array((CUarray)m);
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	d = t, d.addressMode[2] = 4;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &d, NULL));
	d = t, d.filterMode = 2;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &d, NULL));
	d = t, d.mipmapFilterMode = 2;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &d, NULL));
	d = t, d.flags = 0x80;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &d, NULL));
	d = t, d.flags = CU_TRSF_SRGB;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &d, NULL));
	e = of_array(cube), d = t, d.flags = CU_TRSF_SEAMLESS_CUBEMAP;
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate(&object, &e, &d, NULL));

	e = r, e.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, e.res.mipmap.hMipmappedArray = m;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL)); /* coordinates are not normalized */
	d = t, d.flags = CU_TRSF_NORMALIZED_COORDINATES, view.width = view.height = 8, view.depth = 4, view.firstLayer = view.lastLayer = 1;
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate(&object, &e, &d, &view));
	WANT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&surface, &e));

	memset(&e, 0, sizeof e);
	e.resType = CU_RESOURCE_TYPE_LINEAR, e.res.linear.devPtr = memory, e.res.linear.format = CU_AD_FORMAT_FLOAT, e.res.linear.numChannels = 1, e.res.linear.sizeInBytes = 4096;
	OK(cuTexObjectCreate(&object, &e, &t, NULL));
	OK(cuTexObjectGetResourceDesc(&back, object));
	TRUE(memcmp(&back, &e, sizeof e) == 0);
	OK(cuTexObjectGetTextureDesc(&t_back, object));
	TRUE(memcmp(&t_back, &t, sizeof t) == 0);
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceViewDesc(&view, object));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc(NULL, object));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetTextureDesc(NULL, object));
	WANT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy(object));
	OK(cuTexObjectDestroy(object));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(object));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc(&back, object));
	view.lastLayer = view.firstLayer = 0;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, &view));
	e.res.linear.devPtr = memory + 256;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	e.res.linear.devPtr = memory, e.res.linear.sizeInBytes = 4100;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	e.res.linear.sizeInBytes = 3;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	e.res.linear.sizeInBytes = 16, e.res.linear.numChannels = 3;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	e.res.linear.devPtr = 0, e.res.linear.numChannels = 1;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));

	memset(&e, 0, sizeof e);
	e.resType = CU_RESOURCE_TYPE_PITCH2D, e.res.pitch2D.devPtr = memory, e.res.pitch2D.format = CU_AD_FORMAT_FLOAT, e.res.pitch2D.numChannels = 1;
	e.res.pitch2D.width = 16, e.res.pitch2D.height = 64, e.res.pitch2D.pitchInBytes = 64;
	OK(cuTexObjectCreate(&object, &e, &t, NULL));
	OK(cuTexObjectDestroy(object));
	e.res.pitch2D.height = 65;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	e.res.pitch2D.height = 8, e.res.pitch2D.pitchInBytes = 80; /* no multiple of 32 */
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));
	e.res.pitch2D.pitchInBytes = 32;
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &e, &t, NULL));

	WANT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&surface, &r)); /* without the flag */
	WANT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&surface, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(NULL, &r));
	OK(cuArrayDestroy(floats));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&object, &r, &t, NULL));
	OK(cuArrayDestroy(bytes));
	OK(cuArrayDestroy(cube));
	OK(cuMipmappedArrayDestroy(m));
	OK(cuMemFree(memory));
}

/* Texture references: what is set is told again, and holds for the next launch. */
static void texrefs(void)
{
	CUmodule of_objects = module;
	CUtexref t = NULL, row = NULL, own = NULL;
	CUsurfref sheet = NULL;
	CUarray a, b, back = NULL, line;
	CUmipmappedArray m = NULL, m_back;
	CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = 8, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
	CUDA_ARRAY_DESCRIPTOR plane = {.Width = 16, .Height = 8, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
	CUdeviceptr memory, address = 0;
	CUfunction fn;
	size_t offset = 1;
	float border[4] = {1, 2, 3, 4}, border_back[4], x, y;
	int mode, value, i;
	unsigned flags;
	unsigned long long none = 0;
	void *params[] = {&out, &in, &none}, *value_at[] = {&value};
	struct image bytes = {16, 8, 1, CU_AD_FORMAT_UNSIGNED_INT8, 1, texels}, floats = {8, 8, 1, CU_AD_FORMAT_FLOAT, 1, texels};
	CUDA_TEXTURE_DESC d = {0};

	OK(cuModuleLoadData(&module, references));
	WANT(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&t, module, "nothing"));
	WANT(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&t, module, "sheet"));
	WANT(CUDA_ERROR_NOT_FOUND, cuModuleGetSurfRef(&sheet, module, "picture"));
	WANT(CUDA_ERROR_INVALID_VALUE, cuModuleGetTexRef(NULL, module, "picture"));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetTexRef(&t, NULL, "picture"));
	OK(cuModuleGetTexRef(&t, module, "picture"));
	OK(cuModuleGetTexRef(&own, module, "picture"));
	TRUE(own == t);
	OK(cuModuleGetTexRef(&row, module, "row"));
	OK(cuModuleGetSurfRef(&sheet, module, "sheet"));
	OK(cuMemAlloc(&memory, 8192));

	/* Not bound. */
	OK(cuModuleGetFunction(&fn, module, "named2"));
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(fn, 1, 1, 1, N, 1, 1, 0, 0, params, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&back, t));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetAddress(&address, t));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetMipmappedArray(&m_back, t));
	WANT(CUDA_ERROR_INVALID_VALUE, cuSurfRefGetArray(&back, sheet));

	/* Pitched bytes that count from 0 to 1. */
	random_texels(CU_AD_FORMAT_UNSIGNED_INT8);
	for (i = 0; i < 8; i++)
		OK(cuMemcpyHtoD(memory + 64 * i, texels + 16 * i, 16));
	OK(cuTexRefSetAddress2D(t, &plane, memory, 64));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress2D(t, &plane, memory + 4, 64));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress2D(t, NULL, memory, 64));
	OK(cuTexRefGetAddress(&address, t));
	TRUE(address == memory);
	OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
	OK(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_MIRROR));
	OK(cuTexRefSetAddressMode(t, 1, CU_TR_ADDRESS_MODE_BORDER));
	OK(cuTexRefSetBorderColor(t, border));
	OK(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
	OK(cuParamSetTexRef(fn, CU_PARAM_TR_DEFAULT, t));
	d.filterMode = 1, d.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR, d.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER, d.flags = CU_TRSF_NORMALIZED_COORDINATES;
	memcpy(d.borderColor, border, sizeof border);
	for (i = 0; i < N; i++)
		places[i][0] = odd(16) / 16, places[i][1] = odd(8) / 8;
	run("named2", 0);
	for (i = 0; i < N; i++)
		same(fetch(&bytes, &d, 2, places[i][0] * 16, places[i][1] * 8, 0, 0), got[i][0], "named", __LINE__);

	/* What is set. */
	OK(cuTexRefGetFilterMode(&mode, t));
	HAVE(CU_TR_FILTER_MODE_LINEAR, mode);
	OK(cuTexRefGetAddressMode(&mode, t, 1));
	HAVE(CU_TR_ADDRESS_MODE_BORDER, mode);
	OK(cuTexRefGetBorderColor(border_back, t));
	TRUE(memcmp(border, border_back, sizeof border) == 0);
	OK(cuTexRefGetFlags(&flags, t));
	HAVE(CU_TRSF_NORMALIZED_COORDINATES, flags);
	OK(cuTexRefGetFormat(&mode, &value, t));
	TRUE(mode == CU_AD_FORMAT_UNSIGNED_INT8 && value == 1);
	OK(cuTexRefSetMipmapFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
	OK(cuTexRefGetMipmapFilterMode(&mode, t));
	HAVE(CU_TR_FILTER_MODE_LINEAR, mode);
	OK(cuTexRefSetMipmapLevelBias(t, 0.5f));
	OK(cuTexRefGetMipmapLevelBias(&x, t));
	TRUE(x == 0.5f);
	OK(cuTexRefSetMipmapLevelClamp(t, 0.25f, 3));
	OK(cuTexRefGetMipmapLevelClamp(&x, &y, t));
	TRUE(x == 0.25f && y == 3);
	OK(cuTexRefSetMaxAnisotropy(t, 4));
	OK(cuTexRefGetMaxAnisotropy(&value, t));
	HAVE(4, value);
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFilterMode(t, 2));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetMipmapFilterMode(t, -1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddressMode(t, 3, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddressMode(t, 0, 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetBorderColor(t, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFlags(t, 0x100));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 3));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetFilterMode(NULL, t));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetAddressMode(&mode, t, 3));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFilterMode(NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFilterMode((CUtexref)sheet, 0));

	/* What does not go together is found when the kernel is launched. */
	OK(cuTexRefSetFlags(t, CU_TRSF_READ_AS_INTEGER | CU_TRSF_SRGB));
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(fn, 1, 1, 1, N, 1, 1, 0, 0, params, NULL));

	/* An array, then a mipmapped one, of which tex takes the level that the bias says. */
	random_texels(CU_AD_FORMAT_FLOAT);
	a = make(8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0);
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetArray(t, a, 0));
	OK(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetArray(&back, t));
	TRUE(back == a);
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetAddress(&address, t));
	OK(cuTexRefGetFormat(&mode, &value, t));
	TRUE(mode == CU_AD_FORMAT_FLOAT && value == 1);
	OK(cuTexRefSetFlags(t, 0));
	OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));
	memset(&d, 0, sizeof d);
	d.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
	memcpy(d.borderColor, border, sizeof border);
	for (i = 0; i < N; i++)
		places[i][0] = odd(8), places[i][1] = odd(8);
	run("named2", 0);
	for (i = 0; i < N; i++)
		same(fetch(&floats, &d, 2, places[i][0], places[i][1], 0, 0), got[i][0], "named", __LINE__);
	OK(cuMipmappedArrayCreate(&m, &desc, 2));
	OK(cuMipmappedArrayGetLevel(&b, m, 1));
	OK(cuMemcpyHtoA(b, 0, texels, 4 * 4 * 4));
	OK(cuTexRefSetMipmappedArray(t, m, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetMipmappedArray(&m_back, t));
	TRUE(m_back == m);
	OK(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
	OK(cuTexRefSetMipmapLevelBias(t, 1));
	OK(cuTexRefSetMipmapLevelClamp(t, 0, 9));
	OK(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_CLAMP));
	OK(cuTexRefSetAddressMode(t, 1, CU_TR_ADDRESS_MODE_CLAMP));
	for (i = 0; i < N; i++)
		places[i][0] = (i % 4 + 0.5f) / 4, places[i][1] = (i / 4 % 4 + 0.5f) / 4;
	run("named2", 0);
	for (i = 0; i < N; i++)
		same(((float *)texels)[i % 16], got[i][0], "level", __LINE__);

	/* Linear memory that does not begin where a texture may. */
	OK(cuTexRefSetFormat(row, CU_AD_FORMAT_UNSIGNED_INT32, 1));
	OK(cuTexRefSetFlags(row, CU_TRSF_READ_AS_INTEGER));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress(NULL, row, memory + 1028, 256));
	OK(cuMemcpyHtoD(memory + 1028, texels, 256));
	OK(cuTexRefSetAddress(&offset, row, memory + 1028, 256));
	HAVE(4, offset);
	for (i = 0; i < N; i++)
		places[i][0] = i + offset / 4;
	run("namedline", 0);
	for (i = 0; i < N; i++)
		TRUE(memcmp(&got[i][0], texels + 4 * i, 4) == 0);
	OK(cuMemcpyHtoD(memory, texels, 256));
	OK(cuTexRefSetAddress(NULL, row, memory, 256)); /* whose format is set after that */
	OK(cuTexRefSetFormat(row, CU_AD_FORMAT_UNSIGNED_INT32, 4));
	for (i = 0; i < N; i++)
		places[i][0] = i % 16;
	run("namedline", 0);
	for (i = 0; i < N; i++)
		TRUE(memcmp(got[i], texels + 16 * (i % 16), 16) == 0);
	OK(cuTexRefSetAddress(&offset, row, memory, 256));
	HAVE(0, offset);
	OK(cuTexRefSetAddress(&offset, row, 0, 0)); /* bound to nothing */
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefGetAddress(&address, row));

	/* A surface. */
	line = make(N, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST);
	WANT(CUDA_ERROR_INVALID_VALUE, cuSurfRefSetArray(sheet, a, 0)); /* without the flag */
	WANT(CUDA_ERROR_INVALID_VALUE, cuSurfRefSetArray(sheet, line, 1));
	OK(cuSurfRefSetArray(sheet, line, 0));
	OK(cuSurfRefGetArray(&back, sheet));
	TRUE(back == line);
	value = 12345;
	OK(cuModuleGetFunction(&fn, module, "write"));
	OK(cuLaunchKernel(fn, 1, 1, 1, N, 1, 1, 0, 0, value_at, NULL));
	OK(cuMemcpyAtoH(texels, line, 0, 4 * N));
	for (i = 0; i < N; i++)
		HAVE(12345, ((int *)texels)[i]);

	/* References of no module. */
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefCreate(NULL));
	OK(cuTexRefCreate(&own));
	OK(cuTexRefSetArray(own, a, CU_TRSA_OVERRIDE_FORMAT));
	WANT(CUDA_ERROR_INVALID_VALUE, cuParamSetTexRef(fn, CU_PARAM_TR_DEFAULT, own));
	WANT(CUDA_ERROR_INVALID_VALUE, cuParamSetTexRef(fn, 0, t));
	OK(cuTexRefDestroy(own));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefDestroy(own));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefDestroy(t));
	OK(cuModuleUnload(module));
	WANT(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFilterMode(t, 0)); /* it went with its module */
	OK(cuArrayDestroy(a));
	OK(cuArrayDestroy(line));
	OK(cuMipmappedArrayDestroy(m));
	OK(cuMemFree(memory));
	module = of_objects;
}

/* What was taken away and is used by a kernel is found. */
static void gone(int freed)
{
	CUDA_TEXTURE_DESC t = {0};
	CUDA_RESOURCE_DESC r = of_array(make(8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0));
	CUtexObject object = 0;
	CUfunction fn;
	void *params[] = {&out, &in, &object};

	OK(cuTexObjectCreate(&object, &r, &t, NULL));
	if (freed)
		OK(cuArrayDestroy(r.res.array.hArray));
	else
		OK(cuTexObjectDestroy(object));
	OK(cuMemcpyHtoD(in, places, sizeof places));
	OK(cuModuleGetFunction(&fn, module, "tex2"));
	OK(cuLaunchKernel(fn, 1, 1, 1, N, 1, 1, 0, 0, params, NULL));
	WANT(freed ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
}

int main(int argc, char **argv)
{
	int value;

	begin();
	OK(cuModuleLoadData(&module, ptx));
	OK(cuMemAlloc(&in, sizeof places));
	OK(cuMemAlloc(&out, sizeof got));
	if (argc > 1) {
		gone(strcmp(argv[1], "freed") == 0);
		return failures != 0;
	}
	arrays();
	integers();
	cubes();
	levels();
	gathers();
	views();
	surfaces();
	wrong_objects();
	texrefs();
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, 0));
	HAVE(65536, value);
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 0));
	HAVE(2046, value);
	return failures != 0;
}
