package debugger

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/texture"
)

// fetcher is a function of CUDA C++ that returns a texel of a texture or an element of a surface.
type fetcher struct {
	name, geometry string
	dims           int // coordinates; the layer of an array, whose geometry begins with an a, follows
	how            fetchKind
}

// fetchKind is what a fetcher takes after the coordinates.
type fetchKind uint8

const (
	plainFetch    fetchKind = iota
	levelFetch              // the level of detail
	gatherFetch             // perhaps the channel; returns that channel of four texels
	integerFetch            // nothing; coordinates are integers
	surfaceLoaded           // perhaps what happens outside; coordinates are integers, x in bytes
)

var fetchers = []fetcher{
	{"tex1D", "1d", 1, plainFetch}, {"tex2D", "2d", 2, plainFetch}, {"tex3D", "3d", 3, plainFetch}, {"texCubemap", "cube", 3, plainFetch},
	{"tex1DLayered", "a1d", 1, plainFetch}, {"tex2DLayered", "a2d", 2, plainFetch}, {"texCubemapLayered", "acube", 3, plainFetch},
	{"tex1DLod", "1d", 1, levelFetch}, {"tex2DLod", "2d", 2, levelFetch}, {"tex3DLod", "3d", 3, levelFetch}, {"texCubemapLod", "cube", 3, levelFetch},
	{"tex1DLayeredLod", "a1d", 1, levelFetch}, {"tex2DLayeredLod", "a2d", 2, levelFetch}, {"texCubemapLayeredLod", "acube", 3, levelFetch},
	{"tex1Dfetch", "1d", 1, integerFetch}, {"tex2Dgather", "2d", 2, gatherFetch},
	{"surf1Dread", "1d", 1, surfaceLoaded}, {"surf2Dread", "2d", 2, surfaceLoaded}, {"surf3Dread", "3d", 3, surfaceLoaded},
	{"surf1DLayeredread", "a1d", 1, surfaceLoaded}, {"surf2DLayeredread", "a2d", 2, surfaceLoaded},
}

// coordinates returns the number of coordinates, with the layer.
func (f *fetcher) coordinates() int {
	if f.geometry[0] == 'a' {
		return f.dims + 1
	}
	return f.dims
}

// fetchExpr is a call of a fetcher: tex2D<float4>(tex, x, y).
type fetchExpr struct {
	*fetcher
	typ  string // in angle brackets; "" without them
	args []expr // the texture or surface, and its coordinates
}

// isFetch reports whether the current token continues the call of a function for textures or surfaces.
func (p *parser) isFetch(word string) bool {
	return slices.ContainsFunc(fetchers, func(f fetcher) bool {
		return p.token == "(" && f.name == word || p.token == "<" && strings.HasPrefix(word, strings.TrimSuffix(f.name, "read")) && strings.Contains(p.text, ">(")
	})
}

// fetchOf parses a fetch; the current token is the one after the name.
func (p *parser) fetchOf(name string) (expr, error) {
	e := &fetchExpr{}
	for i := range fetchers {
		if fetchers[i].name == name {
			e.fetcher = &fetchers[i]
		}
	}
	if e.fetcher == nil {
		return nil, errorf("expressions cannot call %s; there are tex1D to tex3D and texCubemap, with Layered and Lod, tex1Dfetch, tex2Dgather, and surf1Dread to surf3Dread", name)
	}
	if p.token == "<" {
		typ, rest, _ := cutFirst(p.text, ">(")
		e.typ, p.text, p.token = strings.TrimSpace(typ), rest, "("
	}
	call, err := p.callOf(name)
	if err != nil {
		return nil, err
	}
	e.args = call.(*callExpr).args
	n := 1 + e.coordinates()
	switch {
	case e.how == levelFetch:
		n++
	case len(e.args) == n+1 && (e.how == gatherFetch || e.how == surfaceLoaded):
		n++
	}
	if len(e.args) != n {
		return nil, errorf("%s takes %s, not %d", name, plural(uint64(n), "argument"), len(e.args))
	}
	return e, nil
}

// values returns the arguments: first the handle.
func (e *fetchExpr) values(s *scope) (all []value, err error) {
	for i, x := range e.args {
		v, err := s.imageOr(x)
		if err != nil {
			return nil, err
		}
		t := isa.S32
		switch n := e.coordinates(); {
		case i == 0:
			t = isa.U64
		case i <= e.dims && e.how < integerFetch, i > n && e.how == levelFetch:
			t = isa.F32
		}
		if all = append(all, v.converted(t)); e.how == surfaceLoaded && i == e.coordinates() {
			break // places outside have no value, whatever the program does there
		}
	}
	return all, nil
}

// imageOr evaluates an expression; that of a variable of the module that is a texture or a surface is its handle.
func (s *scope) imageOr(e expr) (value, error) {
	if handle, ok := s.image(e); ok {
		return uniform(isa.U64, handle), nil
	}
	return e.eval(s)
}

// image returns the handle of a variable of the module that is a texture or a surface; ok is false for others.
func (s *scope) image(e expr) (handle uint64, ok bool) {
	name, ok := e.(*nameExpr)
	if !ok {
		return 0, false
	}
	symbol := name.name
	if v := s.variable(symbol); v != nil {
		symbol = v.Symbol
	}
	return s.d.program.Machine.ImageHandle(symbol)
}

