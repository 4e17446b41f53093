package simtrun

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/texture"
)

// Image is a texture, a surface or a sampler. As an argument of a launch it is its handle.
type Image struct {
	m      *Memory
	name   string
	handle uint64
}

// Handle is what a kernel takes for the texture, surface or sampler.
func (i *Image) Handle() uint64 { return i.handle }

// Texture makes a texture of the texels in a buffer, which it shares. The description is what the
// directive texture has behind the buffer, such as "2d 64x64 format=f32x1 filter=linear normalized". A variable of the
// program with the name, a .texref, is bound to it.
func (m *Machine) Texture(name string, texels *Buffer, description string) (*Image, error) {
	return m.image(name, texels, description, texture.ATexture, isa.TexRef)
}

// Surface is Texture for surfaces: "2d 64x64 format=u32x1".
func (m *Machine) Surface(name string, texels *Buffer, description string) (*Image, error) {
	return m.image(name, texels, description, texture.ASurface, isa.SurfRef)
}

// Sampler makes a sampler for textures in texmode_independent: "filter=linear address=wrap".
func (m *Machine) Sampler(name, description string) (*Image, error) {
	return m.image(name, nil, description, texture.ASampler, isa.SamplerRef)
}

// Remove takes the handle away, to use which is then a fault.
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
	handle, err := m.m.AddImage(interp.Image{Name: name, Type: t, Texture: d.Texture, Sampler: d.Sampler, Region: r})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Image{m.mem, name, handle}, nil
}
