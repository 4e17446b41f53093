// Package warp is the architectural state of one warp: what its registers hold,
// its masks and its place in the program.
package warp

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// State is one warp of a CTA. The CTA that takes the place of one that has ended
// reuses it.
type State struct {
	ID      int        // in the CTA
	Threads lanes.Mask // lanes that are threads of the CTA: not all, in its last warp
	Control divergence.Control
	Live    lanes.Mask // Control.Live, kept here as it is asked often
	Local   []byte     // local memory: an equal part for each lane in turn
	Steps   uint64     // warp instructions since the CTA started
	Warned  []uint64   // a set of bits: the launch's warnings that are about this warp

	// Windows is by divergence.FrameID what activations own.
	Windows []*Window
	first   [1]*Window // memory for Windows, while the kernel has called nothing
	root    Window     // the kernel's, if WindowIn made it

	shape *Shape
	cta   isa.Dim
	sm    int // on which it runs; -1 if that is not known
	slot  int // of the SM's warps, if the SM is known
}

// Window is what an activation owns: its registers and variables.
type Window struct {
	Func   *program.Func // the function that the activation runs
	File   *lanes.File
	Params []byte // .param variables: an equal part for each lane in turn
	Local  uint64 // where its local variables start in a lane's local memory
	// ParamsAbove is the bytes of .param variables of the callers' activations, for
	// one lane.
	ParamsAbove uint64
	// Late says that results of instructions which the activation has executed are still
	// to be written to File.
	Late bool
}

// Shape is the shape of a launch, as special registers show it.
type Shape struct {
	Grid           isa.Dim // in CTAs
	Block          isa.Dim // in threads
	Cluster        isa.Dim // in CTAs; zero if every CTA is a cluster of its own, as nothing else is said
	DynamicShared  uint32  // bytes of a CTA
	TotalShared    uint32  // bytes of a CTA, static and dynamic
	WarpsPerCTA    int
	ThreadsPerCTA  int
	LocalPerThread int    // bytes
	SMs            int    // of the GPU
	Workspace      uint64 // address of the memory with which CTAs of a cooperative launch synchronise; 0 if there is none
}

// ClusterSize is how many CTAs a cluster has.
func (s *Shape) ClusterSize() int { c := s.cluster(); return int(c.Count()) }

// cluster is the extent of a cluster in CTAs, 1 in each dimension without clusters.
func (s *Shape) cluster() isa.Dim {
	if s.Cluster == (isa.Dim{}) {
		return isa.Dim{X: 1, Y: 1, Z: 1}
	}
	return s.Cluster
}

// clusters is the extent of the grid in clusters.
func (s *Shape) clusters() isa.Dim {
	c := s.cluster()
	return isa.Dim{X: s.Grid.X / c.X, Y: s.Grid.Y / c.Y, Z: s.Grid.Z / c.Z}
}

// rank is the place of a CTA of the grid in its cluster, x fastest, then y, then z.
func (s *Shape) rank(cta isa.Dim) int {
	c := s.cluster()
	return int((cta.Z%c.Z*c.Y+cta.Y%c.Y)*c.X + cta.X%c.X)
}

// clusterOf is the place of a CTA's cluster among those of the grid.
func (s *Shape) clusterOf(cta isa.Dim) isa.Dim {
	c := s.cluster()
	return isa.Dim{X: cta.X / c.X, Y: cta.Y / c.Y, Z: cta.Z / c.Z}
}

// At is the place in the grid of a CTA by its number. CTAs of a cluster have successive
// numbers, in the order of their ranks; so have clusters, x fastest, then y, then z.
func (s *Shape) At(n int64) isa.Dim {
	if s.Cluster == (isa.Dim{}) {
		return s.Grid.At(n)
	}
	c := s.cluster()
	of, in := s.clusters().At(n/c.Count()), c.At(n%c.Count())
	return isa.Dim{X: of.X*c.X + in.X, Y: of.Y*c.Y + in.Y, Z: of.Z*c.Z + in.Z}
}

// Number is the number of the CTA at a place in the grid: the reverse of At.
func (s *Shape) Number(at isa.Dim) int64 {
	return s.clusters().Number(s.clusterOf(at))*int64(s.ClusterSize()) + int64(s.rank(at))
}

// New makes warp id of a CTA whose control state is control.
func New(id int, s *Shape, control divergence.Control) *State {
	w := &State{ID: id, Control: control, Threads: lanes.AllLanes, shape: s, sm: -1}
	if n := s.LocalPerThread * lanes.Width; n > 0 {
		w.Local = make([]byte, n)
	}
	if left := s.ThreadsPerCTA - id*lanes.Width; left < lanes.Width {
		w.Threads = 1<<left - 1
	}
	return w
}

