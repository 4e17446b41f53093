package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/memory"
)

// Image is a texture, sampler or surface that kernels can use by its handle or, if the module
// declares a variable of its name, by name.
type Image struct {
	Name string
	Type isa.Type // TexRef, SamplerRef or SurfRef
	// Texture is what a texture is, or in its Shape a surface.
	Texture texture.Texture
	// Sampler is that of a SamplerRef. Its coordinates are normalized if those of the texture are
	// and Normalized holds.
	Sampler texture.Sampler
	// Region holds the texels, from its byte At on; nil for a sampler, and for what is not bound.
	Region *memory.Region
	At     int64

	bound bool
}

func handleOf(number int) uint64 { return identBase + identBytes*uint64(number) }

// imageAt is the texture, sampler or surface with a handle, or nil.
func (m *Memory) imageAt(handle uint64) *Image {
	n := (handle - identBase) / identBytes
	if handle%identBytes != 0 || handle < identBase || n >= uint64(len(m.images)) || m.images[n].Type == 0 {
		return nil
	}
	return &m.images[n]
}

// idle is how many handles stay without a meaning, those taken away last, so that to use one is found.
const idle = 1 << 14

// IsHandle reports whether an address is the handle of a texture, sampler or surface that there is.
func (m *Memory) IsHandle(addr uint64) bool { return m.imageAt(addr) != nil }

// newImage gives a texture, sampler or surface a handle, of which it returns the number.
func (m *Memory) newImage(im Image) (number int, err error) {
	if len(m.removed) > idle {
		number, m.removed = m.removed[0], m.removed[1:]
		m.images[number] = im
		return number, nil
	}
	if len(m.images) == idents {
		return 0, fmt.Errorf("%w: handles end at 0x%x", errIdents, uint64(isa.ConstBase))
	}
	m.images = append(m.images, im)
	return len(m.images) - 1, nil
}

// RemoveImage takes a handle from a texture, sampler or surface that is no variable of a module. It is an error if there is none with the handle.
// A handle is given out again when 16384 others were removed after it.
func (m *Memory) RemoveImage(handle uint64) error {
	if m.imageAt(handle) == nil {
		return fmt.Errorf("0x%x is no handle of a texture, sampler or surface", handle)
	}
	m.removeImage(int((handle - identBase) / identBytes))
	return nil
}

func (m *Memory) removeImage(number int) {
	m.images[number] = Image{}
	m.removed = append(m.removed, number)
}

// declareImage makes what a variable of the module declares.
func (m *Machine) declareImage(v *isa.Var) error {
	n, err := m.newImage(declaredImage(v))
	if err == nil {
		m.declared = append(m.declared, n)
	}
	return err
}

// declaredAs is the number of the variable of the module that is a texture, sampler or surface of that name.
func (m *Machine) declaredAs(name string) (number int, ok bool) {
	for _, n := range m.declared {
		if m.images[n].Name == name {
			return n, true
		}
	}
	return 0, false
}

// declaredImage is what a variable of the module declares. A sampler that says what it is need not be
// bound.
func declaredImage(v *isa.Var) Image {
	im := Image{Name: v.Name, Type: v.Type, Sampler: texture.Sampler{Normalized: true}}
	for i := range im.Sampler.Address {
		im.Sampler.Address[i] = texture.ClampEdge
	}
	if v.Type == isa.SamplerRef && len(v.Fields) > 0 {
		im.bound = true
	}
	SetFields(&im.Sampler, v.Fields)
	return im
}

// SetFields sets what a declaration says of a sampler, or of a texture as one.
func SetFields(s *texture.Sampler, fields []isa.Field) {
	for _, f := range fields {
		switch f.Name {
		case "filter_mode":
			s.Linear = f.Value == "linear"
		case "normalized_coords":
			s.Normalized = f.Value == "1"
		case "force_unnormalized_coords":
			s.Normalized = f.Value == "0"
		case "addr_mode_0", "addr_mode_1", "addr_mode_2":
			s.Address[f.Name[len(f.Name)-1]-'0'], _ = texture.ParseAddress(f.Value) // which isa.NewField has checked
		}
	}
}

