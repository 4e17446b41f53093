// Package launch says what is to be run: it reads run headers, run scripts and
// the directives among the command's flags, binds arguments to the parameters
// of kernels, makes buffers, runs the launches in order, and dumps and checks
// what they leave in memory.
//
// Directives are read into layers: the header's, the script's, the command
// line's. NewPlan lays them over each other, the later over the earlier, and
// checks everything that can be checked before anything runs.
package launch

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
)

// Plan is one run: buffers, launches, and what to show and check afterwards.
type Plan struct {
	Launches []Launch // at least one
	Config   interp.Config

	mod     *isa.Module
	objects []*object // in order of allocation
	bytes   int64     // of all buffers
	symbols []image
	dumps   []dump
	saves   []save
	expects []expectation
}

// BlockFrom says why a launch has its block size.
type BlockFrom uint8

const (
	BlockGiven   BlockFrom = iota // by a directive or flag
	BlockReqNTID                  // by the kernel's .reqntid
	BlockDefault                  // one warp, as nothing was said
)

// defaultBlock is the block of a kernel about which nothing is said.
var defaultBlock = isa.Dim{X: 32, Y: 1, Z: 1}

// Launch is one kernel launch.
type Launch struct {
	Kernel      string
	Grid, Block isa.Dim
	BlockFrom   BlockFrom
	Shared      int64 // bytes of dynamic shared memory

	at     Origin
	params image
}

// object is a buffer, or a variable of the module, that directives can name.
type object struct {
	name    string
	size    int64 // bytes
	elem    Elem
	content *content // a buffer's
	symbol  *isa.Var // nil for a buffer
	at      Origin
}

// count is the number of whole elements of type e.
func (o *object) count(e Elem) int64 { return o.size / int64(e.Bytes()) }

// image is the bytes of a parameter block, or of a variable, with the places
// where addresses go.
type image struct {
	object  *object // the variable; nil for a parameter block
	data    []byte
	patches []patch
}

type dump struct {
	object *object
	elem   Elem
	count  int64
}

type save struct {
	object *object
	path   string
}

// NewPlan lays the layers over each other, the later over the earlier, and
// fits them to the module. It reads the files that they name. The error is an
// *Error.
func NewPlan(mod *isa.Module, layers ...*Layer) (*Plan, error) {
	p := &Plan{mod: mod}
	m, err := merge(layers)
	if err != nil {
		return nil, err
	}
	p.Config = interp.Config{MaxSteps: m.maxSteps.value, PathOrder: m.pathOrder.value}
	if err := p.addObjects(m.buffers); err != nil {
		return nil, err
	}
	for i := range m.launches {
		if err := p.addLaunch(&m.launches[i]); err != nil {
			return nil, err
		}
	}
	if err := p.addSymbols(m.symbols); err != nil {
		return nil, err
	}
	return p, p.addChecks(m)
}

// merge is the layer that all of them make together. Its launches hold the
// short form too.
func merge(layers []*Layer) (*Layer, error) {
	m := &Layer{launches: make([]form, 1)}
	for i, l := range layers {
		if err := m.mergeLaunches(l, i); err != nil {
			return nil, err
		}
		for _, b := range l.buffers {
			m.buffers = replace(m.buffers, b, func(o buffer) bool { return o.name == b.name })
		}
		for _, s := range l.symbols {
			m.symbols = replace(m.symbols, s, func(o symbol) bool { return o.name == s.name })
		}
		for _, d := range l.dumps {
			m.dumps = slices.DeleteFunc(m.dumps, func(o dumpLine) bool { return o.name == d.name })
		}
		m.dumps = append(m.dumps, l.dumps...)
		m.saves = append(m.saves, l.saves...)
		m.expects = append(m.expects, l.expects...)
		m.maxSteps.override(l.maxSteps)
		m.pathOrder.override(l.pathOrder)
	}
	return m, nil
}

// replace puts item in the place of the one that is the same, or at the end.
func replace[T any](items []T, item T, same func(T) bool) []T {
	if i := slices.IndexFunc(items, same); i >= 0 {
		items[i] = item
		return items
	}
	return append(items, item)
}

