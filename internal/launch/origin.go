package launch

import (
	"context"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/wholefile"
)

// ErrOutside is the cause of an Error about a header that names a file outside
// its source's folder.
var ErrOutside = errors.New("outside the source's folder")

// Origin is the position of user input: on the command line or in a file. The zero Origin is unknown.
type Origin struct {
	Flag string  // "--arg n=300"; "" if it was in a file
	Pos  isa.Pos // in a header or script
}

// String returns the flag, or file:line:col; "" for the zero Origin.
func (o Origin) String() string {
	switch {
	case o.Flag != "":
		return o.Flag
	case o.Pos.IsValid():
		return o.Pos.String()
	}
	return ""
}

// right returns the origin n bytes further right on the same line.
func (o Origin) right(n int) Origin {
	o.Pos.Col += int32(n)
	return o
}

//go:noinline
func (o Origin) errorf(format string, args ...any) *Error {
	return &Error{At: o, Msg: fmt.Sprintf(format, args...)}
}

// wrap adds this origin to err, unless err has one.
func (o Origin) wrap(err error) error {
	if placed, ok := errors.AsType[*Error](err); ok {
		return placed
	}
	return &Error{At: o, Msg: wholefile.Explain(err).Error(), Err: err}
}

// placed is wrap for an error of reading, but leaves an error of ctx unchanged.
func (o Origin) placed(ctx context.Context, err error) error {
	if err == ctx.Err() {
		return err
	}
	return o.wrap(err)
}

// Error is an error in a directive, or in the launch that the directives describe.
type Error struct {
	At  Origin
	Msg string
	Err error // the cause, or nil
}

func (e *Error) Error() string {
	if at := e.At.String(); at != "" {
		return at + ": " + e.Msg
	}
	return e.Msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
