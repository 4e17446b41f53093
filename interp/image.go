package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/memory"
)

// Image is a texture, sampler or surface that kernels can use by its handle or, if the module
// declares a variable of its name, by name.
type Image struct {
	Name string
	Type isa.Type // TexRef, SamplerRef or SurfRef
	// Texture describes a texture or, in its Shape, a surface.
	Texture texture.Texture
	// Sampler is the sampler of a SamplerRef. Its coordinates are normalized if the texture's are and Normalized holds.
	Sampler texture.Sampler
	// Region holds the texels, from byte At on; nil for a sampler, and for an image that is not bound.
	Region *memory.Region
	At     int64

	bound bool
	stamp uint64 // another one for each texture, sampler or surface that has had a handle; see Memory.stamps
}

func handleOf(number int) uint64 { return identBase + identBytes*uint64(number) }

// imageAt returns the texture, sampler or surface with a handle, or nil.
func (m *Memory) imageAt(handle uint64) *Image {
	n := (handle - identBase) / identBytes
	if handle%identBytes != 0 || handle < identBase || n >= uint64(len(m.images)) || m.images[n].Type == 0 {
		return nil
	}
	return &m.images[n]
}

// idle is how many removed handles, the most recent ones, stay invalid before reuse, so that a use after removal is
// found.
const idle = 1 << 14

// IsHandle reports whether an address is the handle of an existing texture, sampler or surface.
func (m *Memory) IsHandle(addr uint64) bool { return m.imageAt(addr) != nil }

// newImage gives a texture, sampler or surface a handle and returns the handle's number.
func (m *Memory) newImage(im Image) (number int, err error) {
	m.stamps++
	im.stamp = m.stamps
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

// RemoveImage removes a texture, sampler or surface that is not a variable of a module. It returns an error if none
// has the handle. A handle is reused when 16384 others were removed after it.
func (m *Memory) RemoveImage(handle uint64) error {
	if m.imageAt(handle) == nil {
		return fmt.Errorf("0x%x is not a handle of a texture, sampler or surface", handle)
	}
	m.removeImage(int((handle - identBase) / identBytes))
	return nil
}

func (m *Memory) removeImage(number int) {
	m.images[number] = Image{}
	m.removed = append(m.removed, number)
	m.forget()
}

// declareImage adds the texture, sampler or surface that a variable of the module declares.
func (m *Machine) declareImage(v *isa.Var) error {
	n, err := m.newImage(declaredImage(v))
	if err == nil {
		m.declared = append(m.declared, n)
	}
	return err
}

// declaredAs returns the number of the module's variable that is a texture, sampler or surface of that name.
func (m *Machine) declaredAs(name string) (number int, ok bool) {
	for _, n := range m.declared {
		if m.images[n].Name == name {
			return n, true
		}
	}
	return 0, false
}

// declaredImage returns the image that a variable of the module declares. A sampler with its own parameters need not
// be bound.
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

// SetFields sets the parameters in the declaration of a sampler, or of a texture used as one.
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

// NewImage adds a texture, sampler or surface that is not a variable of a module, and returns its handle.
func (m *Memory) NewImage(im Image) (handle uint64, err error) {
	if err := im.check(); err != nil {
		return 0, err
	}
	im.bound = true
	n, err := m.newImage(im)
	return handleOf(n), err
}

// AddImage binds the module's variable that has the image's name; without one it adds a NewImage.
func (m *Machine) AddImage(im Image) (handle uint64, err error) {
	n, declared := m.declaredAs(im.Name)
	if !declared {
		return m.NewImage(im)
	}
	return handleOf(n), m.Bind(im.Name, &im)
}

// ImageVar returns the type of the module's variable that is a texture, sampler or surface of that name; ok is false
// if there is none.
func (m *Machine) ImageVar(name string) (t isa.Type, ok bool) {
	n, ok := m.declaredAs(name)
	if !ok {
		return 0, false
	}
	return m.images[n].Type, true
}

// Bind binds a variable of the module, a texture, sampler or surface, to im, or to nothing if im is nil.
func (m *Machine) Bind(name string, im *Image) error {
	n, declared := m.declaredAs(name)
	switch {
	case !declared:
		return fmt.Errorf("the module has no texture, sampler or surface %s", name)
	case im == nil:
		m.forget()
		m.images[n] = Image{Name: name, Type: m.images[n].Type}
		return nil
	case m.images[n].Type != im.Type:
		return fmt.Errorf("%s is a .%s of the module, not a .%s", name, m.images[n].Type, im.Type)
	}
	if err := im.check(); err != nil {
		return err
	}
	m.forget()
	m.stamps++
	m.images[n] = *im
	m.images[n].Name, m.images[n].bound, m.images[n].stamp = name, true, m.stamps
	return nil
}

// check returns the error in a texture or surface, or nil.
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
		return fmt.Errorf("a surface of a %s texture with %d levels: a surface must be 1d, 2d, 3d or an array, with one level", &t.Shape, t.Levels)
	}
	size := int64(len(im.Region.Data))
	switch need := t.Bytes(); {
	case im.At < 0 || im.At%16 != 0:
		return fmt.Errorf("texels begin at byte %d of %s: the offset must be a multiple of 16", im.At, im.Region.Shown())
	case im.At > size || need > size-im.At:
		return fmt.Errorf("%s of %s takes %d bytes; %s has %d", extent(&t.Shape), t.Format, need, im.Region.Shown(), max(size-im.At, 0))
	}
	return nil
}

