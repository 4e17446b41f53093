package dap

import (
	"context"
	"errors"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/debugger"
)

// again is the motion back to the beginning of a function.
const again = debugger.BackOut

// stepInTargets lists the functions that the line of a frame calls.
func (s *session) stepInTargets(m *dap.StepInTargetsRequest) (any, error) {
	body := &dap.StepInTargetsResponseBody{Targets: []dap.StepInTarget{}}
	return body, s.within(m.Arguments.FrameId, func() error {
		s.into = s.target.Callees()
		for i, name := range s.into {
			body.Targets = append(body.Targets, dap.StepInTarget{Id: i + 1, Label: name})
		}
		return nil
	})
}

// moveInto steps into a target of stepIn.
func (s *session) moveInto(thread, target int) error {
	if target < 1 || target > len(s.into) {
		return errStale
	}
	name := s.into[target-1]
	return s.moveWith(debugger.Into, thread, func(ctx context.Context) (debugger.Stop, error) {
		stop, err := s.target.MoveInto(ctx, name)
		if s.target.host != nil && stop.Ended && err == nil {
			return s.target.host.MoveProgram(ctx, debugger.Onwards)
		}
		return stop, err
	})
}

// restartFrame goes back to the beginning of the function of a frame.
func (s *session) restartFrame(m *dap.RestartFrameRequest) (any, error) {
	view, err := s.handles.frame(s, m.Arguments.FrameId)
	if err == nil && view == debugger.Nowhere {
		err = errors.New("no launch is under way")
	}
	if err != nil {
		return nil, err
	}
	if err := s.target.Select(view); err != nil {
		return nil, err
	}
	return nil, s.moveWith(again, 0, func(ctx context.Context) (debugger.Stop, error) {
		if stop, err := s.target.Move(ctx, again); err != nil {
			return stop, err
		}
		return s.target.Move(ctx, debugger.Into)
	})
}