// NewImage makes a texture, sampler or surface that is no variable of a module, and returns its handle.
func (m *Memory) NewImage(im Image) (handle uint64, err error) {
	if err := im.check(); err != nil {
		return 0, err
	}
	im.bound = true
	n, err := m.newImage(im)
	return handleOf(n), err
}

// AddImage is Bind of the variable of the module that has the image's name, and NewImage if there is none.
func (m *Machine) AddImage(im Image) (handle uint64, err error) {
	n, declared := m.declaredAs(im.Name)
	if !declared {
		return m.NewImage(im)
	}
	return handleOf(n), m.Bind(im.Name, &im)
}

// ImageVar is the type of the variable of the module that is a texture, sampler or surface of that name. It is false if there is none.
func (m *Machine) ImageVar(name string) (t isa.Type, ok bool) {
	n, ok := m.declaredAs(name)
	if !ok {
		return 0, false
	}
	return m.images[n].Type, true
}

// Bind binds a variable of the module, a texture, sampler or surface, to what im is, or with nil to nothing.
func (m *Machine) Bind(name string, im *Image) error {
	n, declared := m.declaredAs(name)
	switch {
	case !declared:
		return fmt.Errorf("the module has no texture, sampler or surface %s", name)
	case im == nil:
		m.images[n] = Image{Name: name, Type: m.images[n].Type}
		return nil
	case m.images[n].Type != im.Type:
		return fmt.Errorf("%s is a .%s of the module, not a .%s", name, m.images[n].Type, im.Type)
	}
	if err := im.check(); err != nil {
		return err
	}
	m.images[n] = *im
	m.images[n].Name, m.images[n].bound = name, true
	return nil
}

// check says what is wrong with a texture or surface, or nil.
func (im *Image) check() error {
	if im.Type == isa.SamplerRef {
		return nil
	}
	t := &im.Texture
	if err := t.Check(); err != nil {
		return err
	}
	if im.Type == isa.TexRef {
		if err := t.Sampler.Check(&t.Shape, t.SRGB); err != nil {
			return err
		}
	} else if t.Samples > 0 || t.Levels > 1 || t.Kind == texture.Cube {
		return fmt.Errorf("a surface of a %s texture with %d levels; a surface is 1d, 2d, 3d or an array, with one level", &t.Shape, t.Levels)
	}
	size := int64(len(im.Region.Data))
	switch need := t.Bytes(); {
	case im.At < 0 || im.At%16 != 0:
		return fmt.Errorf("texels begin at byte %d of %s; they begin at a multiple of 16", im.At, im.Region.Name)
	case im.At > size || need > size-im.At:
		return fmt.Errorf("%s of %s takes %d bytes; %s has %d", extent(&t.Shape), t.Format, need, im.Region.Name, max(size-im.At, 0))
	}
	return nil
}

// extent is the kind and the size of a texture, as a message shows it.
func extent(s *texture.Shape) string {
	text := fmt.Sprintf("%s %d", s, s.Width)
	if s.Kind != texture.D1 {
		text += fmt.Sprintf("x%d", s.Height)
	}
	if s.Kind == texture.D3 {
		text += fmt.Sprintf("x%d", s.Depth)
	}
	if s.Array {
		text += fmt.Sprintf(" of %d layers", s.Layers)
	}
	if s.Samples > 0 {
		text += fmt.Sprintf(" of %d samples", s.Samples)
	}
	if s.Levels > 1 {
		text += fmt.Sprintf(" of %d levels", s.Levels)
	}
	return text
}

// unbound says which texture, sampler or surface that the program names is bound to nothing, or "".
func (m *Machine) unbound(p *program.Program) string {
	for _, named := range p.Images {
		if n, declared := m.declaredAs(named.Name); declared && !m.images[n].bound {
			return fmt.Sprintf("the .%s %s, which %s in line %d names, is bound to nothing", m.images[n].Type, named.Name, named.Instr.Mnemonic(), named.Pos.Line)
		}
	}
	return ""
}

