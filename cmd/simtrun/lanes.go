package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// lanesText names what computes the values of lanes without a clock: machine code
// of a level, or the loop in Go, and why that if it was not chosen.
func lanesText() string {
	level, err := jit.Chosen()
	if err == nil && level == jit.None {
		err = jit.Lacks(jit.AVX2)
	}
	if err != nil {
		return fmt.Sprintf("lanes: %v (%v)", level, err)
	}
	return fmt.Sprintf("lanes: %v", level)
}

// checkLanes is the error of an environment that forces a level which does not
// exist, or which this machine cannot do. Help and completions run nothing.
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
