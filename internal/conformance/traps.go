package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// trap is a place where the semantics of PTX are not what readers expect.
type trap struct {
	name  string
	shown claim
}

// Traps are the claims of all traps, one kernel after the other.
func Traps() []Claim {
	var claims []Claim
	for _, t := range slices.Concat(textTraps, integerTraps, floatTraps, conversionTraps, memoryTraps, threadTraps, launchTraps) {
		claims = append(claims, Claim{Name: t.name, Try: t.shown})
	}
	return claims
}

// claim is Claim.Try.
type claim = func(run Run) error

// all claims that all claims hold.
func all(claims ...claim) claim {
	return func(run Run) error {
		var wrong []error
		for _, c := range claims {
			wrong = append(wrong, c(run))
		}
		return errors.Join(wrong...)
	}
}

// works claims that trials have the results that they expect.
func works(trials ...trial) claim {
	return func(run Run) error {
		for _, tr := range trials {
			tr = tr.prepared()
			if err := tr.try(run); err != nil {
				return fmt.Errorf("%w in\n%s", err, tr.src)
			}
		}
		return nil
	}
}

// gives claims that the body leaves a value in %r1 of every thread.
func gives(want uint32, body string) claim {
	return works(perThread(body, 32, func(int) uint32 { return want }))
}

// givesEach is gives with a value for each thread.
func givesEach(want func(i int) uint32, body string) claim { return works(perThread(body, 32, want)) }

// givesFloat is gives of a .f32 in %f1.
func givesFloat(want uint32, body string) claim { return gives(want, body+"\n\tmov.b32 %r1, %f1;") }

// givesDouble is gives of both halves of a .f64 in %fd1.
func givesDouble(want uint64, body string) claim {
	return all(gives(uint32(want), body+"\n\tmov.b64 {%r1, %r2}, %fd1;"),
		gives(uint32(want>>32), body+"\n\tmov.b64 {%r2, %r1}, %fd1;"))
}

// holdsFor claims that %p1 holds, or does not.
func holdsFor(want bool, body string) claim {
	return gives(uint32(b2i(want)), body+"\n\tselp.u32 %r1, 1, 0, %p1;")
}

// inModule is gives with declarations before the kernel.
func inModule(want uint32, declarations, body string) claim {
	return works(moduleTrial(declarations, body, 32, func(int) uint32 { return want }))
}

// anything is the expected result of a kernel that does not reach its end.
func anything(int) uint32 { return 0 }

// fails claims that a trial is refused, or ends with an error, with a reason.
func fails(why string, tr trial) claim {
	return func(run Run) error {
		err := tr.try(run)
		if notSupportedYet(err) && !strings.Contains(why, "not supported yet") {
			return err
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			return fmt.Errorf("got %v, want an error with %q, in\n%s", err, why, tr.src)
		}
		return nil
	}
}

// refused is fails for a body.
func refused(why, body string) claim {
	return fails(why, perThread(body, 32, anything))
}

const (
	f32One     = 0x3f800000
	f32NaN     = 0x7fffffff
	f32Inf     = 0x7f800000
	f32NegInf  = 0xff800000
	f32NegZero = 0x80000000
	intMin     = 0x80000000
	allOnes    = 0xffffffff
)

// notSupportedYet reports whether err says that something is not supported yet.
func notSupportedYet(err error) bool {
	var e *isa.Error
	return errors.As(err, &e) && strings.Contains(e.Msg, "not supported yet")
}
