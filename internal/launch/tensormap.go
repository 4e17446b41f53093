package launch

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/tensor"
)

// tensorMap is a directive that describes a tensor map.
type tensorMap struct {
	name string
	text tensor.Description
	data *address // the buffer with the tensor
	at   Origin
}

// tensorMapForm is the form of the directive.
const tensorMapForm = "tensormap NAME = BUFFER[+BYTES] " + tensor.Form

// addTensorMap parses NAME = BUFFER and the words that describe a tensor map.
func (l *Layer) addTensorMap(text string, at Origin) error {
	name, rest, restAt, err := assignment(text, at)
	if err != nil {
		return fmt.Errorf("%q: expected %s", text, tensorMapForm)
	}
	if !isName(name) {
		return fmt.Errorf("%q cannot name a tensor map; names are letters, digits, _ and $", name)
	}
	if err := l.once("tensormap", name, "", at); err != nil {
		return err
	}
	m := tensorMap{name: name, at: at}
	for word, wordAt := range words(rest, restAt) {
		if m.data == nil {
			if m.data, err = parseAddress(word); err != nil {
				return wordAt.errorf("%q cannot be a buffer; expected %s", word, tensorMapForm)
			}
			continue
		}
		if err := m.text.Set(word); err != nil {
			return wordAt.wrap(err)
		}
	}
	if m.data == nil {
		return fmt.Errorf("%s: no buffer; expected %s", name, tensorMapForm)
	}
	l.tensorMaps = append(l.tensorMaps, m)
	return nil
}

// tensorMapNamed returns the tensor map of that name, or nil.
func (p *Plan) tensorMapNamed(a *address) *tensorMap {
	if a == nil || a.offset != 0 {
		return nil
	}
	return p.maps[a.name]
}

// setTensorMaps records the tensor maps, and checks their names.
func (p *Plan) setTensorMaps(lines []tensorMap) error {
	p.maps = make(map[string]*tensorMap, len(lines))
	for i := range lines {
		m := &lines[i]
		if p.object(m.name) != nil {
			return m.at.errorf("%s is a buffer or a variable of the module; name the tensor map otherwise", m.name)
		}
		p.maps[m.name] = m
	}
	return nil
}

// image returns the bytes of the map. The address of the tensor is inserted when it is known.
func (m *tensorMap) image(p *Plan) (image, error) {
	o, err := p.named(m.data.name)
	switch {
	case err != nil:
		return image{}, m.at.wrap(err)
	case o.symbol != nil && o.symbol.Space != isa.Global:
		return image{}, m.at.errorf("%s is in .%s space; a tensor is in global memory", o.name, o.symbol.Space)
	}
	m.text.DefaultType(o.elem.String())
	if err := m.text.Finish(); err != nil {
		return image{}, m.at.wrap(err)
	}
	if need, has := m.text.Span(), o.size-min(int64(m.data.offset), o.size); need > uint64(has) {
		return image{}, m.at.errorf("%s takes %d bytes; %s has %d", m.name, need, m.data.name, has)
	}
	if unit := m.text.AddressUnit(); m.data.offset%unit != 0 {
		return image{}, m.at.errorf("%s+%d: the address of a tensor is a multiple of %d", m.data.name, m.data.offset, unit)
	}
	return image{data: m.text.Encode(), patches: []patch{{at: tensor.AddressAt, width: 8, target: *m.data}}}, nil
}

// fits returns an error if a variable or parameter cannot hold a tensor map.
func (m *tensorMap) fits(v *isa.Var) error {
	if v.Size() != tensor.Bytes || max(int64(v.Align), int64(v.Type.Bytes())) < tensor.Align {
		return fmt.Errorf("%s is %s, aligned to %d; a tensor map takes .align %d .b8 %s[%d]", v.Name, typeText(v), max(int64(v.Align), int64(v.Type.Bytes())), tensor.Align, v.Name, tensor.Bytes)
	}
	return nil
}