// mergeLaunches lays the launches of l, the i-th layer, over those before. The
// launch lines of a layer replace all that was said; so does a kernel named
// after several launches. Other words of the short form speak of the one
// launch there is.
func (m *Layer) mergeLaunches(l *Layer, i int) error {
	if len(l.launches) > 0 {
		if !l.short.empty() {
			return l.launches[0].at.errorf("launch lines stand alone: kernel, grid, block, shared and arg describe a single launch")
		}
		m.launches = slices.Clone(l.launches)
		for j := range m.launches {
			m.launches[j].args = slices.Clone(m.launches[j].args)
		}
		return nil
	}
	if l.short.empty() {
		return nil
	}
	if len(m.launches) > 1 {
		if !l.short.kernel.given {
			return l.short.place().errorf("there are %d launches; name a kernel to launch it alone, or change them in a script", len(m.launches))
		}
		m.launches = make([]form, 1)
	}
	f := &m.launches[0]
	if l.short.kernel.given && l.short.kernel.value != f.kernel.value {
		m.speakOfAnotherKernel()
	}
	f.kernel.override(l.short.kernel)
	f.grid.override(l.short.grid)
	f.block.override(l.short.block)
	f.shared.override(l.short.shared)
	for _, a := range l.short.args {
		a.layer = i
		f.args = append(f.args, a)
	}
	return nil
}

// speakOfAnotherKernel marks what was said so far as meant for another kernel
// than the one that is launched: it holds as far as it fits.
func (m *Layer) speakOfAnotherKernel() {
	for i := range m.launches[0].args {
		m.launches[0].args[i].ifFits = true
	}
	for i := range m.dumps {
		m.dumps[i].ifFits = true
	}
	for i := range m.expects {
		m.expects[i].ifFits = true
	}
}

// place is where the first of f's words stands.
func (f *form) place() Origin {
	switch {
	case f.grid.given:
		return f.grid.at
	case f.block.given:
		return f.block.at
	case f.shared.given:
		return f.shared.at
	case len(f.args) > 0:
		return f.args[0].at
	}
	return f.at
}

func (p *Plan) addObjects(buffers []buffer) error {
	for _, v := range p.mod.Vars {
		if (v.Space == isa.Global || v.Space == isa.Const) && v.Linkage != isa.Extern {
			p.objects = append(p.objects, &object{name: v.Name, size: v.Size(), elem: orU32(elemOf(v.Type)), symbol: v})
		}
	}
	for _, b := range buffers {
		if o := p.object(b.name); o != nil {
			return b.at.errorf("%s is a variable of the module; set it with symbol, or name the buffer otherwise", b.name)
		}
		if _, err := p.addBuffer(b.name, b.content, b.at); err != nil {
			return err
		}
	}
	return nil
}

// orU32 is e, or the type in which memory shows that has none.
func orU32(e Elem) Elem {
	if e == 0 {
		return U32
	}
	return e
}

func (p *Plan) addBuffer(name string, c *content, at Origin) (*object, error) {
	if err := c.load(); err != nil {
		return nil, at.wrap(err)
	}
	if p.bytes += c.size(); p.bytes > maxTotalBytes {
		return nil, at.errorf("the buffers have %d bytes with this one; they have at most %d together", p.bytes, int64(maxTotalBytes))
	}
	o := &object{name: name, size: c.size(), elem: orU32(c.elem), content: c, at: at}
	p.objects = append(p.objects, o)
	return o, nil
}

// object is the buffer or variable of that name, or nil.
func (p *Plan) object(name string) *object {
	i := slices.IndexFunc(p.objects, func(o *object) bool { return o.name == name })
	if i < 0 {
		return nil
	}
	return p.objects[i]
}

// named is object, with an error that says what there is.
func (p *Plan) named(name string) (*object, error) {
	if o := p.object(name); o != nil {
		return o, nil
	}
	var names []string
	for _, o := range p.objects {
		names = append(names, o.name)
	}
	return nil, fmt.Errorf("no buffer %s; %s", name, instead(name, names))
}

func (p *Plan) addLaunch(f *form) error {
	fn, err := p.kernel(f)
	if err != nil {
		return err
	}
	l := Launch{Kernel: fn.Name, Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Shared: f.shared.value, at: f.at}
	if f.grid.given {
		l.Grid = f.grid.value
	}
	switch {
	case f.block.given:
		l.Block = f.block.value
	case fn.ReqNTID != isa.Dim{}:
		l.Block, l.BlockFrom = fn.ReqNTID, BlockReqNTID
	default:
		l.Block, l.BlockFrom = defaultBlock, BlockDefault
	}
	if l.params, err = p.bind(fn, f); err != nil {
		return err
	}
	p.Launches = append(p.Launches, l)
	return nil
}

