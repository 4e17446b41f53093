package simtrun

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/tensor"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Image is a texture, a surface or a sampler. As an argument of a launch it stands for its handle.
type Image struct {
	m      *Memory
	is     interp.Image
	handle uint64
}

// Handle returns the value by which kernels refer to the texture, surface or sampler.
func (i *Image) Handle() uint64 { return i.handle }

// Texture makes a texture from the texels of a buffer, and shares the buffer's memory. The description is what
// follows the buffer in the directive texture, such as "2d 64x64 format=f32x1 filter=linear normalized". If the
// program has a variable of that name, a .texref, it is bound to the texture.
func (m *Machine) Texture(name string, texels *Buffer, description string) (*Image, error) {
	return m.image(name, texels, description, texture.ATexture, isa.TexRef)
}

// Surface makes a surface, as Texture does: "2d 64x64 format=u32x1".
func (m *Machine) Surface(name string, texels *Buffer, description string) (*Image, error) {
	return m.image(name, texels, description, texture.ASurface, isa.SurfRef)
}

// Sampler makes a sampler for texture mode independent: "filter=linear address=wrap".
func (m *Machine) Sampler(name, description string) (*Image, error) {
	return m.image(name, nil, description, texture.ASampler, isa.SamplerRef)
}

// NewTexture makes a texture from the texels of a buffer, starting at byte at. Kernels of all programs in the memory
// can use it. It shares the buffer's memory.
func (m *Memory) NewTexture(name string, texels *Buffer, at int64, t texture.Texture) (*Image, error) {
	return m.newImage(texels, interp.Image{Name: name, Type: isa.TexRef, Texture: t, At: at})
}

// NewSurface makes a surface, as NewTexture does.
func (m *Memory) NewSurface(name string, texels *Buffer, at int64, s texture.Shape) (*Image, error) {
	return m.newImage(texels, interp.Image{Name: name, Type: isa.SurfRef, Texture: texture.Texture{Shape: s}, At: at})
}

func (m *Memory) newImage(texels *Buffer, im interp.Image) (*Image, error) {
	if err := texels.isIn(m); err != nil {
		return nil, fmt.Errorf("%s: texels: %w", im.Name, err)
	}
	im.Region = texels.r
	handle, err := m.m.NewImage(im)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", im.Name, err)
	}
	return &Image{m, im, handle}, nil
}

// ImageVar returns the type (TexRef, SurfRef or SamplerRef) of a variable of the program. ok is false if the program
// has no such variable.
func (m *Machine) ImageVar(name string) (t isa.Type, ok bool) { return m.m.ImageVar(name) }

// Bind binds a variable of the program, a .texref or .surfref, to the image; nil unbinds it. The handle of i does not
// change.
func (m *Machine) Bind(variable string, i *Image) error {
	if i == nil {
		return m.m.Bind(variable, nil)
	}
	if i.m != m.mem {
		return fmt.Errorf("%s is in another memory", i.is.Name)
	}
	im := i.is
	return m.m.Bind(variable, &im)
}

// Remove destroys the handle. Using it afterwards is a fault.
func (i *Image) Remove() error {
	if i == nil {
		return errNoImage
	}
	return i.m.m.RemoveImage(i.handle)
}

var errNoImage = errors.New("the *Image is nil")

func (m *Machine) image(name string, texels *Buffer, description string, of texture.Thing, t isa.Type) (*Image, error) {
	d := texture.NewDescription(of)
	for word := range strings.FieldsSeq(description) {
		if err := d.Set(word); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var r *memory.Region
	if of != texture.ASampler {
		if err := texels.isIn(m.mem); err != nil {
			return nil, fmt.Errorf("%s: texels: %w", name, err)
		}
		r = texels.r
	}
	im := interp.Image{Name: name, Type: t, Texture: d.Texture, Sampler: d.Sampler, Region: r}
	handle, err := m.m.AddImage(im)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Image{m.mem, im, handle}, nil
}

// TensorMap makes a map of a tensor in a buffer, for cp.async.bulk.tensor: 128 bytes, which a kernel takes as a
// parameter .b8 x[128], or reads from memory. The description is what follows the buffer in the directive tensormap,
// such as "64x64 type=f16 box=64x8 swizzle=128".
func (m *Machine) TensorMap(elements *Buffer, description string) ([]byte, error) {
	if err := elements.isIn(m.mem); err != nil {
		return nil, fmt.Errorf("tensor map: elements: %w", err)
	}
	d := tensor.Description{Map: tensor.Map{Address: elements.Addr()}}
	for word := range strings.FieldsSeq(description) {
		if err := d.Set(word); err != nil {
			return nil, fmt.Errorf("tensor map of %s: %w", elements.r.Name, err)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, fmt.Errorf("tensor map of %s: %w", elements.r.Name, err)
	}
	if need, has := d.Span(), uint64(len(elements.Bytes())); need > has {
		return nil, fmt.Errorf("tensor map of %s: the tensor takes %d bytes; the buffer has %d", elements.r.Name, need, has)
	}
	return d.Encode(), nil
}