// use is lanes of an instruction that use the same texture or surface, and the same sampler.
type use struct {
	lanes   lanes.Mask
	image   *Image
	sampler texture.Sampler
}

// uses groups the lanes of m by what they use. It is an error if that is not what the instruction
// takes it for: at is then the lanes.
func (e *Engine) uses(pc int, m lanes.Mask, want isa.Type) (all []use, at lanes.Mask, err error) {
	in := e.fn.Info[pc].Image
	for m != 0 {
		first := firstLane(m)
		handle, sampler := e.handle(in.Handle, in.Wide, first), uint64(0)
		if in.Sampler != 0 {
			sampler = e.handle(in.Sampler, in.SamplerWide(), first)
		}
		var group lanes.Mask
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := firstLane(rest)
			if e.handle(in.Handle, in.Wide, lane) == handle && (in.Sampler == 0 || e.handle(in.Sampler, in.SamplerWide(), lane) == sampler) {
				group |= 1 << lane
			}
		}
		m &^= group
		im, err := e.found(handle, want)
		if err == nil {
			err = e.fits(pc, im)
		}
		if err != nil {
			return nil, group, err
		}
		u := use{lanes: group, image: im, sampler: im.Texture.Sampler}
		if in.Sampler != 0 {
			s, err := e.found(sampler, isa.SamplerRef)
			if err != nil {
				return nil, group, err
			}
			u.sampler = s.Sampler
			u.sampler.Normalized = u.sampler.Normalized && im.Texture.Sampler.Normalized
			u.sampler.Linear = u.sampler.Linear && im.Texture.Format.Channel.IsFloat()
		}
		all = append(all, u)
	}
	return all, 0, nil
}

// handle is the handle that a lane has in a slot.
func (e *Engine) handle(slot uint32, wide bool, lane int) uint64 {
	if wide {
		return lanes.Reg[uint64](e.path.File, slot)[lane]
	}
	return uint64(lanes.Reg[uint32](e.path.File, slot)[lane])
}

// found is what a handle means, which must be of a type.
func (e *Engine) found(handle uint64, want isa.Type) (*Image, error) {
	im := e.m.imageAt(handle)
	switch {
	case im == nil:
		return nil, violated(RuleImageHandle, "0x%x is no handle of a .%s", handle, want)
	case im.Type != want:
		return nil, violated(RuleImageHandle, "%s is a .%s, where the instruction takes a .%s", im.Name, im.Type, want)
	case !im.bound:
		return nil, violated(RuleImageHandle, "the .%s %s is bound to nothing", im.Type, im.Name)
	case im.Region != nil && im.Region.Freed():
		return nil, &violation{ruleFreed, fmt.Sprintf("the texels of the .%s %s were in %s, which was freed", im.Type, im.Name, im.Region.Name), memory.ErrFreed}
	}
	return im, nil
}

// fits is an error if a texture or surface is not of the geometry of the instruction at pc, or
// gives other values than that takes.
func (e *Engine) fits(pc int, im *Image) error {
	in := &e.fn.Src.Code[pc]
	g := in.Geometry()
	if g == 0 {
		return nil
	}
	t := &im.Texture
	if g.String() != t.String() && !(g == isa.Geometry(isa.Geom1D) && isLine(&t.Shape)) {
		return violated(RuleImageFormat, "%s of %s, which is %s", in.Mnemonic(), im.Name, extent(&t.Shape))
	}
	if im.Type == isa.SurfRef {
		return nil
	}
	gives := "integers, .u32 or .s32"
	if t.Format.Channel.IsFloat() {
		gives = "floating-point numbers, .f32 or .f16"
	}
	if t.Format.Channel.IsFloat() != (in.Types[0].Class() == isa.Float) {
		return violated(RuleImageFormat, "%s of %s, whose format %s gives %s", in.Mnemonic(), im.Name, t.Format, gives)
	}
	if e.fn.Info[pc].Image.Compare != 0 && !t.Format.Channel.IsFloat() {
		return violated(RuleImageFormat, "depths of %s, whose format %s gives %s", im.Name, t.Format, gives)
	}
	return nil
}