// NewFile is a register file of the layout for this warp, with its constants
// and all special registers but the CTA's own coordinates.
func (w *State) NewFile(l *program.Layout) *lanes.File {
	f := lanes.NewFile(l.Bytes())
	w.setFile(f, l)
	return f
}

// setFile fills what is the same in all CTAs of a register file of the layout, which is zeroed.
func (w *State) setFile(f *lanes.File, l *program.Layout) {
	*lanes.Pred(f, l.True) = lanes.AllLanes
	for _, c := range l.Constants {
		SetUniform(f, c.Off, c.Bits, c.Wide)
	}
	w.setSpecials(f, l)
}

// setSpecials fills the special registers that stay the same from CTA to CTA.
// Threads are numbered with x fastest, then y, then z.
func (w *State) setSpecials(f *lanes.File, l *program.Layout) {
	s, c, clusters := w.shape, w.shape.cluster(), w.shape.clusters()
	x, y := s.Block.X, s.Block.Y
	first := uint32(w.ID * lanes.Width)
	perLane := func(special isa.Special, value func(lane uint32) uint32) {
		if off, ok := l.LookupSpecial(special); ok {
			r := lanes.Reg[uint32](f, off)
			for i := range r {
				r[i] = value(uint32(i))
			}
		}
	}
	// Where a CTA's last warp has lanes that are no threads, these go on as the first two threads begin: compiled
	// code takes for granted that the index of a thread is affine.
	index := func(of func(n uint32) uint32) func(lane uint32) uint32 {
		last, stride := uint32(s.ThreadsPerCTA-1), uint32(0)
		if last > 0 {
			stride = of(1) - of(0)
		}
		return func(lane uint32) uint32 {
			n := min(first+lane, last)
			return of(n) + stride*(first+lane-n)
		}
	}
	perLane(isa.TidX, index(func(n uint32) uint32 {
		if n < x { // as in all CTAs of one dimension: a division takes longer than all else here
			return n
		}
		return n % x
	}))
	perLane(isa.TidY, index(func(n uint32) uint32 { return n / x % y }))
	perLane(isa.TidZ, index(func(n uint32) uint32 { return n / x / y }))
	perLane(isa.LaneID, func(lane uint32) uint32 { return lane })
	perLane(isa.LaneMaskEq, func(lane uint32) uint32 { return 1 << lane })
	perLane(isa.LaneMaskLt, func(lane uint32) uint32 { return 1<<lane - 1 })
	perLane(isa.LaneMaskLe, func(lane uint32) uint32 { return 2<<lane - 1 })
	perLane(isa.LaneMaskGe, func(lane uint32) uint32 { return -(1 << lane) })
	perLane(isa.LaneMaskGt, func(lane uint32) uint32 { return -(2 << lane) })
	for _, u := range []struct {
		special isa.Special
		value   uint32
	}{
		{isa.NtidX, s.Block.X}, {isa.NtidY, s.Block.Y}, {isa.NtidZ, s.Block.Z},
		{isa.NctaidX, s.Grid.X}, {isa.NctaidY, s.Grid.Y}, {isa.NctaidZ, s.Grid.Z},
		{isa.NWarpID, uint32(s.WarpsPerCTA)},
		{isa.DynamicSharedSize, s.DynamicShared}, {isa.TotalSharedSize, s.TotalShared},
		{isa.AggregateSharedSize, s.TotalShared}, // the system takes nothing of the space here
		{isa.NSMID, uint32(s.SMs)}, {isa.EnvReg0 + 1, uint32(s.Workspace)}, {isa.EnvReg0 + 2, uint32(s.Workspace >> 32)},
		{isa.NClusterIDX, clusters.X}, {isa.NClusterIDY, clusters.Y}, {isa.NClusterIDZ, clusters.Z},
		{isa.ClusterNctaidX, c.X}, {isa.ClusterNctaidY, c.Y}, {isa.ClusterNctaidZ, c.Z}, {isa.ClusterNctaRank, uint32(c.Count())},
		// What is not named here is 0.
	} {
		SetSpecial(f, l, u.special, uint64(u.value))
	}
	if off, ok := l.LookupSpecial(isa.IsExplicitCluster); ok && s.Cluster != (isa.Dim{}) {
		*lanes.Pred(f, off) = lanes.AllLanes
	}
}

// Special is the value of a special register in each lane. Clocks are 0.
func (w *State) Special(s isa.Special) (values [lanes.Width]uint64) {
	l := program.NewLayout(&isa.Func{})
	off := l.Special(s)
	f := w.NewFile(l)
	w.Enter(f, l, nil, nil)
	for lane := range values {
		if s.Type() == isa.Pred {
			values[lane] = uint64(*lanes.Pred(f, off) >> lane & 1)
		} else if s.Type().Bits() > 32 {
			values[lane] = lanes.Reg[uint64](f, off)[lane]
		} else {
			values[lane] = uint64(lanes.Reg[uint32](f, off)[lane])
		}
	}
	return values
}

