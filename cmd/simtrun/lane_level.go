package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// lanesText names what executes lanes without a clock: machine code of a level, or the Go loop, and the reason if that
// is not the default.
func lanesText() string {
	level, err := jit.Chosen()
	if err == nil && level == jit.None {
		err = jit.Lacks(jit.AVX2)
	}
	if err != nil {
		return fmt.Sprintf("lanes: %v (%v)", level, err)
	}
	if jit.Verifies() {
		return fmt.Sprintf("lanes: %v, verified", level)
	}
	return fmt.Sprintf("lanes: %v", level)
}

// checkLanes returns an error if the environment forces a level that does not exist or that this machine does not
// support. Help and completions need no level.
func checkLanes(cmd *cobra.Command) error {
	for c := cmd; c != nil; c = c.Parent() {
		if name := c.Name(); name == "help" || name == "completion" || isCompletion(name) {
			return nil
		}
	}
	if _, err := jit.Chosen(); err != nil {
		return &usageError{err.Error(), "simtrun help environment"}
	}
	return nil
}
