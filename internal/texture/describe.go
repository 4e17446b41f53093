package texture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Thing is what a Description describes.
type Thing uint8

const (
	ATexture Thing = iota
	ASurface
	ASampler
)

var thingForms = [...]string{
	ATexture: "KIND EXTENT format=F pitch=BYTES layers=N levels=N samples=N filter=point|linear mipfilter=point|linear address=A,A,A normalized srgb border=R,G,B,A compare=C",
	ASurface: "KIND EXTENT format=F pitch=BYTES layers=N",
	ASampler: "filter=point|linear mipfilter=point|linear address=A,A,A border=R,G,B,A compare=C unnormalized",
}

// Form returns the syntax of a thing's description.
func (t Thing) Form() string { return thingForms[t] }

// Description is a texture, surface or sampler, described word by word.
type Description struct {
	Texture
	of       Thing
	format   bool
	extent   bool
	kind     bool
	address  bool
	filter   bool
	settings []string // settings that were given
}

// NewDescription returns an empty description.
func NewDescription(of Thing) *Description {
	d := &Description{of: of, Texture: Texture{Shape: Shape{Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1}}}
	d.Sampler.Normalized = of == ASampler // unless the texture says otherwise
	for i := range d.Sampler.Address {
		d.Sampler.Address[i] = ClampEdge
	}
	return d
}

// DefaultFormat sets the format of texels unless a word sets it.
func (d *Description) DefaultFormat(f Format) {
	if !d.format {
		d.Texture.Format, d.format = f, true
	}
}

// DefaultSampler sets the texture's sampler as far as words do not set it.
func (d *Description) DefaultSampler(s Sampler) {
	if !d.filter {
		d.Sampler.Linear = s.Linear
	}
	if !d.address {
		d.Sampler.Address = s.Address
	}
	d.Sampler.Normalized = d.Sampler.Normalized || s.Normalized
}

// Set applies a word: a kind such as 2d, an extent such as 64x64, normalized, or a setting such as filter=linear.
func (d *Description) Set(word string) error {
	key, value, assigned := strings.Cut(word, "=")
	switch {
	case assigned && slices.Contains(d.settings, key):
		return fmt.Errorf("%s is said twice", key)
	case !assigned:
		return d.setPlain(word)
	case !strings.Contains(" "+d.of.Form(), " "+key+"="):
		return fmt.Errorf("no %q here; expected %s", key, d.of.Form())
	}
	d.settings = append(d.settings, key)
	var err error
	switch key {
	case "format":
		d.Texture.Format, err = ParseFormat(value)
		d.format = true
	case "pitch":
		d.Pitch, err = count(key, value, 1<<31-1)
	case "layers":
		d.Layers, err = count(key, value, mostTexels)
		d.Array = true
	case "levels":
		d.Levels, err = count(key, value, 32)
	case "samples":
		d.Samples, err = count(key, value, 16)
	case "filter":
		d.Sampler.Linear, err = filter(value)
		d.filter = true
	case "mipfilter":
		d.Sampler.MipLinear, err = filter(value)
	case "address":
		d.address = true
		err = d.setAddress(value)
	case "border":
		err = d.setBorder(value)
	case "compare":
		d.Sampler.Compare, err = parseCompare(value)
	}
	return err
}

// setPlain applies a word without =.
func (d *Description) setPlain(word string) error {
	switch {
	case d.of == ATexture && word == "normalized":
		d.Sampler.Normalized = true
		return nil
	case d.of == ASampler && word == "unnormalized":
		d.Sampler.Normalized = false
		return nil
	case d.of == ATexture && word == "srgb":
		d.SRGB = true
		return nil
	case d.of != ASampler && !d.kind && d.setKind(word):
		return nil
	case d.of != ASampler && d.kind && !d.extent:
		d.extent = true
		return d.setExtent(word)
	}
	return fmt.Errorf("%q is out of place; expected %s", word, d.of.Form())
}

// setKind applies a kind, in the syntax of PTX's geometries. It returns false for another word.
func (d *Description) setKind(word string) bool {
	text, array := strings.CutPrefix(word, "a")
	text, samples := strings.CutSuffix(text, "ms")
	k := slices.Index(kindNames[:], text)
	if k < 0 || samples && Kind(k) != D2 || array && Kind(k) == D3 || d.of == ASurface && (samples || Kind(k) == Cube) {
		return false
	}
	d.Shape.Kind, d.Array, d.kind = Kind(k), array, true
	if samples {
		d.Samples = 1
	}
	return true
}

// setExtent applies the numbers of texels by dimension, as in 64x64.
func (d *Description) setExtent(word string) error {
	parts := strings.Split(word, "x")
	sizes := []*int{&d.Width, &d.Height, &d.Depth}
	if want := int(d.Kind.dims()); len(parts) != want {
		return fmt.Errorf("extent %q of a %s texture; it is %s", word, d.Kind, []string{"WIDTH", "WIDTHxHEIGHT", "WIDTHxHEIGHTxDEPTH"}[want-1])
	}
	for i, part := range parts {
		n, err := count("an extent", part, d.Kind.mostWide())
		if err != nil {
			return err
		}
		*sizes[i] = n
	}
	return nil
}

// count reads a number from 1.
func count(what, text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%s of %q; it is a number from 1 to %d", what, text, most)
	}
	return n, nil
}

func filter(text string) (linear bool, err error) {
	switch text {
	case "linear":
		return true, nil
	case "point", "nearest":
		return false, nil
	}
	return false, isa.Unknown("filter", text, []string{"point", "linear"})
}

// setAddress applies a mode for all dimensions, or one for each.
func (d *Description) setAddress(text string) error {
	modes := strings.Split(text, ",")
	for i := range d.Sampler.Address {
		mode, err := ParseAddress(modes[min(i, len(modes)-1)])
		if err != nil {
			return err
		}
		d.Sampler.Address[i] = mode
	}
	if len(modes) > len(d.Sampler.Address) {
		return fmt.Errorf("address=%s has %d modes; there are three dimensions", text, len(modes))
	}
	return nil
}

func (d *Description) setBorder(text string) error {
	parts := strings.Split(text, ",")
	if len(parts) != len(d.Sampler.Border) {
		return fmt.Errorf("border=%s; a colour is four numbers R,G,B,A", text)
	}
	for i, part := range parts {
		x, err := strconv.ParseFloat(part, 32)
		if err != nil {
			return fmt.Errorf("border=%s: %q is not a number", text, part)
		}
		d.Sampler.Border[i] = float32(x)
	}
	return nil
}

// Finish returns an error if something is missing or contradictory.
func (d *Description) Finish() error {
	switch {
	case d.of == ASampler:
		return nil
	case !d.kind || !d.extent:
		return fmt.Errorf("no kind and extent, such as 2d 64x64; expected %s", d.of.Form())
	case !d.format:
		return fmt.Errorf("no format, such as format=f32x1; expected %s", d.of.Form())
	}
	if d.Shape.Kind == Cube {
		d.Sampler.Normalized = true // always
	}
	if err := d.Shape.Check(); err != nil || d.of == ASurface {
		return err
	}
	return d.Sampler.Check(&d.Shape, d.SRGB)
}
