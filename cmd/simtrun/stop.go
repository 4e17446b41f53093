package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/simtrun/simtrun/interp"
)

// stopped says of a run that its context ended why that was, and where it had
// come to. Other errors stay as they are.
func (o *runOptions) stopped(err error) error {
	at, _ := errors.AsType[*interp.Interrupted](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		msg := fmt.Sprintf("time limit: not done after %v; --timeout sets the limit", time.Duration(o.timeout))
		if at == nil {
			return &codedError{exitHang, fmt.Errorf("%s [%s]", msg, ruleTimeout)}
		}
		return &interp.Hang{Pos: at.Pos, Where: at.Where, Rule: ruleTimeout, Msg: msg, Next: at.Text,
			Involved: []interp.Involved{{Role: interp.Affects, Where: at.Where, Barrier: -1}}}
	case at != nil:
		return &interruptedRun{at}
	}
	return err
}

// interruptedRun is a run that a signal ended.
type interruptedRun struct{ at *interp.Interrupted }

func (e *interruptedRun) Error() string {
	return fmt.Sprintf("%s: interrupted here\n  next    %s\n  who     %s", e.at.Pos, e.at.Text, e.at.Where)
}

func (e *interruptedRun) Unwrap() error { return e.at }
