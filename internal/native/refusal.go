package native

import (
	"fmt"
	"runtime/debug"
)

// Refusal is why a function, or the rest of its code, is not compiled.
type Refusal struct {
	Func   string
	Reason string
	Stack  string // of a bug in the compiler; else ""
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s is not compiled: %s", r.Func, r.Reason) }

// refuse is a Refusal by a limit.
func (s *Subject) refuse(format string, args ...any) error {
	return &Refusal{Func: s.Func.Src.Name, Reason: fmt.Sprintf(format, args...)}
}

// mustFit panics if a jit.Context has no room for one more than n of what there may be most of: code would write behind it.
func mustFit(n, most int, of string) {
	if n >= most {
		panic(fmt.Sprintf("simtrun bug: a run has more than %d %s", most, of))
	}
}

// recovered makes a Refusal of a panic while a function was compiled. A program that runs is not to end because a function of it would have been
// faster. The compiler is new then: the panic has left its memory half written.
func (c *Compiler) recovered(s Subject, f **Func, err *error) {
	if bug := recover(); bug != nil {
		*c = Compiler{Before: c.Before}
		*f, *err = nil, &Refusal{Func: s.Func.Src.Name, Reason: fmt.Sprint(bug), Stack: string(debug.Stack())}
	}
}