// isLine reports whether a texture of two dimensions is taken for one of one dimension, too: it has one row.
func isLine(s *texture.Shape) bool {
	return s.Kind == texture.D2 && s.Height == 1 && !s.Array && s.Samples == 0
}

// accessImage executes a texture or surface instruction for the lanes of m. It finds all faults before it
// does anything.
func (e *Engine) accessImage(pc int, m lanes.Mask) error {
	want := e.fn.Src.Code[pc].ImageType()
	uses, at, err := e.uses(pc, m, want)
	if err != nil {
		return e.fault(pc, at, err)
	}
	if want == isa.SurfRef {
		return e.accessSurfaces(pc, uses)
	}
	if e.sampling == nil {
		e.sampling = new(sampling)
	}
	for i := range uses {
		e.sample(pc, &uses[i], i+1 < len(uses))
	}
	return nil
}

// sampling is what an engine keeps while it executes a tex: by lane, the texels of the value.
type sampling struct {
	queries    [lanes.Width]texture.Query
	footprints [lanes.Width]texture.Footprint
	texels     [lanes.Width][texture.MostTaps]texture.Texel
}

// sample executes a tex or tld4 for lanes that use one texture.
func (e *Engine) sample(pc int, u *use, more bool) {
	s, t := e.sampling, &u.image.Texture
	taps := 0
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		e.ask(pc, lane, u, &s.queries[lane])
		t.Footprint(&u.sampler, &s.queries[lane], &s.footprints[lane])
		taps = max(taps, s.footprints[lane].N)
	}
	border := t.BorderTexel(&u.sampler)
	var reads [texture.MostTaps]lanes.Mask
	last := 0
	for k := range taps {
		for rest := u.lanes; rest != 0; rest &= rest - 1 {
			lane := firstLane(rest)
			switch f := &s.footprints[lane]; {
			case k >= f.N:
			case f.Taps[k].Off == texture.BorderColour:
				s.texels[lane][k] = border
			default:
				reads[k] |= 1 << lane
				last = k
			}
		}
	}
	for k := range taps {
		if reads[k] != 0 {
			e.readTexels(pc, u, k, reads[k], more || k < last)
		}
	}
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		e.writeTexel(pc, firstLane(rest), u)
	}
}

// ask makes the query of a lane.
func (e *Engine) ask(pc, lane int, u *use, q *texture.Query) {
	src, in := &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	*q = texture.Query{Integer: src.Types[1] == isa.S32, Gather: src.Mods[isa.Component] != 0}
	word := func(slot uint32) uint32 { return lanes.Reg[uint32](e.path.File, slot)[lane] }
	float := func(slot uint32) float32 { return lanes.Reg[float32](e.path.File, slot)[lane] }
	floats := func(slots []uint32) (all [3]float32) {
		for i, slot := range slots {
			all[i] = float(slot)
		}
		return all
	}
	coords, g := in.Coords, in.Geometry
	if g.Array() {
		q.Layer, coords = word(coords[0]), coords[1:]
	}
	if g.Samples() {
		q.Sample, coords = word(coords[0]), coords[1:]
	}
	if g == isa.Geometry(isa.Geom1D) {
		q.Coords[1] = 0.5 // the middle of the row, if there is such a dimension
	}
	for i, slot := range coords {
		if q.Integer {
			q.Ints[i] = int32(word(slot))
		} else {
			q.Coords[i] = float(slot)
		}
	}
	for i, slot := range in.Offset {
		q.Offset[i] = int32(word(slot))
	}
	switch {
	case in.DX != nil:
		q.LOD = u.image.Texture.GradientLOD(&u.sampler, q.Coords, floats(in.DX), floats(in.DY))
	case in.LOD != 0 && q.Integer:
		q.LOD = float64(int32(word(in.LOD)))
	case in.LOD != 0:
		q.LOD = float64(float(in.LOD))
	}
}

