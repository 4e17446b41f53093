package jit

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Level is the set of instructions that compiled code uses.
type Level uint8

const (
	None   Level = iota // no compiled code: the Go loop runs
	AVX2                // 256-bit vectors
	AVX512              // 512-bit vectors, twice as many of them, and mask registers
)

var levelNames = [...]string{None: "go", AVX2: "avx2", AVX512: "avx512"}

// String returns the level's name for SIMTRUN_LANES.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// Variable is the environment variable that forces a level.
const Variable = "SIMTRUN_LANES"

// verify is the value of Variable, or what precedes the name of a level and a hyphen there, to compare all code with
// lane functions.
const verify = "verify"

// errNoMemory says that the system refuses executable memory, or that this package has no way to ask for it.
var errNoMemory = errors.New("executable memory refused")

// Best returns the best level that the CPU and the system support, or None if executable memory is refused.
func Best() Level {
	for l := AVX512; l > None; l-- {
		if Lacks(l) == nil {
			return l
		}
	}
	return None
}

// Lacks returns the reason why this machine cannot run code of level l; nil if it can.
func Lacks(l Level) error {
	if l == None {
		return nil
	}
	if err := unsupported(l); err != nil {
		return err
	}
	return refusal()
}

// Chosen returns the level to use: Best, or the one in SIMTRUN_LANES. It returns an error and None for an unknown
// level, or one that this machine does not support.
func Chosen() (Level, error) { return chosenOnce() }

var chosenOnce = sync.OnceValues(func() (Level, error) { return choose(os.Getenv(Variable)) })

// Verifies reports whether SIMTRUN_LANES asks for a comparison of all code with lane functions.
func Verifies() bool { return verifiesOnce() }

var verifiesOnce = sync.OnceValue(func() bool { return verifies(os.Getenv(Variable)) })

// verifies is Verifies for a value of SIMTRUN_LANES.
func verifies(value string) bool { return value == verify || strings.HasPrefix(value, verify+"-") }

// choose returns the level for a value of SIMTRUN_LANES; an empty one forces none.
func choose(value string) (Level, error) {
	name, verified := strings.CutPrefix(value, verify+"-")
	switch {
	case value == "":
		return Best(), nil
	case value == verify:
		name = max(Best(), AVX2).String()
	}
	for l, n := range levelNames {
		if name != n || verified && Level(l) == None {
			continue
		}
		if err := Lacks(Level(l)); err != nil {
			return None, fmt.Errorf("%s=%s: %w", Variable, value, err)
		}
		return Level(l), nil
	}
	return None, fmt.Errorf("%s=%s: no such level; it takes %s, %s, and %[4]s-LEVEL", Variable, value, strings.Join(levelNames[:], ", "), verify)
}

// refusal is the reason why there is no executable memory, determined once by asking for some. A sandbox forbids it
// from the start, so that the answer holds for the whole run; NewCode can fail nevertheless.
var refusal = sync.OnceValue(func() error {
	code, err := NewCode([]byte{0xC3}, 0) // RET
	if err == nil {
		code.Close()
	}
	return err
})
