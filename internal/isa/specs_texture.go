package isa

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Geometries of textures and surfaces.
const (
	Geom1D Mod = iota + 1
	Geom2D
	Geom3D
	GeomA1D
	GeomA2D
	GeomCube
	GeomACube
	Geom2DMS
	GeomA2DMS
)

// geometry is the number and meaning of coordinates for a geometry.
type geometry struct {
	index  int  // elements before the coordinates: the index in an array of textures, or of a sample
	dims   int  // coordinates after them
	width  int  // elements that the ISA requires; the last may be ignored
	offset int  // elements of an offset; 0 if not allowed
	array  bool // the first element is an index in an array of textures
	sample bool // the last element before the coordinates is a sample's number
}

var geometries = [...]geometry{
	Geom1D: {0, 1, 1, 1, false, false}, Geom2D: {0, 2, 2, 2, false, false}, Geom3D: {0, 3, 4, 4, false, false},
	GeomA1D: {1, 1, 2, 1, true, false}, GeomA2D: {1, 2, 4, 2, true, false}, GeomCube: {0, 3, 4, 0, false, false}, GeomACube: {1, 3, 4, 0, true, false},
	Geom2DMS: {1, 2, 4, 2, false, true}, GeomA2DMS: {2, 2, 4, 2, true, true},
}

// Dims returns how many coordinates a position has, without the elements before them; a direction into a cube map has
// three.
func (g Geometry) Dims() int { return geometries[g].dims }

// Index returns how many elements precede the coordinates: the index in an array of textures, the number of a sample,
// or both.
func (g Geometry) Index() int { return geometries[g].index }

// Array reports whether the geometry is an array of textures.
func (g Geometry) Array() bool { return geometries[g].array }

// Samples reports whether the geometry has samples.
func (g Geometry) Samples() bool { return geometries[g].sample }

// String returns the geometry without a dot.
func (g Geometry) String() string { return Geom.word(Mod(g)) }

// Geometry is a modifier of the group Geom.
type Geometry Mod

// Geometry returns the geometry of a texture or surface instruction; 0 for others.
func (in *Instr) Geometry() Geometry { return Geometry(in.Mods[Geom]) }

// The choice of the level of detail of a tex.
const (
	LODBase Mod = iota + 1
	LODLevel
	LODGrad
)

// The effect of accesses outside the bounds of a surface.
const (
	ClampTrap Mod = iota + 1
	ClampNearest
	ClampZero
)

// The unit of a surface instruction's coordinates.
const (
	SurfaceBytes   Mod = iota + 1 // .b: x counts bytes
	SurfaceSamples                // .p: x counts texels, and data are formatted
)

// The attributes that a query returns.
const (
	QueryWidth Mod = iota + 1
	QueryHeight
	QueryDepth
	QueryChannelType
	QueryChannelOrder
	QueryNormalized
	QueryArraySize
	QueryLevels
	QuerySamples
	QueryUnnormalized
	QueryFilter
	QueryAddress0
	QueryAddress1
	QueryAddress2
	QueryLayout
)

// IsOpaque reports whether t is a handle of a texture, sampler or surface.
func (t Type) IsOpaque() bool { return t.Class() == Opaque }

// texelTypes are the types of the elements that a tex returns, by its vector.
var texelTypes = map[Mod][]Type{2: {U32, S32, F16, F32}, 1: {F16x2}}

// legalTex reports whether PTX has a form of tex. Integer coordinates are not filtered, and cannot address a cube
// map.
func legalTex(v *Variant) bool {
	g := v.Mods[Geom]
	samples, cube := g >= Geom2DMS, g == GeomCube || g == GeomACube
	switch {
	case !slices.Contains(texelTypes[v.Mods[Vec]], v.Types[0]):
		return false
	case v.Types[1] != F32 && v.Types[1] != S32, samples && v.Types[1] != S32, cube && v.Types[1] != F32:
		return false
	case v.Mods[LOD] != 0 && samples, v.Mods[LOD] == LODGrad && v.Types[1] != F32:
		return false
	}
	return true
}

// texture is the Mem of rows with data that the engine moves, because these are not plain bytes.
func texture(legal func(v *Variant) bool) func(v *Variant) lanes.MemFunc {
	return func(v *Variant) lanes.MemFunc {
		if !legal(v) {
			return nil
		}
		return noMove
	}
}

func noMove(*lanes.File, *lanes.Op, lanes.Mask, *lanes.Access) {}

