package isa

import (
	"errors"
	"fmt"
	"strings"
)

// Pos is a position in a source file. Line and Col count from 1; a Line of 0 means no position.
type Pos struct {
	File      string
	Line, Col int32
}

// String returns file:line:col, without a column if it is 0.
func (p Pos) String() string {
	if p.Col == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// IsValid reports whether p is a position.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Error is an error at a position of the source.
type Error struct {
	Pos Pos
	Msg string
	Err error // the cause, or nil
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Pos, e.Msg) }

// Errorf makes an Error; %w gives it a cause.
func Errorf(pos Pos, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{pos, err.Error(), errors.Unwrap(err)}
}

// inLibdevice is before the names of libdevice's functions in positions: no file has their text.
const inLibdevice = "libdevice/"

// LibdevicePos returns the position of an instruction of a function of libdevice in a program that was compiled.
func LibdevicePos(name string, pc int) Pos { return Pos{inLibdevice + name, int32(pc + 1), 1} }

// IsLibdevice reports whether a position is one of LibdevicePos.
func IsLibdevice(p Pos) bool { return strings.HasPrefix(p.File, inLibdevice) }
