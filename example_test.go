package simtrun_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/simtrun/simtrun"
)

const double = `
.entry double(.param .u64 x, .param .u32 n)
{
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	mad.wide.u32 %rd2, %r5, 4, %rd1;
	ld.global.f32 %f1, [%rd2];
	add.f32 %f1, %f1, %f1;
	st.global.f32 [%rd2], %f1;
DONE:
	ret;
}
`

func Example() {
	p, err := simtrun.Load("double.s", []byte(double))
	if err != nil {
		log.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := simtrun.AllocOf(m, "x", []float32{1, 2, 3, 4, 5})
	if err != nil {
		log.Fatal(err)
	}
	res, err := m.Launch(context.Background(), simtrun.Launch{
		Kernel: "double", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 32}, Args: []any{x, 5},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(simtrun.Read[float32](x))
	fmt.Printf("%d instructions, %d divergent branch\n", res.WarpInstrs, res.DivergentBranches)
	// Output:
	// [2 4 6 8 10]
	// 13 instructions, 1 divergent branch
}

// The Step function is called before every instruction. This one prints the active mask after the branch, and a
// register.
func ExampleLaunch_step() {
	p, err := simtrun.Load("double.s", []byte(double))
	if err != nil {
		log.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := simtrun.AllocOf(m, "x", []float32{1, 2, 3, 4, 5})
	if err != nil {
		log.Fatal(err)
	}
	_, err = m.Launch(context.Background(), simtrun.Launch{
		Kernel: "double", Block: simtrun.Dim{X: 32}, Args: []any{x, 5},
		Step: func(s *simtrun.Step) bool {
			if s.Line() >= 11 {
				index, _ := s.Reg("%r5")
				fmt.Printf("%d: %08x %s (lane 4 has index %d)\n", s.Line(), uint32(s.Active()), s.Text(), index[4])
			}
			return true
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 11: ffffffff @%p1 bra DONE; (lane 4 has index 4)
	// 12: 0000001f mad.wide.u32 %rd2, %r5, 4, %rd1; (lane 4 has index 4)
	// 13: 0000001f ld.global.f32 %f1, [%rd2]; (lane 4 has index 4)
	// 14: 0000001f add.f32 %f1, %f1, %f1; (lane 4 has index 4)
	// 15: 0000001f st.global.f32 [%rd2], %f1; (lane 4 has index 4)
	// 17: ffffffff ret; (lane 4 has index 4)
}

// Counters give the memory traffic of a launch: 20 bytes are one sector of 32 bytes.
func ExampleResult_Metric() {
	p, err := simtrun.Load("double.s", []byte(double))
	if err != nil {
		log.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := simtrun.AllocOf(m, "x", []float32{1, 2, 3, 4, 5})
	if err != nil {
		log.Fatal(err)
	}
	res, err := m.Launch(context.Background(), simtrun.Launch{
		Kernel: "double", Block: simtrun.Dim{X: 32}, Args: []any{x, 5}, Profile: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	sectors, _ := res.Metric("global_load_sectors")
	lost, _ := res.Metric("lost_lane_slots")
	lanes, _ := res.MetricOfLine("active_lanes_per_instruction", 13)
	fmt.Println(sectors, "sector,", lost, "lane slots lost,", lanes, "lanes load")
	// Output:
	// 1 sector, 108 lane slots lost, 5 lanes load
}

// Threads of two warps write the same word, and nothing orders the writes.
func ExampleLaunch_races() {
	p, err := simtrun.Load("last.s", []byte(`
.entry last(.param .u64 x)
{
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 31;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 st.global.u32 [%rd1], %r1;
	ret;
}
`))
	if err != nil {
		log.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := m.Alloc("x", 4)
	if err != nil {
		log.Fatal(err)
	}
	res, err := m.Launch(context.Background(), simtrun.Launch{
		Kernel: "last", Block: simtrun.Dim{X: 64}, Args: []any{x}, Races: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range res.Races {
		fmt.Printf("%s: %s: warp %d writes %s, warp %d %s\n", r.Later.Pos, r.Rule, r.Earlier.Threads.Warp, r.Earlier.Value, r.Later.Threads.Warp, r.Later.Value)
		fmt.Println(r.Between)
	}
	// Output:
	// last.s:8:7: race-waw: warp 0 writes 0, warp 1 32
	// no barrier on either path
}

// A fault names the lanes that made the access, and how far outside the buffer it is.
func ExampleFault() {
	p, err := simtrun.Load("double.s", []byte(double))
	if err != nil {
		log.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := simtrun.AllocOf(m, "x", make([]float32, 20))
	if err != nil {
		log.Fatal(err)
	}
	_, err = m.Launch(context.Background(), simtrun.Launch{Kernel: "double", Block: simtrun.Dim{X: 32}, Args: []any{x, 32}})
	var fault *simtrun.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault)
	}
	// Output:
	// double.s:13:2: error: load past the end of x [mem-oob] global 0x110000050
	//   ld.global.f32 %f1, [%rd2];
	//   who     block (0,0,0) warp 0 lanes 20-31 (fff00000), 4 bytes each
	//   buffer  x: 80 bytes at 0x110000000..0x11000004f; the access starts right after the end
	//   index   20; there are 20 elements of 4 bytes, 0 to 19
}

// Run executes a program with the settings of its header, and checks the header's expectations.
func ExampleProgram_Run() {
	p, err := simtrun.LoadFiles("programs/relu.s")
	if err != nil {
		log.Fatal(err)
	}
	out, err := p.Run(context.Background(), simtrun.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Passed, "expectations met,", len(out.Failed), "not")
	// Output:
	// 6 expectations met, 0 not
}

const tile = `
.entry tile(.param .align 64 .b8 map[128], .param .u64 out)
{
	.shared .align 128 .f32 box[32];
	.shared .b64 full;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [full], 1;
	bar.sync 0;
	mov.b64 %rd2, map;
	cvta.param.u64 %rd2, %rd2;
	@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;
	@%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [box], [%rd2, {4, 1}], [full];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
	@!%p2 bra WAIT;
	mov.u32 %r2, box;
	mad.lo.u32 %r2, %r1, 4, %r2;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	ld.shared.f32 %f1, [%r2];
	st.global.f32 [%rd1], %f1;
	ret;
}
`

// A kernel copies a box of 8 columns and 4 rows of a matrix, from column 4 of row 1 on.
func ExampleMachine_TensorMap() {
	p, err := simtrun.Load("tile.s", []byte(tile))
	if err != nil {
		log.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		log.Fatal(err)
	}
	numbers := make([]float32, 16*8) // 8 rows of 16
	for i := range numbers {
		numbers[i] = float32(i)
	}
	matrix, err := simtrun.AllocOf(m, "matrix", numbers)
	if err != nil {
		log.Fatal(err)
	}
	out, err := simtrun.AllocOf(m, "out", make([]float32, 32))
	if err != nil {
		log.Fatal(err)
	}
	tensor, err := m.TensorMap(matrix, "16x8 type=f32 box=8x4")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Launch(context.Background(), simtrun.Launch{
		Kernel: "tile", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 32}, Args: []any{tensor, out},
	}); err != nil {
		log.Fatal(err)
	}
	for row := range 4 {
		fmt.Println(simtrun.Read[float32](out)[row*8:][:8])
	}
	// Output:
	// [20 21 22 23 24 25 26 27]
	// [36 37 38 39 40 41 42 43]
	// [52 53 54 55 56 57 58 59]
	// [68 69 70 71 72 73 74 75]
}

// Two programs are loaded into one memory and work on the same buffer: the first fills it, the second sums it. The
// example prints the attributes of both kernels before it launches them.
func ExampleMemory() {
	mem, err := simtrun.NewMemory(simtrun.Options{})
	if err != nil {
		log.Fatal(err)
	}
	machine := func(src string) *simtrun.Machine {
		p, err := simtrun.Load("k.s", []byte(src))
		if err != nil {
			log.Fatal(err)
		}
		m, err := mem.Load(p)
		if err != nil {
			log.Fatal(err)
		}
		return m
	}
	fill := machine(".entry fill(.param .u64 x) { ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd1, %r1, 4, %rd1; st.global.u32 [%rd1], %r1; ret; }")
	sum := machine(".global .u32 total;\n.entry sum(.param .u64 x) { ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd1, %r1, 4, %rd1; ld.global.u32 %r2, [%rd1]; red.global.add.u32 [total], %r2; ret; }")
	x, err := mem.Alloc("x", 4*64)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range []struct {
		on     *simtrun.Machine
		kernel string
	}{{fill, "fill"}, {sum, "sum"}} {
		k, err := l.on.Kernel(l.kernel)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(l.kernel, k.ParamBytes(), "bytes of parameters,", k.Occupancy(simtrun.Dim{X: 64}, 0).CTAs, "blocks on an SM")
		if _, err := l.on.Launch(context.Background(), simtrun.Launch{Kernel: l.kernel, Block: simtrun.Dim{X: 64}, Args: []any{x}}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(simtrun.Read[uint32](sum.Var("total")))
	if err := mem.Free(x); err != nil {
		log.Fatal(err)
	}
	_, err = sum.Launch(context.Background(), simtrun.Launch{Kernel: "sum", Args: []any{x.Addr()}})
	fmt.Println(err.(*simtrun.Fault).Message)
	// Output:
	// fill 8 bytes of parameters, 32 blocks on an SM
	// sum 8 bytes of parameters, 32 blocks on an SM
	// [2016]
	// load in x, which was freed [mem-freed] global 0x110100100
}
