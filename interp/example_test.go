package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// storesByCTA is an observer that counts the lanes that store to global memory, by CTA. It observes only accesses, so
// that it has only one method.
type storesByCTA struct {
	fns   []*isa.Func // in the order of Place.Func
	lanes map[isa.Dim]int
}

var _ interp.AccessObserver = (*storesByCTA)(nil)

// Accessed implements interp.AccessObserver.
func (s *storesByCTA) Accessed(at *interp.Place, a *interp.Access) {
	in := &s.fns[at.Func].Code[a.PC]
	if in.Is(isa.Store) && isa.Space(a.Space) == isa.Global {
		s.lanes[at.CTA] += a.Lanes.Count()
	}
}

// An observer is any value with one or more of the observers' interfaces.
func ExampleObserver() {
	mod, err := asm.Parse("k.s", []byte(`
	.entry k(.param .u64 out) {
		ld.param.u64 %rd1, [out];
		mov.u32 %r1, %ctaid.x;
		mov.u32 %r2, %tid.x;
		setp.gt.u32 %p1, %r2, %r1;
		@%p1 st.global.u32 [%rd1], %r2;
		ret;
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := m.Alloc("out", 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: 3, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1},
		Params: binary.LittleEndian.AppendUint64(nil, out.Base)}
	stores := &storesByCTA{lanes: make(map[isa.Dim]int)}
	if stores.fns, err = m.Functions(l.Kernel); err != nil {
		fmt.Println(err)
		return
	}
	l.Observe(stores)
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		fmt.Println(err)
		return
	}
	for x := range uint32(3) {
		fmt.Println("block", x, "stores in", stores.lanes[isa.Dim{X: x}], "lanes")
	}
	// Output:
	// block 0 stores in 31 lanes
	// block 1 stores in 30 lanes
	// block 2 stores in 29 lanes
}
