package launch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
)

// imageLine is a directive that describes a texture, surface or sampler.
type imageLine struct {
	name string
	of   texture.Thing
	text *texture.Description
	data *address // the buffer with the texels; nil for a sampler
	at   Origin
}

// imageTypes are the types of handles, and imageDirectives the directives, both indexed by texture.Thing.
var (
	imageTypes      = [...]isa.Type{texture.ATexture: isa.TexRef, texture.ASurface: isa.SurfRef, texture.ASampler: isa.SamplerRef}
	imageDirectives = [...]string{texture.ATexture: "texture", texture.ASurface: "surface", texture.ASampler: "sampler"}
)

// form returns the form of the directive.
func (i *imageLine) form() string {
	if i.of == texture.ASampler {
		return "sampler NAME = " + i.of.Form()
	}
	return imageDirectives[i.of] + " NAME = BUFFER " + i.of.Form()
}

func (l *Layer) addTexture(text string, at Origin) error {
	return l.addImage(texture.ATexture, text, at)
}
func (l *Layer) addSurface(text string, at Origin) error {
	return l.addImage(texture.ASurface, text, at)
}
func (l *Layer) addSampler(text string, at Origin) error {
	return l.addImage(texture.ASampler, text, at)
}

// addImage parses NAME = BUFFER and the words that describe a texture or surface, or those of a sampler.
func (l *Layer) addImage(of texture.Thing, text string, at Origin) error {
	i := imageLine{of: of, text: texture.NewDescription(of), at: at}
	name, rest, restAt, err := assignment(text, at)
	if err != nil {
		return fmt.Errorf("%q: expected %s", text, i.form())
	}
	if i.name = name; !isName(name) {
		return fmt.Errorf("%q cannot name a %s; names are letters, digits, _ and $", name, imageDirectives[of])
	}
	if err := l.once("texture, surface or sampler", name, "", at); err != nil {
		return err
	}
	first := of != texture.ASampler
	for word, wordAt := range words(rest, restAt) {
		if first {
			if i.data, err = parseAddress(word); err != nil {
				return wordAt.errorf("%q cannot be a buffer; expected %s", word, i.form())
			}
			first = false
			continue
		}
		if err := i.text.Set(word); err != nil {
			return wordAt.wrap(err)
		}
	}
	if first {
		return fmt.Errorf("%s: no buffer; expected %s", name, i.form())
	}
	l.images = append(l.images, i)
	return nil
}

// imageNamed returns the texture, surface or sampler of that name, or nil.
func (p *Plan) imageNamed(name string) *imageLine { return p.images[name] }

// setImages records the textures, surfaces and samplers.
func (p *Plan) setImages(lines []imageLine) {
	p.imageList, p.images = lines, make(map[string]*imageLine, len(lines))
	for i := range lines {
		p.images[lines[i].name] = &lines[i]
	}
}

// imageHandle returns the bytes of an argument that is the handle of an image.
func (p *Plan) imageHandle(v *isa.Var, i *imageLine) (image, error) {
	want, ok := opaqueOf(v)
	switch {
	case ok && want != imageTypes[i.of]:
		return image{}, fmt.Errorf("parameter %s is a .%s; %s is a .%s", v.Name, want, i.name, imageTypes[i.of])
	case !ok && (isAggregate(v) || v.Type.Bits() != 64 || v.Type.Class() == isa.Float):
		return image{}, fmt.Errorf("parameter %s is %s; the handle of a texture or surface takes .u64", v.Name, typeText(v))
	}
	return image{data: make([]byte, 8), patches: []patch{{width: 8, target: address{name: i.name}, handle: true}}}, nil
}

// opaqueOf returns the type of handle that a parameter is declared as; false if it is not declared as a handle.
func opaqueOf(v *isa.Var) (isa.Type, bool) {
	switch {
	case v.Type.IsOpaque():
		return v.Type, true
	case v.Ptr != nil && v.Ptr.To != isa.NoType:
		return v.Ptr.To, true
	}
	return 0, false
}

