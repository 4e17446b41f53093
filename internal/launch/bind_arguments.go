package launch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/tensor"
)

// bind builds the kernel's parameter block from the arguments of f, a launch with that many threads.
func (p *Plan) bind(fn *isa.Func, f *form, threads int64) (image, error) {
	args, err := assignArgs(fn, f)
	if err != nil {
		return image{}, err
	}
	for i, v := range fn.Params {
		// bound like a variable of the module
		if _, ok := opaqueOf(v); ok && args[i] == nil && p.imageNamed(v.Shown()) != nil {
			args[i] = &argument{param: v.Name, value: value{address: &address{name: v.Shown()}}, at: p.imageNamed(v.Shown()).at}
		}
	}
	for i, v := range fn.Params {
		if m := p.tensorMapNamed(&address{name: v.Shown()}); m != nil && args[i] == nil && v.Size() == tensor.Bytes {
			args[i] = &argument{param: v.Name, value: value{address: &address{name: v.Shown()}}, at: m.at}
		}
	}
	if slices.Contains(args, nil) {
		return image{}, f.at.errorf("%s", p.noArgument(fn, f, args, threads))
	}
	offsets, size := fn.ParamLayout()
	if most := p.mod.MaxParams(); size > most {
		return image{}, f.at.errorf("%s has %d bytes of parameters, at most %d", cxx.Short(fn.Name), size, most)
	}
	block := image{data: make([]byte, size)}
	for i, a := range args {
		param := fn.Params[i]
		im, err := p.paramImage(param, a)
		if err != nil {
			return image{}, a.at.wrap(err)
		}
		copy(block.data[offsets[i]:], im.data)
		p.bound = append(p.bound, boundTo(fn, i, a, &im))
		for _, at := range im.patches {
			at.at += offsets[i]
			block.patches = append(block.patches, at)
		}
	}
	return block, nil
}

// assignArgs returns the argument of each parameter; nil for a parameter without one.
func assignArgs(fn *isa.Func, f *form) ([]*argument, error) {
	args := make([]*argument, len(fn.Params))
	index := paramIndex(fn)
	for i := range f.args {
		a := &f.args[i]
		n, ok := index[a.param]
		switch {
		case !ok && a.ifFits:
			continue
		case !ok:
			if f.at.Pos.IsValid() { // a launch line, where the position says which parameter is meant
				return nil, a.at.errorf("%s", surplusArguments(fn, len(f.args)))
			}
			return nil, a.at.errorf("%s", noParameter(fn, a.param))
		}
		if args[n] != nil && args[n].layer == a.layer {
			return nil, a.at.errorf("parameter %s is given before, at %s", fn.Params[n].Shown(), args[n].at)
		}
		args[n] = a
	}
	return args, nil
}

// paramIndex returns the indices of fn's parameters by name and by number. A text that stands for several parameters
// has the index of the first.
func paramIndex(fn *isa.Func) map[string]int {
	index := make(map[string]int, 2*len(fn.Params))
	for i, v := range fn.Params {
		for _, text := range [...]string{v.Name, v.Source(), strconv.Itoa(i)} {
			if _, ok := index[text]; !ok {
				index[text] = i
			}
		}
	}
	return index
}

// noParameter returns a message about a name or number that no parameter of fn has.
func noParameter(fn *isa.Func, param string) string {
	var names []string
	for _, v := range fn.Params {
		names = append(names, v.Shown())
	}
	return fmt.Sprintf("kernel %s has no parameter %s%s%s", cxx.Short(fn.Name), param, describeParams(fn), isa.DidYouMean(param, names))
}

// surplusArguments returns a message about a launch line with values for more parameters than fn has.
func surplusArguments(fn *isa.Func, values int) string {
	return fmt.Sprintf("too many arguments, %d, for kernel %s%s", values, cxx.Short(fn.Name), describeParams(fn))
}