// SetSpecial gives a special register a value in all lanes, if the function
// uses it.
func SetSpecial(f *lanes.File, l *program.Layout, s isa.Special, value uint64) {
	if off, ok := l.LookupSpecial(s); ok {
		SetUniform(f, off, value, s.Type().Bits() > 32)
	}
}

// SetUniform gives all lanes of a slot one value.
func SetUniform(f *lanes.File, off uint32, bits uint64, wide bool) {
	if wide {
		r := lanes.Reg[uint64](f, off)
		for i := range r {
			r[i] = bits
		}
		return
	}
	r, v := lanes.Reg[uint32](f, off), uint32(bits)
	for i := 0; i < lanes.Width; i += 4 { // for each CTA that starts: four at once take half the time
		r[i], r[i+1], r[i+2], r[i+3] = v, v, v, v
	}
}

// Window is what the activation in a frame owns, which runs f. It is made if the frame
// has none yet.
func (w *State) Window(id divergence.FrameID, f *program.Func) *Window {
	for len(w.Windows) <= int(id) {
		w.Windows = append(w.Windows, nil)
	}
	if w.Windows[id] == nil {
		win := newWindow(f, w.NewFile(f.Layout))
		w.Windows[id] = &win
	}
	return w.Windows[id]
}

// WindowIn is Window for a frame that has none yet, with its registers in mem, which is as for lanes.FileIn.
func (w *State) WindowIn(id divergence.FrameID, f *program.Func, mem []byte) *Window {
	file := lanes.FileIn(mem)
	w.setFile(file, f.Layout)
	win := &w.root
	if id != divergence.Root {
		win = new(Window)
	}
	*win = newWindow(f, file)
	if w.Windows == nil {
		w.Windows = w.first[:0]
	}
	w.Windows = append(w.Windows, make([]*Window, int(id)+1-len(w.Windows))...)
	w.Windows[id] = win
	return win
}

func newWindow(f *program.Func, file *lanes.File) Window {
	return Window{Func: f, File: file, Params: make([]byte, f.FrameBytes*lanes.Width), Local: ^uint64(0)}
}

// Renew gives what an activation owned to another one of the same function, apart from the
// registers: what is to be written to those late must not be seen in new ones.
func (w *State) Renew(win *Window) {
	win.File, win.Local, win.Late = w.NewFile(win.Func.Layout), ^uint64(0), false
}

// Start puts the warp at the beginning of the kernel as part of the CTA at the
// given coordinates.
func (w *State) Start(cta isa.Dim) {
	clear(w.Local)
	w.Begin(cta)
}

// Begin is Start for a warp of which all memory and registers are those of the CTA already.
func (w *State) Begin(cta isa.Dim) {
	w.cta = cta
	w.Steps, w.Warned = 0, w.Warned[:0]
	w.Control.Start(0, w.Threads)
	w.Live = w.Threads
}

// Place says where the warp runs: in which slot of which SM.
func (w *State) Place(sm, slot int) { w.sm, w.slot = sm, slot }

// Enter makes a register file ready for an activation of the function that it
// is laid out for: the CTA's coordinates, and 0 in the registers of liveIn, which
// the function may read before it writes them.
func (w *State) Enter(f *lanes.File, l *program.Layout, liveIn []isa.RegID, regs []isa.Reg) {
	for _, special := range l.PerCTA {
		off, _ := l.LookupSpecial(special)
		if v := w.ofCTA(special); v != uint64(lanes.Reg[uint32](f, off)[0]) { // all lanes have the same
			SetUniform(f, off, v, false)
		}
	}
	clearLiveIn(f, l, liveIn, regs)
}

// EnterNext makes the registers of the kernel's activations ready for the CTA at the given coordinates, in all
// warps of a CTA whose place it takes, as Start and Enter do for each. On a known SM they would not be the same.
func EnterNext(warps []*State, cta isa.Dim, l *program.Layout, liveIn []isa.RegID, regs []isa.Reg) {
	next := *warps[0]
	next.cta = cta
	for _, special := range l.PerCTA {
		off, _ := l.LookupSpecial(special)
		v := uint32(next.ofCTA(special))
		if special == isa.WarpID || v == lanes.Reg[uint32](warps[0].Windows[divergence.Root].File, off)[0] {
			continue
		}
		var all [lanes.Width]uint32
		for i := range all {
			all[i] = v
		}
		for _, w := range warps {
			*lanes.Reg[uint32](w.Windows[divergence.Root].File, off) = all
		}
	}
	for _, w := range warps {
		clearLiveIn(w.Windows[divergence.Root].File, l, liveIn, regs)
	}
}

