package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/simtrun/simtrun/interp"
)

// ruleTimeout is the rule of a run that --timeout ended.
const ruleTimeout = "sync-timeout"

// stopped adds to the error of a run that --timeout ended that it did, and where the run was. It returns other errors
// unchanged.
func (o *runOptions) stopped(err error) error {
	at, _ := errors.AsType[*interp.Interrupted](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		msg := fmt.Sprintf("time limit: not done after %v; --timeout sets the limit", time.Duration(o.timeout))
		if at == nil {
			return &codedError{exitHang, fmt.Errorf("%s [%s]", msg, ruleTimeout)}
		}
		return &interp.Hang{Place: at.Place, Where: at.Where, Rule: ruleTimeout, Msg: msg, Next: at.Text,
			Involved: []interp.Involved{{Role: interp.Affects, Where: at.Where, Barrier: -1}}}
	}
	return err
}