// readTexels reads texel k of the lanes of m.
func (e *Engine) readTexels(pc int, u *use, k int, m lanes.Mask, more bool) {
	s, t, a := e.sampling, &u.image.Texture, &e.acc
	r := u.image.Region
	a.Mem, a.Base, a.Region, a.Space, a.Size, a.Strided = r.Data, r.Base, r.Number, uint8(r.Space), uint64(t.Format.Bytes()), false
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		a.Off[lane] = uint64(u.image.At + s.footprints[lane].Taps[k].Off)
	}
	if e.watcher != nil {
		e.watch(pc, m)
	}
	e.notifyAccessed(isa.Load, pc, m, more)
	from := a
	if e.defers() && e.journal.Changes(a, m) {
		// What atomics change is not seen before the exchange: reads of textures are not
		// ordered with them.
		if seen, ok := e.journal.View(a, m); ok {
			from = seen
		}
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t.Format.Decode(&s.texels[lane][k], from.Mem[from.At(lane):][:a.Size], t.SRGB)
	}
	if len(e.observers.completion) > 0 {
		e.notifyCompleted()
	}
	if e.effect != nil {
		e.effect.Access = append(e.effect.Access, Moved{e.acc, m})
	}
}

// writeTexel writes the result of a lane.
func (e *Engine) writeTexel(pc, lane int, u *use) {
	op, src, in := &e.fn.Ops[pc], &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	s, t := e.sampling, &u.image.Texture
	var ref texture.Reference
	if in.Compare != 0 {
		ref = texture.Reference{Value: lanes.Reg[float32](e.path.File, in.Compare)[lane], Given: true}
	}
	var v texture.Texel
	if c := src.Mods[isa.Component]; c != 0 {
		v = t.Gathered(&u.sampler, int(c-1), &s.texels[lane], ref)
	} else {
		t.Value(&v, &u.sampler, &s.footprints[lane], &s.texels[lane], ref)
	}
	words := v.Int
	switch src.Types[0] {
	case isa.F32:
		words = v.Words(false)
	case isa.F16:
		words = v.Words(true)
	case isa.F16x2:
		words = v.Words(true)
		words[0], words[1] = words[0]|words[1]<<16, words[2]|words[3]<<16
	}
	for i := range src.Mods.VecLen() {
		lanes.Reg[uint32](e.path.File, op.Vec[i])[lane] = words[i]
	}
	*lanes.Pred(e.path.File, op.D2) |= 1 << lane // all of it is resident
}

// query executes txq, suq and istypep for the lanes of m.
func (e *Engine) query(pc int, m lanes.Mask) error {
	op, src, in := &e.fn.Ops[pc], &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	if in == nil { // istypep
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := firstLane(rest)
			im := e.m.imageAt(lanes.Reg[uint64](e.path.File, op.A)[lane])
			is := lanes.Mask(0)
			if im != nil && im.Type == src.Types[0] {
				is = 1 << lane
			}
			p := lanes.Pred(e.path.File, op.D)
			*p = *p&^(1<<lane) | is
		}
		return nil
	}
	var results [lanes.Width]uint32
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		level := 0
		if in.LOD != 0 {
			level = int(lanes.Reg[uint32](e.path.File, in.LOD)[lane] & 31)
		}
		v, err := e.attribute(src, e.handle(in.Handle, in.Wide, lane), level)
		if err != nil {
			return e.fault(pc, 1<<lane, err)
		}
		results[lane] = v
	}
	lanes.Select(lanes.Reg[uint32](e.path.File, op.D), &results, m)
	return nil
}

