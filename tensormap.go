package simtrun

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/tensor"
)

// TensorMap is a map of a tensor in a buffer, for cp.async.bulk.tensor: 128 bytes, which a kernel takes as a
// parameter .b8 x[128], or finds where they are written to. The description is what the directive tensormap
// has behind the buffer, such as "64x64 type=f16 box=64x8 swizzle=128".
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