// query returns the query of a lane, and the channel that it gathers.
func (e *fetchExpr) query(args []value, lane int) (q texture.Query, channel int) {
	q.Integer, q.Gather = e.how == integerFetch, e.how == gatherFetch
	for i := range args[1:] {
		v := &args[1+i]
		bits := uint32(v.bits[lane])
		switch {
		case i >= e.coordinates() && q.Gather:
			channel = int(min(bits, 3))
		case i >= e.coordinates():
			q.LOD = v.float(lane)
		case i >= e.dims:
			q.Layer = bits
		case q.Integer:
			q.Ints[i] = int32(bits)
		default:
			q.Coords[i] = math.Float32frombits(bits)
		}
	}
	return q, channel
}

// lvalue returns what a fetch returns, as an object: a number, or several.
func (e *fetchExpr) lvalue(s *scope) (l lvalue, ok bool, err error) {
	args, err := e.values(s)
	if err != nil {
		return l, true, err
	}
	l.text, l.addr = exprText(e), value{typ: isa.U64, uniform: true}
	for i := range args {
		l.addr.uniform = l.addr.uniform && args[i].uniform
	}
	if e.how == surfaceLoaded {
		err = e.element(s, &l, args)
	} else {
		err = e.texel(s, &l, args)
	}
	return l, true, err
}

// texel sets l to a texel, which lies in no place.
func (e *fetchExpr) texel(s *scope, l *lvalue, args []value) error {
	var channels [4]value
	members, name := 0, e.typ
	for lane := range args[0].bits {
		if s.has()>>lane&1 == 0 {
			continue
		}
		q, channel := e.query(args, lane)
		got, err := s.d.program.Machine.FetchTexel(args[0].bits[lane], e.geometry, &q, channel)
		if err != nil {
			return errorf("%s: %w", e.name, err)
		}
		if members = got.Channels; q.Gather {
			members = 4
		}
		for i := range channels {
			channels[i].typ, channels[i].bits[lane], channels[i].uniform = got.Type, uint64(got.Words[i]), l.addr.uniform
		}
	}
	if members == 0 {
		return errorf("%s is what threads fetch, and no thread is in focus", e.name)
	}
	fetched := arithmetic[channels[0].typ]
	if name == "" {
		if name = fetched.Name; members > 1 {
			name = strings.Replace(name, "unsigned ", "u", 1) + strconv.Itoa(members)
		}
	}
	var elem *debuginfo.Type
	if l.typ, elem = s.vector(name); elem == nil || elem.Size > 4 || (elem.Bare().Kind == debuginfo.Float) != (fetched.Kind == debuginfo.Float) {
		return errorf("%s returns %s here, or 2 or 4 of them, not %s", e.name, fetched, name)
	}
	scalar, _ := scalarType(elem)
	for i := range max(1, len(l.typ.Fields)) {
		held := channels[i].converted(scalar)
		held.cxx, held.void = elem, ^s.has()
		l.pieces = append(l.pieces, piece{size: elem.Size, known: true, in: lvalue{held: &held}})
	}
	return nil
}

// element sets l to an element of a surface, which lies in memory.
func (e *fetchExpr) element(s *scope, l *lvalue, args []value) (err error) {
	if l.typ, _ = s.vector(e.typ); l.typ == nil {
		if l.typ, err = s.typeNamed(e.typ); err != nil {
			return err
		}
	}
	l.inMemory, l.space = true, "global"
	for lane := range l.addr.bits {
		if s.has()>>lane&1 == 0 {
			continue
		}
		var at [3]int64
		for i := range args[1:] {
			at[i] = args[1+i].signed(lane)
		}
		addr, inside, err := s.d.program.Machine.SurfaceAddr(args[0].bits[lane], e.geometry, at, l.typ.Size)
		if err != nil {
			return errorf("%s: %w", e.name, err)
		}
		if l.addr.bits[lane] = addr; !inside {
			l.addr.void |= 1 << lane
		}
	}
	if here := s.has(); l.addr.void&here == here {
		return errorf("%s is outside of the surface, or x, which counts bytes, is not a multiple of %d", l.text, l.typ.Size)
	}
	if at, same := s.agreed(&l.addr); same || l.addr.uniform {
		if l.addr.uniform {
			at = l.addr.bits[firstLane(s.has())]
		}
		l.addr = uniform(isa.U64, at)
	}
	return nil
}

// vector returns a scalar type, or a vector type of CUDA such as float4, and the type of its elements; nil for others.
func (s *scope) vector(name string) (t, elem *debuginfo.Type) {
	n := len(name) - 1
	if n > 0 && strings.IndexByte("1234", name[n]) >= 0 {
		base := name[:n]
		if unsigned, ok := strings.CutPrefix(base, "u"); ok {
			base = "unsigned " + unsigned
		}
		if elem, _ = s.vector(base); elem != nil {
			return vectorOf(name, elem, int(name[n]-'0')), elem
		}
	}
	if t, err := s.typeNamed(name); err == nil && t.IsScalar() && t.Bare().Kind != debuginfo.Pointer {
		return t, t
	}
	return nil, nil
}

// vectorOf returns a vector type with the members x, y, z and w.
func vectorOf(name string, elem *debuginfo.Type, members int) *debuginfo.Type {
	t := &debuginfo.Type{Kind: debuginfo.Struct, Word: "struct", Name: name, Size: int64(members) * elem.Size}
	for i := range members {
		t.Fields = append(t.Fields, debuginfo.Field{Name: "xyzw"[i : i+1], Type: elem, Offset: int64(i) * elem.Size})
	}
	return t
}

// eval returns a texel or an element that is a number.
func (e *fetchExpr) eval(s *scope) (value, error) {
	l, _, err := e.lvalue(s)
	if err != nil {
		return value{}, err
	}
	return s.value(l)
}