// attribute is what an instruction asks of the texture, sampler or surface with a handle.
func (e *Engine) attribute(src *isa.Instr, handle uint64, level int) (uint32, error) {
	want := src.ImageType()
	of := src.Mods[isa.Query]
	if im := e.m.imageAt(handle); im != nil && im.Type == isa.SamplerRef && of >= isa.QueryUnnormalized {
		want = isa.SamplerRef
	}
	im, err := e.found(handle, want)
	if err != nil {
		return 0, err
	}
	t, s := &im.Texture, im.Texture.Sampler
	if want == isa.SamplerRef {
		s = im.Sampler
	}
	yes := func(b bool) uint32 {
		if b {
			return 1
		}
		return 0
	}
	ifMany := func(is bool, n int) uint32 { return yes(is) * uint32(n) }
	size := t.Size(min(level, max(t.Levels, 1)-1))
	switch of {
	case isa.QueryWidth:
		return uint32(size[0]), nil
	case isa.QueryHeight:
		return ifMany(t.Kind != texture.D1, size[1]), nil
	case isa.QueryDepth:
		return ifMany(t.Kind == texture.D3, size[2]), nil
	case isa.QueryChannelType:
		return t.Format.Channel.Number(), nil
	case isa.QueryChannelOrder:
		return t.Format.Order(), nil
	case isa.QueryNormalized:
		return yes(s.Normalized), nil
	case isa.QueryArraySize:
		return ifMany(t.Array, t.Layers), nil
	case isa.QueryLevels:
		return ifMany(t.Levels > 1, t.Levels), nil
	case isa.QuerySamples:
		return uint32(t.Samples), nil
	case isa.QueryUnnormalized:
		return yes(!s.Normalized), nil
	case isa.QueryFilter:
		return yes(s.Linear), nil
	case isa.QueryLayout:
		return 1, nil
	}
	return uint32(s.Address[of-isa.QueryAddress0]), nil
}

// accessSurfaces executes suld, sust or sured.
func (e *Engine) accessSurfaces(pc int, uses []use) error {
	var places [lanes.Width]int64
	var zero lanes.Mask
	for i := range uses {
		outside, at, err := e.findSurface(pc, &uses[i], &places)
		if err != nil {
			return e.fault(pc, at, err)
		}
		zero |= outside
		uses[i].lanes &^= outside
	}
	if zero != 0 && isa.Kind(e.fn.Ops[pc].Kind) == isa.Load {
		e.loadZero(pc, zero)
	}
	last := -1
	for i := range uses {
		if uses[i].lanes != 0 {
			last = i
		}
	}
	for i := range uses {
		if u := &uses[i]; u.lanes != 0 {
			e.moveSurface(pc, u, &places, i < last)
		}
	}
	return nil
}

// findSurface finds where lanes go in a surface. Outside are those that go nowhere, as .zero has it. An error is that of
// the lanes at.
func (e *Engine) findSurface(pc int, u *use, places *[lanes.Width]int64) (outside, at lanes.Mask, err error) {
	src, in := &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	t := &u.image.Texture
	size, unit := e.surfaceBytes(pc, u), int64(1)
	if src.Mods[isa.SurfaceForm] == isa.SurfaceSamples {
		unit = size
	}
	extent := t.Size(0)
	limit := [3]int64{int64(extent[0]) * int64(t.Format.Bytes()), int64(extent[1]), int64(extent[2])}
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		word := func(slot uint32) uint32 { return lanes.Reg[uint32](e.path.File, slot)[lane] }
		coords, layer := in.Coords, int64(0)
		if in.Geometry.Array() {
			layer, coords = int64(word(coords[0])), coords[1:]
		}
		var c [3]int64
		for i, slot := range coords {
			c[i] = int64(int32(word(slot)))
		}
		asked := c
		c[0] *= unit
		inside := layer < int64(t.Layers) && c[0] >= 0 && c[0] <= limit[0]-size
		for i := 1; i < 3; i++ {
			inside = inside && c[i] >= 0 && c[i] < limit[i]
		}
		if !inside {
			switch {
			case src.Mods[isa.Clamp] == isa.ClampTrap || limit[0] < size:
				v := &violation{RuleOutOfBounds, fmt.Sprintf("%s outside of surface %s: %s; it is %s, %d bytes wide",
					isa.Kind(e.fn.Ops[pc].Kind), u.image.Name, placeText(in.Geometry, layer, asked, unit == 1), extentText(t), limit[0]), memory.ErrBounds}
				return 0, 1 << lane, v
			case src.Mods[isa.Clamp] == isa.ClampZero:
				outside |= 1 << lane
				continue
			}
			layer = min(layer, int64(t.Layers-1))
			c[0] = min(max(c[0], 0), limit[0]-size)
			for i := 1; i < 3; i++ {
				c[i] = min(max(c[i], 0), limit[i]-1)
			}
			c[0] -= c[0] % size
		}
		if c[0]%size != 0 {
			v := &violation{RuleMisaligned, fmt.Sprintf("misaligned %s of surface %s: x = %d, which counts bytes, is not a multiple of %d", isa.Kind(e.fn.Ops[pc].Kind), u.image.Name, c[0], size), memory.ErrMisaligned}
			return 0, 1 << lane, v
		}
		places[lane] = u.image.At + t.Offset(0, [3]int{0, int(c[1]), int(c[2] + layer)}, 0) + c[0]
	}
	return outside, 0, nil
}

