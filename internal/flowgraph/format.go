package flowgraph

import (
	"bufio"
	"io"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Format is a way to show graphs.
type Format struct {
	Name, Doc string
	write     func(w *bufio.Writer, graphs []*Graph)
}

// formats is all of them, the default first.
var formats = []Format{
	{"text", "block by block, for a terminal", writeText},
	{"dot", "for Graphviz", writeDOT},
	{"svg", "a drawing, for a browser", writeSVG},
}

// Formats is the formats that there are, the default first.
func Formats() []Format { return slices.Clone(formats) }

// ParseFormat is the format of that name. Its error lists the names.
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

// Write writes graphs to w, whose error it returns.
func (f Format) Write(w io.Writer, graphs []*Graph) error {
	b := bufio.NewWriter(w)
	f.write(b, graphs)
	return b.Flush()
}