// describeParams returns the end of a message about the parameters of fn: each with its number, type and name.
func describeParams(fn *isa.Func) string {
	var all []string
	for i, v := range fn.Params {
		space := " "
		if t := typeText(v); strings.HasSuffix(t, "*") || strings.HasSuffix(t, "&") {
			space = ""
		}
		all = append(all, fmt.Sprintf("%d: %s%s%s", i, typeText(v), space, v.Shown()))
	}
	switch len(all) {
	case 0:
		return "; it has none"
	case 1:
		return "; its only parameter is " + all[0]
	}
	return "; its parameters are " + strings.Join(all, ", ")
}

// typeText returns a variable's type for messages.
func typeText(v *isa.Var) string {
	if t := v.SourceType(); t != "" {
		return t
	}
	text := "." + v.Type.String()
	if v.Vec > 1 {
		text = fmt.Sprintf(".v%d %s", v.Vec, text)
	}
	if v.Array {
		text += fmt.Sprintf("[%d]", v.Count)
	}
	return text
}

// isAggregate reports whether v is more than one scalar, or has a type without numbers.
func isAggregate(v *isa.Var) bool { return v.Array || v.Vec > 1 || ElemOf(v.Type) == 0 }

// paramImage returns the bytes of one argument.
func (p *Plan) paramImage(v *isa.Var, a *argument) (image, error) {
	if name := a.value.address; name != nil && name.offset == 0 {
		if i := p.imageNamed(name.name); i != nil && (v.Type.IsOpaque() || p.object(name.name) == nil) {
			return p.imageHandle(v, i)
		}
	}
	if m := p.tensorMapNamed(a.value.address); m != nil {
		if err := m.fits(v); err != nil {
			return image{}, err
		}
		return m.image(p)
	}
	if t, ok := opaqueOf(v); ok {
		return image{}, fmt.Errorf("parameter %s is a .%s; it takes the name of a %s directive", v.Shown(), t, directiveOf(t))
	}
	switch {
	case a.value.bytes != nil:
		im, err := p.rawImage(&a.value)
		if err == nil {
			err = fitsExactly(v, int64(len(im.data)))
		}
		return im, err
	case a.value.file != nil:
		return p.fileImage(v, a.value.file)
	case isAggregate(v):
		msg := fmt.Sprintf("parameter %s is %s; it takes its %d bytes as hex:… or bytes:@FILE", v.Shown(), typeText(v), v.Size())
		if v.Size() == tensor.Bytes {
			msg += ", or the name of a tensormap"
		}
		return image{}, errors.New(msg)
	case a.value.content != nil:
		if err := p.canPoint(v); err != nil {
			return image{}, err
		}
		o, err := p.addBuffer(p.freeName(v.Shown()), a.value.content, a.at)
		if err != nil {
			return image{}, err
		}
		return p.addressImage(&address{name: o.name})
	}
	return p.scalarImage(v, &a.value)
}

// fileImage returns the bytes of bytes:@FILE. It reads the file only if its size is right.
func (p *Plan) fileImage(v *isa.Var, f *file) (image, error) {
	if err := f.measure(p.Config.Budget); err != nil {
		return image{}, err
	}
	if err := fitsExactly(v, f.size); err != nil {
		return image{}, err
	}
	im := image{data: make([]byte, f.size)}
	return im, f.read(im.data)
}

func fitsExactly(v *isa.Var, size int64) error {
	if size != v.Size() {
		return fmt.Errorf("%d bytes; parameter %s, %s, has %d", size, v.Shown(), typeText(v), v.Size())
	}
	return nil
}

