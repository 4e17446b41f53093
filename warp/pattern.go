package warp

import (
	"bytes"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// Pattern has what new register files of a layout have in common in all warps of a launch: constants and special
// registers. To copy it takes less time than to fill one slot after the other.
type Pattern struct {
	at    int // offset in the file
	bytes []byte
}

// NewPattern returns the pattern of a layout for launches of a shape.
func NewPattern(s *Shape, l *program.Layout) *Pattern {
	w := State{shape: s}
	f := w.NewFile(l)
	*lanes.Pred(f, l.True) = 0 // far from all others
	all := f.Bytes(l.Bytes())
	from := bytes.TrimLeft(all, "\x00")
	return &Pattern{len(all) - len(from), bytes.TrimRight(from, "\x00")}
}
