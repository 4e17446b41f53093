package interp

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/memory"
)

// fetchesBeforeCode is how often an instruction fetches from a texture by Go before a routine is compiled for it: that
// takes as long as some hundred fetches.
const fetchesBeforeCode = 32

// fetcherKey identifies a routine of the natives.
type fetcherKey struct {
	fetch jit.Fetch
	level jit.Level
	inert bool // it is evaluated
}

// fetcher returns the routine of a fetch; nil if the system has no memory for it.
func (n *natives) fetcher(key fetcherKey) *jit.Fetcher {
	n.mu.Lock()
	defer n.mu.Unlock()
	f, known := n.fetchers[key]
	if known {
		return f
	}
	if n.fetchers == nil {
		n.fetchers = make(map[fetcherKey]*jit.Fetcher)
	}
	f, err := jit.NewFetcher(key.level, &key.fetch, key.inert)
	if err != nil {
		f = nil
	}
	n.fetchers[key] = f
	return f
}

// serveCode lets compiled code execute the tex at pc from now on while lanes use the handles of k, unless accesses must
// be shown to others.
func (e *Engine) serveCode(pc int, im *Image, k *fetchedImage) {
	if e.native.ctx == nil || k.unserved {
		return
	}
	if k.times++; k.times <= fetchesBeforeCode && e.native.after > 0 {
		return
	}
	if k.fetcher == nil {
		f, ok := k.reader.Fetch(len(k.to), k.gather)
		if ok = ok && native.Fetches(e.fn, pc); ok {
			k.fetcher = e.m.code.natives.fetcher(fetcherKey{f, e.native.level, e.native.cpu != nil})
		}
		if k.unserved = k.fetcher == nil; k.unserved {
			return
		}
	}
	data, ok := e.texelsForCode(pc, im.Region)
	if !ok {
		return
	}
	data = data[im.At:]
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%4 != 0 { // code reads whole words
		return
	}
	if k.texels == nil || k.texels.Data != unsafe.Pointer(unsafe.SliceData(data)) {
		k.texels = k.reader.Texels(data)
		k.fetcher.Serve(k.texels)
	}
	e.setNativeHint(e.fn, pc, jit.Hint{Base: k.handle, Len: k.samplerHandle, Data: unsafe.Pointer(k.texels)})
}

// texelsForCode returns the memory of a region from which code may fetch; ok is false if accesses of the tex at pc are
// shown to others one by one.
func (e *Engine) texelsForCode(pc int, r *memory.Region) (data []byte, ok bool) {
	if e.native.shadow || e.effect != nil || e.journal != nil || len(e.observers.access)+len(e.observers.completion) > 0 {
		return nil, false
	}
	if e.watcher == nil || r.Space != isa.Global {
		return r.Data, true
	}
	data, pages, ok := e.watcher.Notes(isa.Load, &e.fn.Info[pc], r)
	return data, ok && len(pages) == 0
}