// scalarImage returns a number, or the address of a buffer, in the type of v.
func (p *Plan) scalarImage(v *isa.Var, val *value) (image, error) {
	if val.address != nil {
		if err := p.canPoint(v); err != nil {
			return image{}, err
		}
		return p.addressImage(val.address)
	}
	e := ElemOf(v.Type)
	n, err := e.parse(val.number, true)
	if err != nil {
		return image{}, fmt.Errorf("%s: %w", v.Shown(), err)
	}
	if v.Ptr != nil && n.bits != 0 {
		return image{}, fmt.Errorf("%s is a pointer (.ptr); it takes a buffer, or 0", v.Shown())
	}
	im := image{data: make([]byte, e.Bytes())}
	e.store(im.data, n.bits)
	return im, nil
}

// canPoint reports whether v has the size and type of an address.
func (p *Plan) canPoint(v *isa.Var) error {
	t, bits := v.Type, p.mod.AddressSize
	if t.Bits() == bits && (t.IsInt() || t.Class() == isa.Untyped) {
		return nil
	}
	return fmt.Errorf("%s is %s, which takes a number; the address of a buffer needs a pointer, or .u%d", v.Shown(), typeText(v), bits)
}

// addressImage returns the bytes of a single address.
func (p *Plan) addressImage(a *address) (image, error) {
	if err := p.checkAddress(a); err != nil {
		return image{}, err
	}
	width := p.mod.AddressSize / 8
	return image{data: make([]byte, width), patches: []patch{{width: width, target: *a}}}, nil
}

func (p *Plan) checkAddress(a *address) error {
	o, err := p.named(a.name)
	switch {
	case err != nil:
		return err
	case o.symbol != nil && o.symbol.Space != isa.Global:
		return fmt.Errorf("%s is in .%s space; only .global variables have an address to pass", a.name, o.symbol.Space)
	case a.offset > uint64(o.size):
		return fmt.Errorf("%s+%d is past the %d bytes of %s", a.name, a.offset, o.size, a.name)
	}
	return nil
}

// rawImage returns the bytes of hex:….
func (p *Plan) rawImage(val *value) (image, error) {
	im := image{data: val.bytes}
	for _, at := range val.patches {
		if err := p.checkAddress(&at.target); err != nil {
			return image{}, err
		}
		at.width = p.mod.AddressSize / 8
		if at.at+int64(at.width) > int64(len(im.data)) {
			return image{}, fmt.Errorf("an address at byte %d is past the %d bytes", at.at, len(im.data))
		}
		im.patches = append(im.patches, at)
	}
	return im, nil
}

// freeName returns name, or name.2 and so on if a buffer has that name already.
func (p *Plan) freeName(name string) string {
	free := name
	for p.object(free) != nil {
		p.copies[name]++ // a taken name never becomes free
		free = fmt.Sprintf("%s.%d", name, p.copies[name]+1)
	}
	return free
}

// symbolImage returns the value of a variable. It may be shorter than the variable; the rest is unchanged.
func (p *Plan) symbolImage(o *object, val *value) (im image, err error) {
	switch {
	case val.bytes != nil:
		im, err = p.rawImage(val)
	case val.file != nil:
		im.content = &content{file: val.file}
	case val.content != nil && val.content.unwritten:
		err = fmt.Errorf("%s is a variable of the module, which always has contents; uninit is for buffers", o.name)
	case val.content != nil:
		im.content = val.content
	case p.tensorMapNamed(val.address) != nil:
		m := p.tensorMapNamed(val.address)
		if err = m.fits(o.symbol); err == nil {
			im, err = m.image(p)
		}
	case isAggregate(o.symbol):
		err = fmt.Errorf("%s is %s; it takes an INIT such as list:u32:1,2 or hex:…", o.name, typeText(o.symbol))
	default:
		im, err = p.scalarImage(o.symbol, val)
	}
	size := int64(len(im.data))
	if im.content != nil {
		err = im.content.measure(p.Config.Budget)
		size = im.content.size()
	}
	if err == nil && size > o.size {
		err = o.tooLong(size)
	}
	im.object = o
	return im, err
}

func (o *object) tooLong(bytes int64) error {
	return fmt.Errorf("%d bytes; %s has %d", bytes, o.name, o.size)
}