// clearLiveIn puts 0 in the registers of liveIn, and in the carry flag.
func clearLiveIn(f *lanes.File, l *program.Layout, liveIn []isa.RegID, regs []isa.Reg) {
	*lanes.Pred(f, l.Carry) = 0
	for _, id := range liveIn {
		off := l.Reg(id)
		switch {
		case regs[id].Type == isa.Pred:
			*lanes.Pred(f, off) = 0
		case regs[id].Type == isa.B128:
			low, high := lanes.Long(f, off)
			*low, *high = [lanes.Width]uint64{}, [lanes.Width]uint64{}
		case regs[id].Type.Bits() > 32:
			*lanes.Reg[uint64](f, off) = [lanes.Width]uint64{}
		default:
			*lanes.Reg[uint32](f, off) = [lanes.Width]uint32{}
		}
	}
}

// ofCTA is the value of a special register that differs from CTA to CTA.
func (w *State) ofCTA(s isa.Special) uint64 {
	switch s {
	case isa.CtaidX:
		return uint64(w.cta.X)
	case isa.CtaidY:
		return uint64(w.cta.Y)
	case isa.CtaidZ:
		return uint64(w.cta.Z)
	case isa.WarpID:
		if w.sm >= 0 {
			return uint64(w.slot)
		}
		return uint64(w.ID)
	case isa.SMID:
		if w.sm >= 0 {
			return uint64(w.sm)
		}
		grid := w.shape.Grid
		number := (uint64(w.cta.Z)*uint64(grid.Y)+uint64(w.cta.Y))*uint64(grid.X) + uint64(w.cta.X)
		return number % uint64(w.shape.SMs)
	}
	return w.ofCluster(s)
}

// ofCluster is the value of a special register that says where the CTA's cluster is in the
// grid, or the CTA in it.
func (w *State) ofCluster(s isa.Special) uint64 {
	c := w.shape.cluster()
	switch s {
	case isa.ClusterIDX:
		return uint64(w.cta.X / c.X)
	case isa.ClusterIDY:
		return uint64(w.cta.Y / c.Y)
	case isa.ClusterIDZ:
		return uint64(w.cta.Z / c.Z)
	case isa.ClusterCtaidX:
		return uint64(w.cta.X % c.X)
	case isa.ClusterCtaidY:
		return uint64(w.cta.Y % c.Y)
	case isa.ClusterCtaidZ:
		return uint64(w.cta.Z % c.Z)
	case isa.ClusterCtaRank:
		return uint64(w.shape.rank(w.cta))
	}
	panic("simtrun bug: special register " + s.String() + " is the same in all CTAs")
}

// LocalGrowth is how many bytes GrowLocal adds for all lanes together.
func (w *State) LocalGrowth(bytes int) int64 {
	have := len(w.Local) / lanes.Width
	if bytes <= have {
		return 0
	}
	return int64(max(bytes, 2*have)-have) * lanes.Width
}

// GrowLocal gives every lane at least bytes of local memory and keeps what is
// there.
func (w *State) GrowLocal(bytes int) {
	have := len(w.Local) / lanes.Width
	if bytes <= have {
		return
	}
	bytes = max(bytes, 2*have)
	grown := make([]byte, bytes*lanes.Width)
	for lane := range lanes.Width {
		copy(grown[lane*bytes:], w.Local[lane*have:(lane+1)*have])
	}
	w.Local = grown
}

// CopyTo makes to, the warp of the same ID of another CTA of the launch, what w is.
// They share nothing.
func (w *State) CopyTo(to *State) {
	to.Live, to.Steps, to.cta, to.sm, to.slot = w.Live, w.Steps, w.cta, w.sm, w.slot
	to.Local = append(to.Local[:0], w.Local...)
	to.Warned = append(to.Warned[:0], w.Warned...)
	w.Control.CopyTo(to.Control)
	to.Windows = slices.Grow(to.Windows, max(0, len(w.Windows)-len(to.Windows)))
	had := len(to.Windows)
	to.Windows = to.Windows[:len(w.Windows)]
	for id, from := range w.Windows {
		if id < had && to.Windows[id] != nil && from != nil && to.Windows[id].Func == from.Func {
			from.copyTo(to.Windows[id])
		} else {
			to.Windows[id] = from.clone()
		}
	}
}

func (w *Window) copyTo(to *Window) {
	size := w.Func.Layout.Bytes()
	copy(to.File.Bytes(size), w.File.Bytes(size))
	copy(to.Params, w.Params)
	to.Local, to.ParamsAbove = w.Local, w.ParamsAbove
}

func (w *Window) clone() *Window {
	if w == nil {
		return nil
	}
	c := &Window{Func: w.Func, File: lanes.NewFile(w.Func.Layout.Bytes()), Params: make([]byte, len(w.Params))}
	w.copyTo(c)
	return c
}
