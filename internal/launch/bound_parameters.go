package launch

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// bound is a parameter of a launch with the name of the buffer or variable that its argument points to; "" if the
// argument is not an address.
type bound struct {
	kernel, param string
	called        string // name of the parameter in the source; "" if it is not known
	index         int
	buffer        string
	at            Origin // of the argument
}

// boundTo returns the buffer or variable of parameter i of fn; im is the bytes of its argument a.
func boundTo(fn *isa.Func, i int, a *argument, im *image) bound {
	b := bound{kernel: fn.Name, param: fn.Params[i].Name, called: fn.Params[i].Source(), index: i, at: a.at}
	if len(im.patches) == 1 && !isAggregate(fn.Params[i]) {
		b.buffer = im.patches[0].target.name
	}
	return b
}

// meaning is the buffer that the name or number of a parameter stands for, over all launches.
type meaning struct {
	buffer string // in the first launch
	other  string // a different buffer in another launch; "" if there is none
	none   *bound // the first parameter without a buffer; nil if all have one
}

// add adds the parameter of another launch.
func (m *meaning) add(b *bound) {
	switch {
	case b.buffer == "" && m.none == nil:
		m.none = b
	case b.buffer == "", b.buffer == m.buffer:
	case m.buffer == "":
		m.buffer = b.buffer
	case m.other == "":
		m.other = b.buffer
	}
}

// parameter returns the meaning of a parameter's name or number; nil if no launch has such a parameter.
func (p *Plan) parameter(name string) *meaning {
	if p.meanings == nil {
		p.meanings = make(map[string]*meaning)
		for i := range p.bound {
			b := &p.bound[i]
			p.meaning(b.param).add(b)
			if b.called != "" && b.called != b.param {
				p.meaning(b.called).add(b)
			}
			p.meaning(strconv.Itoa(b.index)).add(b)
		}
	}
	return p.meanings[name]
}

func (p *Plan) meaning(name string) *meaning {
	if p.meanings[name] == nil {
		p.meanings[name] = new(meaning)
	}
	return p.meanings[name]
}

// isMeant reports whether meant finds an object.
func (p *Plan) isMeant(name string) bool {
	m := p.parameter(name)
	return p.object(name) != nil || m != nil && m.none == nil && m.other == "" && p.object(m.buffer) != nil
}

// meant returns the buffer or variable that a dump, save or expectation names, by its own name or by the name or number
// of the parameter that has its address.
func (p *Plan) meant(name string) (*object, error) {
	m := p.parameter(name)
	switch o := p.object(name); {
	case o != nil:
		return o, nil
	case m == nil && isNumber(name):
		return nil, errors.New(noParameter(p.kernels.bySymbol[p.Launches[0].Kernel], name))
	case m == nil:
		return p.named(name)
	case m.none != nil:
		b := m.none
		return nil, fmt.Errorf("parameter %s of %s has no buffer; its argument is not the address of one: %s", cmp.Or(b.called, b.param), cxx.Short(b.kernel), b.at)
	case m.other != "":
		return nil, fmt.Errorf("parameter %s is %s in one launch and %s in another; name one of them", name, m.buffer, m.other)
	}
	return p.named(m.buffer)
}
