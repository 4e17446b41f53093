package report

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/interp"
)

// WriteError writes the error of a run. One that begins with a place in a file
// stands bare; another gets the program's name, and, unless page is "", the
// command that shows a page of help to read.
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

// HasPlace reports whether err is about a place in a file.
func HasPlace(err error) bool {
	if e, ok := errors.AsType[*launch.Error](err); ok {
		return e.At.Pos.IsValid()
	}
	return is[asm.Errors](err) || is[*isa.Error](err) || is[*interp.Fault](err) || is[*interp.Hang](err) || is[*interp.Interrupted](err)
}

// message is the text of an error. A run that was interrupted says where it was,
// if it had come to execute anything.
func message(err error) string {
	if e, ok := errors.AsType[*interp.Interrupted](err); ok {
		return fmt.Sprintf("%s: interrupted here\n  next    %s\n  who     %s", e.Pos, e.Text, e.Where)
	}
	if errors.Is(err, context.Canceled) && !HasPlace(err) {
		return "interrupted"
	}
	return err.Error()
}