// ImageText describes the texture, sampler or surface with a handle in the words of the command's arguments; ok is
// false if there is none.
func (m *Memory) ImageText(handle uint64) (text string, ok bool) {
	im := m.imageAt(handle)
	switch {
	case im == nil:
		return "", false
	case !im.bound:
		return "not bound", true
	case im.Type == isa.SamplerRef:
		return "sampler " + im.Sampler.Text(texture.D3), true
	}
	t := &im.Texture
	text = fmt.Sprintf("%s format=%s", extent(&t.Shape), t.Format)
	kind := "surface "
	if im.Type == isa.TexRef {
		kind, text = "texture ", text+" "+t.Sampler.Text(t.Kind)
	}
	if im.Region != nil {
		text += ", in " + im.Region.Shown()
	}
	return kind + text, true
}

// ImageHandle returns the handle of the module's variable of a name that is a texture, sampler or surface.
func (m *Machine) ImageHandle(name string) (handle uint64, ok bool) {
	n, ok := m.declaredAs(name)
	return handleOf(n), ok
}

// extent returns the kind and the size of a texture for messages.
func extent(s *texture.Shape) string {
	text := fmt.Sprintf("%s %d", s, s.Width)
	if s.Kind != texture.D1 {
		text += fmt.Sprintf("x%d", s.Height)
	}
	if s.Kind == texture.D3 {
		text += fmt.Sprintf("x%d", s.Depth)
	}
	if s.Array {
		text += fmt.Sprintf(" of %s", counted(uint64(s.Layers), "layer"))
	}
	if s.Samples > 0 {
		text += fmt.Sprintf(" of %s", counted(uint64(s.Samples), "sample"))
	}
	if s.Levels > 1 {
		text += fmt.Sprintf(" of %d levels", s.Levels)
	}
	return text
}

// unbound returns a message about the first texture, sampler or surface that the program names and that is not bound,
// or "".
func (m *Machine) unbound(p *program.Program) string {
	for _, named := range p.Images {
		if n, declared := m.declaredAs(named.Name); declared && !m.images[n].bound {
			return fmt.Sprintf("the .%s %s, which %s in line %d names, is bound to nothing", m.images[n].Type, named.Name, named.Instr.Mnemonic(), named.Pos.Line)
		}
	}
	return ""
}