// addImages checks textures, surfaces and samplers, once all buffers are known.
func (p *Plan) addImages() error {
	opaque := make(map[string][]*isa.Var)
	for _, v := range p.mod.Vars {
		if v.Type.IsOpaque() {
			opaque[v.Name] = append(opaque[v.Name], v)
		}
	}
	for k := range p.imageList {
		i := &p.imageList[k]
		if o := p.object(i.name); o != nil && i.data != nil && i.data.name != i.name {
			return i.at.errorf("%s is a buffer; name the %s otherwise", i.name, imageDirectives[i.of])
		}
		for _, v := range opaque[i.name] {
			switch {
			case v.Type != imageTypes[i.of]:
				return i.at.errorf("%s is a .%s of the module; it takes %s", i.name, v.Type, directiveOf(v.Type))
			case i.of == texture.ATexture:
				s := texture.Sampler{Address: i.text.Sampler.Address}
				interp.SetFields(&s, v.Fields)
				i.text.DefaultSampler(s)
			}
		}
		if i.data != nil {
			o, err := p.named(i.data.name)
			if err != nil {
				return i.at.wrap(err)
			}
			if f, err := texture.ParseFormat(o.elem.String()); err == nil {
				i.text.DefaultFormat(f)
			}
			if need := i.text.Bytes(); i.text.Check() == nil && need > o.size-int64(i.data.offset) {
				return i.at.errorf("%s takes %d bytes; %s has %d", i.name, need, i.data.name, max(o.size-int64(i.data.offset), 0))
			}
		}
		if err := i.text.Finish(); err != nil {
			return i.at.wrap(err)
		}
	}
	return p.checkBound()
}

// directiveOf returns the directive that binds variables of an opaque type.
func directiveOf(t isa.Type) string { return imageDirectives[slices.Index(imageTypes[:], t)] }

// checkBound checks that all textures, surfaces and samplers of the module that a kernel uses are bound. Its error
// says how to bind one.
func (p *Plan) checkBound() error {
	free := make(map[string]*isa.Var)
	for _, v := range p.mod.Vars {
		if v.Type.IsOpaque() && p.imageNamed(v.Name) == nil && (v.Type != isa.SamplerRef || len(v.Fields) == 0) {
			free[v.Name] = v
		}
	}
	if len(free) == 0 {
		return nil
	}
	seen := make(map[string]bool)
	for i := range p.Launches {
		if msg := p.firstUnbound(p.kernels.bySymbol[p.Launches[i].Kernel], free, seen); msg != "" {
			return p.Launches[i].at.errorf("%s", msg)
		}
	}
	return nil
}

// firstUnbound returns a message about the first unbound variable that fn, or a function of the module that it may
// call, names; "" if there is none. Functions in seen were searched before and name none.
func (p *Plan) firstUnbound(fn *isa.Func, free map[string]*isa.Var, seen map[string]bool) string {
	if seen[fn.Name] {
		return ""
	}
	seen[fn.Name] = true
	for todo := []*isa.Func{fn}; len(todo) > 0; todo = todo[1:] {
		for pc := range todo[0].Code {
			in := &todo[0].Code[pc]
			for k := range in.Args {
				a := &in.Args[k]
				if in.Call != nil && a.Kind == isa.SymOperand && !seen[a.Sym] {
					seen[a.Sym] = true
					if f := p.mod.Func(a.Sym); f != nil {
						todo = append(todo, f)
					}
				}
				if a.Kind != isa.ImageOperand {
					continue
				}
				for _, elem := range a.Elems {
					if v := free[elem.Sym]; v != nil && elem.Kind == isa.SymOperand {
						return fmt.Sprintf("%s is not bound, but %s in line %d reads or writes it; write //sim:%s", v.Name, in.Mnemonic(), in.Pos.Line, exampleImage(v, in))
					}
				}
			}
		}
	}
	return ""
}

// exampleImage returns a directive that binds a variable in a way that suits an instruction.
func exampleImage(v *isa.Var, in *isa.Instr) string {
	if v.Type == isa.SamplerRef {
		return fmt.Sprintf("sampler %s = filter=linear address=clamp", v.Name)
	}
	format := "f32x1"
	if v.Type == isa.SurfRef || in.Types[0].IsInt() {
		format = "u32x1"
	}
	g := cmp.Or(in.Geometry().String(), "2d")
	extent := map[int]string{1: "64", 2: "64x64", 3: "64x64x64"}[in.Geometry().Dims()]
	if g == "cube" || g == "acube" || extent == "" {
		extent = "64x64"
	}
	if in.Geometry().Array() {
		extent += " layers=4"
	}
	return fmt.Sprintf("%s %s = BUFFER %s %s format=%s", directiveOf(v.Type), v.Name, g, extent, format)
}

// addImages creates the textures, surfaces and samplers of the plan on the machine. Arguments that name them get
// their handles.
func (r *process) addImages() error {
	r.handles = make(map[string]uint64)
	for k := range r.plan.imageList {
		i := &r.plan.imageList[k]
		im := interp.Image{Name: i.name, Type: imageTypes[i.of], Texture: i.text.Texture, Sampler: i.text.Sampler}
		if i.data != nil {
			im.Region, im.At = r.regions[i.data.name], int64(i.data.offset)
		}
		handle, err := r.machine.AddImage(im)
		if err != nil {
			return i.at.wrap(err)
		}
		r.handles[i.name] = handle
	}
	return nil
}