// surfaceGeometry reports whether surfaces can have the geometry.
func surfaceGeometry(v *Variant) bool { return v.Mods[Geom] <= GeomA2D }

// maxSurfaceBits is the width of the widest access to a surface.
const maxSurfaceBits = 128

func legalSurface(v *Variant) bool {
	return surfaceGeometry(v) && v.Type().Class() == Untyped && v.Type().Bits()*v.Mods.VecLen() <= maxSurfaceBits && v.Mods.VecLen() <= 4
}

func bindSurfaceLoad(v *Variant) lanes.MemFunc {
	if !legalSurface(v) || v.Mods[SurfaceForm] != SurfaceBytes || v.Mods[Cache] > CacheCV || v.Mods[Cache] == CacheLU {
		return nil
	}
	return bindLoad(v)
}

func bindSurfaceStore(v *Variant) lanes.MemFunc {
	formatted := v.Mods[SurfaceForm] == SurfaceSamples
	switch {
	case !legalSurface(v), formatted && (v.Type() != B32 || v.Mods[Geom] > Geom3D):
		return nil
	case formatted:
		return noMove // the stored bytes depend on the surface's format
	}
	return bindStore(v)
}

// bindSurfaceAtomic is the effect of sured on integers for .b, and for .p on surfaces with an unsigned format;
// SignedAtomic is the effect on signed ones.
func bindSurfaceAtomic(v *Variant) lanes.MemFunc {
	op, t := v.Mods[AtomOp], v.Type()
	if !slices.Contains([]Mod{AtomAdd, AtomMin, AtomMax, AtomAnd, AtomOr}, op) || v.Mods[Geom] > Geom3D || t.Class() == Float {
		return nil
	}
	if v.Mods[SurfaceForm] == SurfaceBytes {
		return atoms[op][t]
	}
	switch bits := op == AtomAnd || op == AtomOr; {
	case t == B32 && bits:
		return atoms[op][B32]
	case t == B32:
		return atoms[op][U32]
	case t == B64 && (op == AtomMin || op == AtomMax):
		return atoms[op][U64]
	}
	return nil
}

// SignedAtomic returns the effect of a sured.p on a surface of signed integers; nil for other instructions.
func (in *Instr) SignedAtomic() lanes.MemFunc {
	if in.Mods[SurfaceForm] != SurfaceSamples || in.Spec.Kind != Atomic {
		return nil
	}
	signed := map[Type]Type{B32: S32, B64: S64}[in.Types[0]]
	return atoms[in.Mods[AtomOp]][signed]
}

// legalQuery reports whether an instruction can query the attribute of its modifiers.
func legalQuery(first, last Mod) func(v *Variant) bool {
	return func(v *Variant) bool { q := v.Mods[Query]; return q >= first && q <= last }
}

const sampled = " The texture, and the sampler after it if there is one, is a name or a handle in a register."

