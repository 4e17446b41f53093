// Package warp is the architectural state of one warp: its registers, its masks and its place in the program.
package warp

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// State is one warp of a CTA. The CTA that replaces one that has ended reuses it.
type State struct {
	ID      int        // in the CTA
	Threads lanes.Mask // lanes that are threads of the CTA: not all in its last warp
	Control divergence.Control
	Live    lanes.Mask // copy of Control.Live, which is needed often
	Local   []byte     // local memory: an equal part for each lane, one after the other
	Steps   uint64     // warp instructions since the CTA started
	Warned  []uint64   // bit set: the launch's warnings that are about this warp

	// Windows has the windows of activations, by divergence.FrameID.
	Windows []*Window
	first   [1]*Window // memory for Windows, while the kernel has called no function
	root    Window     // of the kernel, if WindowIn made it

	shape *Shape
	cta   isa.Dim
	sm    int // number of its SM; -1 if that is not known
	slot  int // index among the SM's warps, if the SM is known
}

// Window has the registers and variables of an activation.
type Window struct {
	Func   *program.Func // the function that the activation runs
	File   *lanes.File
	Params []byte // .param variables: an equal part for each lane, one after the other
	Local  uint64 // where its local variables start in a lane's local memory
	// ParamsAbove is the size in bytes of the .param variables of the callers' activations, for one lane.
	ParamsAbove uint64
	// Late says that results of instructions of the activation have not been written to File yet.
	Late bool
}

// Owned returns the memory of the register file; see snapshot.Owner.
func (w *Window) Owned() []byte { return w.File.Bytes(w.Func.Layout.Bytes()) }

// Shape is the shape of a launch for special registers.
type Shape struct {
	Grid           isa.Dim // in CTAs
	Block          isa.Dim // in threads
	Cluster        isa.Dim // in CTAs; zero if every CTA is a cluster of its own
	DynamicShared  uint32  // bytes of a CTA
	TotalShared    uint32  // bytes of a CTA, static and dynamic
	WarpsPerCTA    int
	ThreadsPerCTA  int
	LocalPerThread int // bytes
	SMs            int // of the GPU
	// address of the memory with which CTAs of a cooperative launch synchronise; 0 for other launches
	Workspace uint64
}

// ClusterSize returns how many CTAs a cluster has.
func (s *Shape) ClusterSize() int { c := s.cluster(); return int(c.Count()) }

// cluster returns the extent of a cluster in CTAs, 1 in each dimension without clusters.
func (s *Shape) cluster() isa.Dim {
	if s.Cluster == (isa.Dim{}) {
		return isa.Dim{X: 1, Y: 1, Z: 1}
	}
	return s.Cluster
}

// clusters returns the extent of the grid in clusters.
func (s *Shape) clusters() isa.Dim {
	c := s.cluster()
	return isa.Dim{X: s.Grid.X / c.X, Y: s.Grid.Y / c.Y, Z: s.Grid.Z / c.Z}
}

// rank returns the rank of a CTA of the grid in its cluster, x fastest, then y, then z.
func (s *Shape) rank(cta isa.Dim) int {
	c := s.cluster()
	return int((cta.Z%c.Z*c.Y+cta.Y%c.Y)*c.X + cta.X%c.X)
}

// clusterOf returns the position of a CTA's cluster among those of the grid.
func (s *Shape) clusterOf(cta isa.Dim) isa.Dim {
	c := s.cluster()
	return isa.Dim{X: cta.X / c.X, Y: cta.Y / c.Y, Z: cta.Z / c.Z}
}

// At returns the position in the grid of the CTA with a number. CTAs of a cluster have consecutive numbers, in the
// order of their ranks; so have clusters, x fastest, then y, then z.
func (s *Shape) At(n int64) isa.Dim {
	if s.Cluster == (isa.Dim{}) {
		return s.Grid.At(n)
	}
	c := s.cluster()
	of, in := s.clusters().At(n/c.Count()), c.At(n%c.Count())
	return isa.Dim{X: of.X*c.X + in.X, Y: of.Y*c.Y + in.Y, Z: of.Z*c.Z + in.Z}
}

// Number returns the number of the CTA at a position in the grid: the reverse of At.
func (s *Shape) Number(at isa.Dim) int64 {
	return s.clusters().Number(s.clusterOf(at))*int64(s.ClusterSize()) + int64(s.rank(at))
}

// New makes warp id of a CTA, with a control state.
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

