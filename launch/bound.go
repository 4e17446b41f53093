package launch

import (
	"fmt"
	"strconv"

	"github.com/simtrun/simtrun/isa"
)

// bound is a parameter of a launch, and the buffer or variable whose address it got; "" if it got something else.
type bound struct {
	kernel, param string
	index         int
	buffer        string
	at            Origin // of the argument
}

// boundTo is what parameter i of fn got by an argument, of which im is the bytes.
func boundTo(fn *isa.Func, i int, a *argument, im *image) bound {
	b := bound{kernel: fn.Name, param: fn.Params[i].Name, index: i, at: a.at}
	if len(im.patches) == 1 && !isAggregate(fn.Params[i]) {
		b.buffer = im.patches[0].target.name
	}
	return b
}

// meant is the buffer or variable that a dump, save or expectation means: by its name, or by the name or number of the
// parameter that has its address.
func (p *Plan) meant(name string) (*object, error) {
	if o := p.object(name); o != nil {
		return o, nil
	}
	var buffers []string
	for i := range p.bound {
		b := &p.bound[i]
		switch {
		case b.param != name && strconv.Itoa(b.index) != name:
			continue
		case b.buffer == "":
			return nil, fmt.Errorf("parameter %s of %s has no buffer; its argument is not the address of one: %s", b.param, b.kernel, b.at)
		}
		buffers = append(buffers, b.buffer)
	}
	for _, other := range buffers {
		if other != buffers[0] {
			return nil, fmt.Errorf("parameter %s is %s in one launch and %s in another; name one of them", name, buffers[0], other)
		}
	}
	if buffers != nil {
		return p.named(buffers[0])
	}
	if isNumber(name) {
		return nil, fmt.Errorf("no parameter %s in %s", name, describeParams(p.mod.Entry(p.Launches[0].Kernel)))
	}
	return p.named(name)
}
