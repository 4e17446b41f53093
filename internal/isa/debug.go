package isa

import "sync"

// Debug is a module's information about the sources that it was compiled from. Package source reads it when a position
// is first needed.
type Debug struct {
	Files    map[string]string // names of the sources, by the number in .file
	Sections map[string]string // DWARF sections by name, such as ".debug_info": their text in braces
	Funcs    []*Func           // functions of the module, whose labels the sections refer to
	// Sources has the lines of sources that are not read from files, by their names in Files.
	Sources map[string][]string
	// ShowCode adds the line of the PTX to positions in the source.
	ShowCode bool

	Lines Lazy // decoded by package source
	DWARF Lazy // the DWARF in Sections, as package debuginfo reads it
}

// Lazy is a value that is made when it is asked for.
type Lazy struct {
	once  sync.Once
	value any
}

// Once returns the result of the first call of its function.
func (l *Lazy) Once(from func() any) any {
	l.once.Do(func() { l.value = from() })
	return l.value
}