// NewFile returns a register file of the layout for this warp, with its constants and all special registers except
// the CTA's own coordinates.
func (w *State) NewFile(l *program.Layout) *lanes.File {
	f := lanes.NewFile(l.Bytes())
	w.setFile(f, l)
	return f
}

// setFile fills the parts of a zeroed register file of the layout that are the same in all CTAs.
func (w *State) setFile(f *lanes.File, l *program.Layout) {
	*lanes.Pred(f, l.True) = lanes.AllLanes
	for _, c := range l.Constants {
		SetUniform(f, c.Off, c.Bits, c.Wide)
	}
	w.setSpecials(f, l)
}

// setLanes sets a special register of 32 bits to a value in each lane, if the function uses it.
func setLanes(f *lanes.File, l *program.Layout, special isa.Special, value func(lane uint32) uint32) {
	if off, ok := l.LookupSpecial(special); ok {
		r := lanes.Reg[uint32](f, off)
		for i := range r {
			r[i] = value(uint32(i))
		}
	}
}

// setThreads fills the special registers with the positions of the warp's threads in the CTA. Threads are numbered with
// x fastest, then y, then z. If a CTA's last warp has lanes that are not threads, these continue the sequence of the
// first two threads: compiled code assumes that the index of a thread is affine.
func (w *State) setThreads(f *lanes.File, l *program.Layout) {
	block, first, last := w.shape.Block, w.ID*lanes.Width, w.shape.ThreadsPerCTA-1
	x, y, z := threadSlot(f, l, isa.TidX), threadSlot(f, l, isa.TidY), threadSlot(f, l, isa.TidZ)
	at, stride := block.At(int64(first)), block.At(int64(min(last, 1)))
	for lane := range lanes.Width {
		x[lane], y[lane], z[lane] = at.X, at.Y, at.Z
		if first+lane >= last {
			at = isa.Dim{X: at.X + stride.X, Y: at.Y + stride.Y, Z: at.Z + stride.Z}
		} else if at.X++; at.X == block.X { // divisions for each lane would take longer
			if at.X, at.Y = 0, at.Y+1; at.Y == block.Y {
				at.Y, at.Z = 0, at.Z+1
			}
		}
	}
}

// threadSlot returns the slot of a special register, or memory that nothing reads if the function does not use it.
func threadSlot(f *lanes.File, l *program.Layout, special isa.Special) *[lanes.Width]uint32 {
	if off, ok := l.LookupSpecial(special); ok {
		return lanes.Reg[uint32](f, off)
	}
	return new([lanes.Width]uint32)
}

// setSpecials fills the special registers that are the same in all CTAs.
func (w *State) setSpecials(f *lanes.File, l *program.Layout) {
	s, c, clusters := w.shape, w.shape.cluster(), w.shape.clusters()
	w.setThreads(f, l)
	setLanes(f, l, isa.LaneID, func(lane uint32) uint32 { return lane })
	setLanes(f, l, isa.LaneMaskEq, func(lane uint32) uint32 { return 1 << lane })
	setLanes(f, l, isa.LaneMaskLt, func(lane uint32) uint32 { return 1<<lane - 1 })
	setLanes(f, l, isa.LaneMaskLe, func(lane uint32) uint32 { return 2<<lane - 1 })
	setLanes(f, l, isa.LaneMaskGe, func(lane uint32) uint32 { return -(1 << lane) })
	setLanes(f, l, isa.LaneMaskGt, func(lane uint32) uint32 { return -(2 << lane) })
	for _, u := range []struct {
		special isa.Special
		value   uint32
	}{
		{isa.NtidX, s.Block.X}, {isa.NtidY, s.Block.Y}, {isa.NtidZ, s.Block.Z},
		{isa.NctaidX, s.Grid.X}, {isa.NctaidY, s.Grid.Y}, {isa.NctaidZ, s.Grid.Z},
		{isa.NWarpID, uint32(s.WarpsPerCTA)},
		{isa.DynamicSharedSize, s.DynamicShared}, {isa.TotalSharedSize, s.TotalShared},
		{isa.AggregateSharedSize, s.TotalShared}, // the system uses none of the space here
		{isa.NSMID, uint32(s.SMs)}, {isa.EnvReg0 + 1, uint32(s.Workspace)}, {isa.EnvReg0 + 2, uint32(s.Workspace >> 32)},
		{isa.NClusterIDX, clusters.X}, {isa.NClusterIDY, clusters.Y}, {isa.NClusterIDZ, clusters.Z},
		{isa.ClusterNctaidX, c.X}, {isa.ClusterNctaidY, c.Y}, {isa.ClusterNctaidZ, c.Z}, {isa.ClusterNctaRank, uint32(c.Count())},
		// All others are 0.
	} {
		SetSpecial(f, l, u.special, uint64(u.value))
	}
	if off, ok := l.LookupSpecial(isa.IsExplicitCluster); ok && s.Cluster != (isa.Dim{}) {
		*lanes.Pred(f, off) = lanes.AllLanes
	}
}