// kernel is the kernel that f launches: the first unless it names one.
func (p *Plan) kernel(f *form) (*isa.Func, error) {
	entries := p.mod.Entries()
	if len(entries) == 0 {
		return nil, f.at.errorf("%s has no kernel: no .entry", p.mod.Name)
	}
	if !f.kernel.given {
		return entries[0], nil
	}
	name := f.kernel.value
	if fn := p.mod.Entry(name); fn != nil {
		return fn, nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return nil, f.kernel.at.errorf("no kernel %q in %s; %s", name, p.mod.Name, instead(name, names))
}

func (p *Plan) addSymbols(symbols []symbol) error {
	for _, s := range symbols {
		o := p.object(s.name)
		if o == nil || o.symbol == nil {
			return s.at.errorf("%s", p.noSymbol(s.name))
		}
		im, err := p.symbolImage(o, &s.value)
		if err != nil {
			return s.at.wrap(err)
		}
		p.symbols = append(p.symbols, im)
	}
	return nil
}

func (p *Plan) noSymbol(name string) string {
	var names []string
	for _, o := range p.objects {
		if o.symbol != nil {
			names = append(names, o.name)
		}
	}
	return fmt.Sprintf("no .global or .const variable %s in the module; %s", name, instead(name, names))
}

// addChecks resolves the dumps, saves and expectations.
func (p *Plan) addChecks(l *Layer) error {
	for _, line := range l.dumps {
		if line.ifFits && p.object(line.name) == nil {
			continue
		}
		d, err := p.dump(&line)
		if err != nil {
			return line.at.wrap(err)
		}
		p.dumps = append(p.dumps, d)
	}
	for _, line := range l.saves {
		o, err := p.named(line.name)
		if err != nil {
			return line.at.wrap(err)
		}
		p.saves = append(p.saves, save{o, line.path})
	}
	for _, line := range l.expects {
		if line.ifFits && p.object(line.name) == nil {
			continue
		}
		e, err := p.expectation(&line)
		if err != nil {
			return line.at.wrap(err)
		}
		p.expects = append(p.expects, e)
	}
	return nil
}

func (p *Plan) dump(line *dumpLine) (dump, error) {
	o, err := p.named(line.name)
	if err != nil {
		return dump{}, err
	}
	d := dump{object: o, elem: line.elem, count: line.count}
	if d.elem == 0 {
		d.elem = o.elem
	}
	switch has := o.count(d.elem); {
	case d.count < 0:
		d.count = has
	case d.count > has:
		return dump{}, o.tooSmall(d.count, d.elem)
	}
	return d, nil
}

func (o *object) tooSmall(elements int64, e Elem) error {
	return fmt.Errorf("%s has %d bytes, %d elements of %s, not %d", o.name, o.size, o.count(e), e, elements)
}

func (p *Plan) expectation(line *expectLine) (expectation, error) {
	o, err := p.named(line.name)
	if err != nil {
		return expectation{}, err
	}
	e := expectation{text: line.text, at: line.at, object: o, elem: line.elem, first: line.first, within: line.within}
	if e.elem == 0 && line.content != nil {
		e.elem = line.content.elem
	}
	if e.elem == 0 {
		e.elem = o.elem
	}
	end := line.end
	if end < 0 {
		end = o.count(e.elem)
	}
	if e.count = end - e.first; end > o.count(e.elem) || e.count < 1 {
		return e, o.tooSmall(max(end, e.first+1), e.elem)
	}
	if line.within.ulp > 0 && !e.elem.IsFloat() {
		return e, fmt.Errorf("ulp= is for floating-point elements, not %s", e.elem)
	}
	if line.content != nil {
		return e, e.wantContent(line)
	}
	return e, e.wantValues(line.values)
}

// wantContent takes the wanted elements from an INIT. A file must hold exactly
// as many bytes as are compared.
func (e *expectation) wantContent(line *expectLine) error {
	c := line.content
	if err := c.load(); err != nil {
		return err
	}
	size := e.count * int64(e.elem.Bytes())
	if line.whole {
		size = e.object.size
	}
	if c.size() != size {
		return fmt.Errorf("%d bytes of %s are compared with %d", size, e.object.name, c.size())
	}
	at, elem := c.at, e.elem
	if c.elem != elem || at == nil {
		mem := make([]byte, c.size())
		c.fill(mem)
		at = func(i int64) uint64 { return elem.load(mem[i*int64(elem.Bytes()):]) }
	}
	e.want = func(i int64) literal { return literal{bits: at(i)} }
	return nil
}

// wantValues takes the wanted elements from the line: one each, or one for
// all.
func (e *expectation) wantValues(texts []string) error {
	if len(texts) != 1 && int64(len(texts)) != e.count {
		return fmt.Errorf("%d values for %d elements; give one each, or one for all", len(texts), e.count)
	}
	want := make([]literal, len(texts))
	for i, text := range texts {
		v, err := e.elem.parse(text, false)
		if err != nil {
			return err
		}
		want[i] = v
	}
	e.want = func(i int64) literal { return want[min(i, int64(len(want))-1)] }
	return nil
}
