package isa

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Field is a member of a texture, sampler or surface that its declaration sets (PTX ISA 5.3).
type Field struct{ Name, Value string }

// addressModes are the values of addr_mode_0 and so on.
var addressModes = []string{"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"}

var yesOrNo = []string{"0", "1"}

// fieldValues are the members that have an effect, by type of the declaration, with their possible values.
var fieldValues = map[Type]map[string][]string{
	SamplerRef: {"filter_mode": {"nearest", "linear"}, "addr_mode_0": addressModes, "addr_mode_1": addressModes, "addr_mode_2": addressModes,
		"force_unnormalized_coords": yesOrNo},
	TexRef: {"filter_mode": {"nearest", "linear"}, "addr_mode_0": addressModes, "addr_mode_1": addressModes, "addr_mode_2": addressModes,
		"normalized_coords": yesOrNo},
}

// describedFields are members that the texture or surface bound at launch determines, so that a declaration's values
// have no effect.
var describedFields = []string{"width", "height", "depth", "channel_data_type", "channel_order", "array_size", "num_mipmap_levels", "num_samples", "memory_layout"}

// NewField returns a member of a variable of an opaque type, or a message if there is no such member or value.
func NewField(t Type, name, value string) (Field, string) {
	f := Field{name, value}
	values, known := fieldValues[t][name]
	switch {
	case slices.Contains(describedFields, name) && t != SamplerRef, known && slices.Contains(values, value):
		return f, ""
	case known:
		return f, fmt.Sprintf("%s = %s; it must be one of %s", name, value, strings.Join(values, ", "))
	case len(fieldValues[t]) == 0:
		return f, fmt.Sprintf("a .%s has no %s; it has %s", t, name, strings.Join(describedFields, ", "))
	}
	return f, fmt.Sprintf("a .%s has no %s; it has %s", t, name, strings.Join(slices.Sorted(maps.Keys(fieldValues[t])), ", "))
}
