package interp

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// TestEveryKindHasAHandler: a kind of instruction either has a handler, or is executed before dispatch.
func TestEveryKindHasAHandler(t *testing.T) {
	before := map[isa.Kind]string{
		lanes.Compute: "Path.Exec", lanes.Guarded: "Path.Exec", lanes.Nop: "Path.Exec",
		isa.Atomic: "access", isa.Copy: "lowering makes an access of it", isa.Barrier: "follow",
	}
	for kind := range program.NumKinds {
		where, elsewhere := before[kind]
		switch has := handlers[kind].execute != nil; {
		case has && elsewhere:
			t.Errorf("kind %v has a handler, and is executed by %s", kind, where)
		case !has && !elsewhere:
			t.Errorf("kind %v has no handler", kind)
		}
	}
}
