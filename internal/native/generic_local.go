package native

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Debug builds access local memory by generic addresses: cvta.local of the frame, plus constants. Code expects local
// memory at an address that is computed from results of cvta.local alone, and accesses it as ld.local and st.local do.
// At other generic addresses that are not affine, for example pointers that were loaded, code tests whether the lanes
// are in local memory (jit.Area.LocalAt), if the program has a cvta.local at all. Expectations need not hold: each
// access checks its addresses, and where a check fails lane functions execute the access.

// expectLocal finds the generic loads and stores at which code expects local memory, and those that may access it.
func (p *plan) expectLocal() {
	if !p.p.TakesLocal {
		return
	}
	all := flow.OriginsOf(p.f.Src, p.f.Graph)
	for pc := range p.f.Src.Code {
		st := &p.steps[pc]
		if st.info == nil || st.info.Space != isa.Generic || st.kind != stepLoad && st.kind != stepStore {
			continue
		}
		st.anywhere = st.info.Wide && !p.shadow
		switch flow.OriginsOfAddress(&p.f.Src.Code[pc], all) {
		case flow.FromLocal:
			st.own, st.anywhere = jit.OwnLocal, false
		case flow.FromLocal | flow.FromElse:
			st.mixed = st.anywhere
		}
	}
}
