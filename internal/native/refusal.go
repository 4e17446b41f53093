package native

import (
	"fmt"
	"runtime/debug"
)

// Refusal is the reason why a function, or its partial code, is not compiled.
type Refusal struct {
	Func   string
	Reason string
	Stack  string // after a panic of the compiler; "" otherwise
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s is not compiled: %s", r.Func, r.Reason) }

// mustFit panics if an array of a jit.Context, with most elements, is full with n: code would write past its end.
func mustFit(n, most int, of string) {
	if n >= most {
		panic(fmt.Sprintf("simtrun bug: a run has more than %d %s", most, of))
	}
}

// recovered turns a panic of the compiler into a Refusal, since compiled code is only an optimisation. It resets the
// compiler, because the panic has left its memory in an unknown state.
func (c *Compiler) recovered(s Subject, f **Func, err *error) {
	if bug := recover(); bug != nil {
		*c = Compiler{Before: c.Before}
		*f, *err = nil, &Refusal{Func: s.Func.Src.Name, Reason: fmt.Sprint(bug), Stack: string(debug.Stack())}
	}
}
