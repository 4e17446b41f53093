package report

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/wholefile"
	"github.com/simtrun/simtrun/interp"
)

// WriteError writes the error of a run. An error that begins with a position in a file is written as it is. Others
// get the program's name as a prefix and, unless page is "", the command that shows a page of help.
func WriteError(w io.Writer, err error, page string, paint Paint) {
	sourced, shown := errors.AsType[*sourcedError](err)
	switch {
	case shown:
		sourced.write(w)
	case HasPlace(err):
		fmt.Fprintln(w, paint.message(message(err)))
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(w, "simtrun: %s\n", message(err))
	default:
		fmt.Fprintf(w, "simtrun: %s\n", paint.message(message(err)))
		if page != "" {
			fmt.Fprintf(w, "see '%s'\n", page)
		}
	}
}

// HasPlace reports whether err has a position in a file.
func HasPlace(err error) bool {
	if e, ok := errors.AsType[*launch.Error](err); ok {
		return e.At.Pos.IsValid()
	}
	return is[asm.Errors](err) || is[*isa.Error](err) || is[*interp.Fault](err) || is[*interp.Hang](err) || is[*interp.Interrupted](err)
}

// message returns the text of an error. If the run was interrupted during execution, the text says where.
func message(err error) string {
	if e, ok := errors.AsType[*interp.Interrupted](err); ok {
		return fmt.Sprintf("%s: interrupted here\n  next    %s\n  who     %s", e.Place, e.Place.Text(e.Text), e.Where)
	}
	if errors.Is(err, context.Canceled) && !HasPlace(err) {
		return "interrupted"
	}
	return wholefile.Explain(err).Error()
}