// Special returns the value of a special register in each lane. Clocks are 0.
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

// SetSpecial sets a special register to a value in all lanes, if the function uses it.
func SetSpecial(f *lanes.File, l *program.Layout, s isa.Special, value uint64) {
	if off, ok := l.LookupSpecial(s); ok {
		SetUniform(f, off, value, s.Type().Bits() > 32)
	}
}

// SetUniform sets a slot to one value in all lanes.
func SetUniform(f *lanes.File, off uint32, bits uint64, wide bool) {
	if wide {
		r := lanes.Reg[uint64](f, off)
		for i := range r {
			r[i] = bits
		}
		return
	}
	r, v := lanes.Reg[uint32](f, off), uint32(bits)
	for i := 0; i < lanes.Width; i += 4 { // executed for each CTA that starts: four at once take half the time
		r[i], r[i+1], r[i+2], r[i+3] = v, v, v, v
	}
}

// Window returns the window of the activation in a frame, which runs f. It makes one if the frame has none.
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

// WindowIn is Window for a frame without a window, with the registers in mem; see lanes.FileIn. The pattern is that of
// the function's layout, or nil.
func (w *State) WindowIn(id divergence.FrameID, f *program.Func, mem []byte, p *Pattern) *Window {
	file := lanes.FileIn(mem)
	if p == nil {
		w.setFile(file, f.Layout)
	} else {
		copy(mem[p.at:], p.bytes)
		*lanes.Pred(file, f.Layout.True) = lanes.AllLanes
		w.setThreads(file, f.Layout)
	}
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

// Renew passes the window of an activation to another activation of the same function, except the registers: late
// results must not be written to the new ones.
func (w *State) Renew(win *Window) {
	win.File, win.Local, win.Late = w.NewFile(win.Func.Layout), ^uint64(0), false
}

// Start puts the warp at the beginning of the kernel as part of the CTA at the given coordinates.
func (w *State) Start(cta isa.Dim) {
	clear(w.Local)
	w.Begin(cta)
}

// Begin is Start for a warp with memory and registers that are those of the CTA already.
func (w *State) Begin(cta isa.Dim) {
	w.cta = cta
	w.Steps, w.Warned = 0, w.Warned[:0]
	w.Control.Start(0, w.Threads)
	w.Live = w.Threads
}

// Place records where the warp runs: the slot and the SM.
func (w *State) Place(sm, slot int) { w.sm, w.slot = sm, slot }

// Enter prepares a register file for an activation of the function that it is laid out for: it sets the CTA's
// coordinates, and clears the registers of liveIn, which the function may read before it writes them.
func (w *State) Enter(f *lanes.File, l *program.Layout, liveIn []isa.RegID, regs []isa.Reg) {
	for _, special := range l.PerCTA {
		off, _ := l.LookupSpecial(special)
		if v := w.ofCTA(special); v != uint64(lanes.Reg[uint32](f, off)[0]) { // the same in all lanes
			SetUniform(f, off, v, false)
		}
	}
	clearLiveIn(f, l, liveIn, regs)
}

// EnterNext prepares the registers of the kernel's activations for the CTA at the given coordinates, in all warps of
// the CTA that it replaces, as Start and Enter do for each. The SM must not be known, because its special registers
// would differ.
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

// clearLiveIn clears the registers of liveIn and the carry flag.
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

// ofCTA returns the value of a special register that differs between CTAs.
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

// ofCluster returns the value of a special register for the position of the CTA's cluster in the grid, or of the CTA
// in it.
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

// LocalGrowth returns how many bytes GrowLocal adds for all lanes together.
func (w *State) LocalGrowth(bytes int) int64 {
	have := len(w.Local) / lanes.Width
	if bytes <= have {
		return 0
	}
	return int64(max(bytes, 2*have)-have) * lanes.Width
}

// GrowLocal gives every lane at least bytes of local memory and keeps the contents.
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

// CopyTo copies w to the warp of the same ID of another CTA of the launch. They share nothing.
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
