package isa

import "sync"

// Debug is what a module says about the sources that it was compiled from. Package source reads it when somebody
// asks for a position.
type Debug struct {
	Files    map[string]string // names of the sources, by the number in .file
	Sections map[string]string // DWARF sections by name, such as ".debug_info": their text in braces
	Funcs    []*Func           // functions of the module, whose labels the sections refer to
	// Sources has the lines of sources that are not read from files, by their names in Files.
	Sources map[string][]string
	// ShowCode adds the line of the PTX to positions in the source.
	ShowCode bool

	once    sync.Once
	decoded any
}

// Decoded returns the result of the first call of decode.
func (d *Debug) Decoded(decode func() any) any {
	d.once.Do(func() { d.decoded = decode() })
	return d.decoded
}
