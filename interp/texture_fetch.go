package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/texture"
)

// fetching is an engine's state for textures that are read for a whole warp at once.
type fetching struct {
	warp    texture.Warp
	known   [8]fetchedImage        // by the last bits of the instruction's PC
	words   [4][lanes.Width]uint32 // results that do not go to registers at once
	coords  [3]*[lanes.Width]uint32
	results [4]*[lanes.Width]uint32
}

// fetchedImage has the texture and sampler that an instruction's handles refer to.
type fetchedImage struct {
	in             *program.Image
	stamp, sampler uint64          // of the texture, and of the sampler if it has a handle
	reader         *texture.Reader // nil if the instruction takes the general way
	gather         int             // of a tld4, 1 more than the channel: the general way, or code, executes it
	line           bool            // a row of two dimensions: the general code would also read texels with weight 0
	coords, to     []uint32        // slots of the coordinates, in the order of Warp.Find, and of the results

	// For compiled code: the handles, how often they were used, and the routine for them. If unserved is set, there is
	// none.
	handle, samplerHandle uint64
	times                 int
	unserved              bool
	fetcher               *jit.Fetcher
	texels                *jit.Texels
}

// fetch executes a tex for the lanes of m if they use one texture, and a Reader can read it. It returns false, and does
// nothing, for all others, and for those with a fault.
func (e *Engine) fetch(pc int, m lanes.Mask) bool {
	if e.sampling == nil {
		e.sampling = new(sampling)
	}
	im, k := e.fetched(pc, m)
	if k == nil || k.reader == nil || im.Region.Freed() {
		return false
	}
	if e.serveCode(pc, im, k); k.gather > 0 {
		return false
	}
	s, r := &e.sampling.fetching, k.reader
	for i, slot := range k.coords {
		s.coords[i] = lanes.Reg[uint32](e.path.File, slot)
	}
	border := s.warp.Find(r, &s.coords, m)
	if e.showsTexels() && (border != 0 || k.line || !e.showTexels(pc, im, r, m)) {
		return false
	}
	direct := m == lanes.AllLanes && border == 0 && len(k.to) == len(s.results)
	for i := range s.results {
		if s.results[i] = &s.words[i]; direct {
			s.results[i] = lanes.Reg[uint32](e.path.File, k.to[i])
		}
	}
	memory := im.Region.Data[im.At:]
	s.warp.Values(r, memory, &s.results)
	if border != 0 {
		s.warp.Border(r, memory, &s.coords, &s.results)
	}
	if !direct {
		for i, slot := range k.to {
			reg := lanes.Reg[uint32](e.path.File, slot)
			for rest := m; rest != 0; rest &= rest - 1 {
				reg[rest.First()] = s.words[i][rest.First()]
			}
		}
	}
	*lanes.Pred(e.path.File, e.fn.Ops[pc].D2) |= m // all of it is resident
	return true
}

// fetched returns the texture that the lanes of m use, with its properties; nil if they use several or none.
func (e *Engine) fetched(pc int, m lanes.Mask) (*Image, *fetchedImage) {
	in := e.fn.Info[pc].Image
	handle, ok := e.common(in.Handle, in.Wide, m)
	im := e.m.imageAt(handle)
	if !ok || im == nil {
		return nil, nil
	}
	stamp, samplerHandle := uint64(0), uint64(0)
	if in.Sampler != 0 {
		if samplerHandle, ok = e.common(in.Sampler, in.SamplerWide(), m); !ok {
			return nil, nil
		}
		sampler := e.m.imageAt(samplerHandle)
		if sampler == nil {
			return nil, nil
		}
		stamp = sampler.stamp
	}
	k := &e.sampling.known[pc%len(e.sampling.known)]
	if k.in != in || k.stamp != im.stamp || k.sampler != stamp {
		*k = fetchedImage{in: in, stamp: im.stamp, sampler: stamp, handle: handle, samplerHandle: samplerHandle}
		if k.reader = e.readerOf(pc, m); k.reader == nil {
			return im, k
		}
		first := len(in.Coords) - in.Geometry.Dims() // 1 if there is a layer, which Find takes last
		k.gather = int(e.fn.Src.Code[pc].Mods[isa.Component])
		k.line = in.Geometry.Dims() == 1 && im.Texture.Kind == texture.D2
		k.coords = append(in.Coords[first:len(in.Coords):len(in.Coords)], in.Coords[:first]...)
		k.to = e.fn.Ops[pc].Vec[:e.fn.Src.Code[pc].Mods.VecLen()]
	}
	return im, k
}

// common returns the handle in a slot if all lanes of m have the same.
func (e *Engine) common(slot uint32, wide bool, m lanes.Mask) (handle uint64, ok bool) {
	if handle = e.handle(slot, wide, m.First()); !wide || m != lanes.AllLanes {
		return handle, e.having(m, slot, wide, handle) == m
	}
	all, differ := lanes.Reg[uint64](e.path.File, slot), uint64(0)
	for i := 0; i < lanes.Width; i += 4 {
		differ |= all[i] ^ handle | all[i+1] ^ handle | all[i+2] ^ handle | all[i+3] ^ handle
	}
	return handle, differ == 0
}

// readerOf returns the Reader for a tex of lanes m, all of which use one texture and one sampler; nil if it has none.
func (e *Engine) readerOf(pc int, m lanes.Mask) *texture.Reader {
	src, in := &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	if src.Types[0] == isa.F16 || src.Types[0] == isa.F16x2 || in.Compare != 0 || in.Offset != nil ||
		in.Geometry.Samples() || len(in.Coords) > len(e.sampling.coords) {
		return nil
	}
	uses, _, err := e.uses(pc, m, isa.TexRef)
	if err != nil || len(uses) != 1 {
		return nil
	}
	return texture.NewReader(&uses[0].image.Texture, &uses[0].sampler, in.Geometry.Dims(), src.Types[1] == isa.S32)
}

// showsTexels reports whether a watcher, an observer or the caller of Issue is shown accesses, or whether they may be
// to memory with changes that are deferred.
func (e *Engine) showsTexels() bool {
	return e.watcher != nil || e.effect != nil || e.journal != nil || len(e.observers.access)+len(e.observers.completion) > 0
}

// showTexels shows the accesses to the texels that the lanes of m have found. It returns false, and does nothing, if
// the general way must read them because there are changes that the lanes do not see.
func (e *Engine) showTexels(pc int, im *Image, r *texture.Reader, m lanes.Mask) bool {
	e.placeImage(im)
	if e.defers() {
		for k := range r.N {
			e.sampling.warp.Offsets(r, k, im.At, &e.acc.Off)
			if e.journal.Changes(&e.acc, m) {
				return false
			}
		}
	}
	for k := range r.N {
		e.sampling.warp.Offsets(r, k, im.At, &e.acc.Off)
		if e.watcher != nil {
			e.watch(pc, m)
		}
		e.notifyAccessed(isa.Load, pc, m, k+1 < r.N)
		if len(e.observers.completion) > 0 {
			e.notifyCompleted()
		}
		if e.effect != nil {
			e.effect.Access = append(e.effect.Access, Moved{e.acc, m})
		}
	}
	return true
}