func extentText(t *texture.Texture) string { return extent(&t.Shape) + " of " + t.Format.String() }

// placeText is a place in a surface as a message shows it.
func placeText(g isa.Geometry, layer int64, c [3]int64, bytes bool) string {
	text := fmt.Sprintf("x = %d", c[0])
	if bytes {
		text += " bytes"
	}
	for i := 1; i < g.Dims(); i++ {
		text += fmt.Sprintf(", %c = %d", 'x'+i, c[i])
	}
	if g.Array() {
		text += fmt.Sprintf(", layer %d", layer)
	}
	return text
}

// The rules of accesses to surfaces, as of those to memory.
var (
	RuleOutOfBounds = Rule(memory.ErrBounds.Error())
	RuleMisaligned  = Rule(memory.ErrMisaligned.Error())
	ruleFreed       = Rule(memory.ErrFreed.Error())
)

// surfaceBytes is how many bytes a lane moves.
func (e *Engine) surfaceBytes(pc int, u *use) int64 {
	src := &e.fn.Src.Code[pc]
	if src.Mods[isa.SurfaceForm] == isa.SurfaceSamples && src.Spec.Kind == isa.Store {
		return int64(u.image.Texture.Format.Bytes())
	}
	return int64(src.Types[0].Bytes() * src.Mods.VecLen())
}

// loadZero has a load give 0 in the lanes of m.
func (e *Engine) loadZero(pc int, m lanes.Mask) {
	op, in := &e.fn.Ops[pc], e.fn.Info[pc].Image
	for i := range in.Results {
		slot := op.D
		if in.Results > 1 {
			slot = op.Vec[i]
		}
		for rest := m; rest != 0; rest &= rest - 1 {
			if in.ResultWide {
				lanes.Reg[uint64](e.path.File, slot)[firstLane(rest)] = 0
			} else {
				lanes.Reg[uint32](e.path.File, slot)[firstLane(rest)] = 0
			}
		}
	}
}

// moveSurface moves the data of lanes that go to one surface.
func (e *Engine) moveSurface(pc int, u *use, places *[lanes.Width]int64, more bool) {
	src, in := &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	t, r, a := &u.image.Texture, u.image.Region, &e.acc
	a.Mem, a.Base, a.Region, a.Space, a.Size, a.Strided = r.Data, r.Base, r.Number, uint8(r.Space), uint64(e.surfaceBytes(pc, u)), false
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		a.Off[lane] = uint64(places[lane])
	}
	switch {
	case src.Mods[isa.SurfaceForm] != isa.SurfaceSamples:
	case src.Spec.Kind == isa.Store:
		e.format(pc, u)
		e.variant = in.StoreOf(t.Format.Bytes())
	case in.Signed != nil && t.Format.Channel.IsSigned():
		e.variant = in.Signed
	}
	e.moveObserved(pc, u.lanes, more)
	e.variant = nil
}

// format converts what lanes store to the format of a surface.
func (e *Engine) format(pc int, u *use) {
	op, n, in := &e.fn.Ops[pc], e.fn.Src.Code[pc].Mods.VecLen(), e.fn.Info[pc].Image
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		var values [4]uint32
		for i := range n {
			slot := op.B
			if n > 1 {
				slot = op.Vec[i]
			}
			values[i] = lanes.Reg[uint32](e.path.File, slot)[lane]
		}
		for i, w := range u.image.Texture.Format.EncodeWords(values) {
			lanes.Reg[uint32](e.path.File, in.Texel[i])[lane] = w
		}
	}
}
