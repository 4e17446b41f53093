package flowgraph

import (
	"bufio"
	"io"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Format is an output format for graphs.
type Format struct {
	Name, Doc string
	write     func(w *bufio.Writer, graphs []*Graph)
}

// formats lists all formats, the default first.
var formats = []Format{
	{"text", "block by block, for a terminal", writeText},
	{"dot", "for Graphviz", writeDOT},
	{"svg", "a drawing, for a browser", writeSVG},
}

// Formats returns all formats, the default first.
func Formats() []Format { return slices.Clone(formats) }

// ParseFormat returns the format of that name. The error lists the names.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, isa.Unknown("format", name, names)
}

// Write writes graphs to w, and returns w's error.
func (f Format) Write(w io.Writer, graphs []*Graph) error {
	b := bufio.NewWriter(w)
	f.write(b, graphs)
	return b.Flush()
}