var textureSpecs = []*Spec{
	{Name: "tex", Mods: "[lod] geom vec type type", Form: "d:v|q:pred, t:image, ?e:offset, ?f:f32", Needs: "1", Kind: Load, Cost: on(TEX, CostTexture),
		Doc:      "d = the texel, or the weighted mean of texels, of texture t at the coordinates, which have the second type; q = true. e is added to the coordinates, in texels. If f is given, texels are compared with the depth f." + sampled,
		examples: []string{"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];"},
		Mem:      texture(func(v *Variant) bool { return legalTex(v) && v.Mods[LOD] <= LODBase })},
	{Name: "tex", With: "level", Mods: "lod geom vec type type", Form: "d:v|q:pred, t:image, l:1, ?e:offset, ?f:f32", Needs: "1", Kind: Load, Cost: on(TEX, CostTexture),
		Doc:      "tex from level of detail l.",
		examples: []string{"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;"},
		Mem:      texture(func(v *Variant) bool { return legalTex(v) && v.Mods[LOD] == LODLevel })},
	{Name: "tex", With: "grad", Mods: "lod geom vec type type", Form: "d:v|q:pred, t:image, x:grad, y:grad, ?e:offset, ?f:f32", Needs: "1", Kind: Load, Cost: on(TEX, CostTexture),
		Doc:      "tex from the level of detail whose texels are as large as the gradients x and y of the coordinates.",
		examples: []string{"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%f7, %f8}, {%f9, %f10};"},
		Mem:      texture(func(v *Variant) bool { return legalTex(v) && v.Mods[LOD] == LODGrad })},
	{Name: "tld4", Mods: "comp geom vec type type", Form: "d:v|q:pred, t:image, ?e:offset, ?f:f32", Needs: "2.2 sm_20", Kind: Load, Cost: on(TEX, CostTexture),
		Doc:      "d = one channel of the four texels that a bilinear tex would combine, counter-clockwise from the lower left; q = true. e and f are those of tex." + sampled,
		examples: []string{"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"},
		Mem: texture(func(v *Variant) bool {
			g := v.Mods[Geom]
			flat := g == Geom2D || g == GeomA2D || g == GeomCube || g == GeomACube
			return flat && legalTex(v) && v.Types[1] == F32 && v.Types[0].Bits() == 32 && v.Mods[Vec] == 2
		})},
	{Name: "txq", Mods: "query type", Form: "d, t:image", Needs: "1", Kind: QueryKind, Cost: on(LSU, CostInteger), Types: []Type{B32},
		Doc:      "d = an attribute of texture or sampler t. Types and orders of channels have the numbers of OpenCL 1.0.",
		examples: []string{"txq.width.b32 %r1, [%rd1];"},
		Legal:    legalQuery(QueryWidth, QueryAddress2)},
	{Name: "txq", With: "level", Mods: "lod query type", Form: "d, t:image, l", Needs: "1", Kind: QueryKind, Cost: on(LSU, CostInteger), Types: []Type{B32},
		Doc:      "d = the size of level of detail l of texture t, in texels.",
		examples: []string{"txq.level.height.b32 %r1, [%rd1], 1;"},
		Legal:    func(v *Variant) bool { return v.Mods[LOD] == LODLevel && v.Mods[Query] <= QueryDepth }},
	{Name: "suq", Mods: "query type", Form: "d, t:image", Needs: "1", Kind: QueryKind, Cost: on(LSU, CostInteger), Facts: Facts{Surface: true}, Types: []Type{B32},
		Doc:      "d = an attribute of surface t.",
		examples: []string{"suq.width.b32 %r1, [%rd1];"},
		Legal: func(v *Variant) bool {
			return slices.Contains([]Mod{QueryWidth, QueryHeight, QueryDepth, QueryChannelType, QueryChannelOrder, QueryArraySize, QueryLayout}, v.Mods[Query])
		}},
	{Name: "istypep", Mods: "type", Form: "d:pred, a:b64", Needs: "4.0 sm_30", Kind: QueryKind, Cost: on(LSU, CostInteger), Types: []Type{TexRef, SamplerRef, SurfRef}, Syntax: Syntax{takesAddress: true},
		Doc:      "d = whether a is the handle of a texture, a sampler or a surface, as the type says.",
		examples: []string{"istypep.texref %p1, %rd1;"}},
	{Name: "suld", Mods: "surf geom [cache] [vec] type clamp", Form: "d:v, t:image", Needs: "1", Kind: Load, Cost: on(TEX, CostTexture), Facts: Facts{Wide: true, Surface: true}, Mem: bindSurfaceLoad,
		Doc:      "d = the value of surface t at the coordinates; x counts bytes. Out of bounds, .trap is a fault, .clamp uses the nearest texel, and .zero gives 0.",
		examples: []string{"suld.b.2d.b32.trap %r1, [%rd1, {%r2, %r3}];", "suld.b.1d.v2.b32.zero {%r1, %r2}, [%rd1, {%r3}];"}},
	{Name: "sust", Mods: "surf geom [cache] [vec] type clamp", Form: "t:image, b:v", Needs: "1", Kind: Store, Cost: on(TEX, CostStoreSurface), Facts: Facts{Wide: true, Surface: true}, Mem: bindSurfaceStore,
		Doc:      "Stores b to surface t at the coordinates. With .b, x counts bytes. With .p, x counts texels, and b is converted to the surface's format. Out of bounds, .trap is a fault, .clamp uses the nearest texel, and .zero stores nothing.",
		examples: []string{"sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r3;", "sust.p.2d.v4.b32.clamp [%rd1, {%r1, %r2}], {%r3, %r4, %r5, %r6};"}},
	{Name: "sured", Mods: "surf op geom type clamp", Form: "t:image, b", Needs: "1", Kind: Atomic, Cost: on(TEX, CostStoreSurface), Facts: Facts{Surface: true}, Mem: bindSurfaceAtomic,
		Doc:      "The new value of surface t at the coordinates is (old op b). With .b, x counts bytes. With .p, x counts texels, and the surface's format says whether they are signed.",
		examples: []string{"sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;"}},
}
