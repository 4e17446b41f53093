package main

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/ordering"
	"github.com/simtrun/simtrun/memory"
)

// pendingCopy is an asynchronous copy from or to memory of the host, for which the host has not waited. A copy to the
// host writes its bytes only when the host waits for it, as it may on a GPU. It implements ordering.Guard.
type pendingCopy struct {
	op       *ordering.Op
	addr     uint64
	host     []byte // the memory of the host
	before   []byte // its contents at the call
	arriving []byte // its contents after the copy; nil for a copy from the host
	pageable bool
}

const (
	// mostKept is how many bytes of copies may be pending. Further copies are made at once.
	mostKept = 256 << 20
	// latest is the time after which a copy to page-locked memory is made without a wait, because programs may poll
	// that memory.
	latest = 100 * time.Millisecond
)

// copy does a copy in a stream. waits says that its call waits for it.
func (o *orders) copy(t *transfer, n uint64, waits bool) result {
	if o == nil || n == 0 {
		return copyBytes(t, n)
	}
	for _, p := range []*place{&t.to, &t.from} {
		if p.rows == nil {
			if _, r := p.bytes(n); r != success {
				return r
			}
		}
	}
	op, w := o.current, o.current.What.(*work)
	to, from := t.to.memory(), t.from.memory()
	switch {
	case t.from.rows != nil:
	case from == pageable: // the call reads it
		w.staged = waits && to == onGPU
		o.shadow.Look(op.After, w, w.at, t.from.addr, n)
	default:
		o.accessed(t.from.addr, n, false)
	}
	if t.to.rows == nil {
		o.accessed(t.to.addr, n, true)
	}
	late := !waits && o.kept+n <= mostKept
	switch {
	case late && (to == pageable || to == pageLocked):
		return o.copyPending(t, n, to == pageable)
	case late && from == pageLocked:
		if host, r := t.from.bytes(n); r == success {
			o.keep(&pendingCopy{op: op, addr: t.from.addr, host: host, before: bytes.Clone(host)})
		}
	}
	return copyBytes(t, n)
}

// copyPending begins a copy to the host's memory, which ends at the program's next wait for it.
func (o *orders) copyPending(t *transfer, n uint64, isPageable bool) result {
	host, r := t.to.bytes(n)
	if r != success {
		return r
	}
	c := &pendingCopy{op: o.current, addr: t.to.addr, host: host, before: bytes.Clone(host), arriving: make([]byte, n), pageable: isPageable}
	aside := place{bytes: func(uint64) ([]byte, result) { return c.arriving, success }, addr: t.to.addr, host: true}
	if r := copyBytes(&transfer{to: aside, from: t.from, at: t.at}, n); r != success {
		return r
	}
	dev.wrote(host, nil, nil) // now, as operations that use the bytes are checked before these arrive
	o.keep(c)
	if !isPageable {
		time.AfterFunc(latest, func() {
			dev.mu.Lock()
			defer dev.mu.Unlock()
			if slices.Contains(o.pending, c) {
				o.end(c)
			}
		})
	}
	return success
}

func (o *orders) keep(c *pendingCopy) {
	o.pending = append(o.pending, c)
	o.kept += c.size()
	o.shadow.Guard(c, c.addr, c.size(), c.arriving == nil)
}

func (c *pendingCopy) size() uint64 { return uint64(len(c.host)) }

// Passed implements ordering.Guard.
func (c *pendingCopy) Passed() { dev.orders.end(c) }

// finish ends the delayed copies that precede the work of a clock.
func (o *orders) finish(c ordering.Clock) {
	for _, l := range slices.Clone(o.pending) {
		if l.op.IsBefore(c) {
			o.end(l)
		}
	}
}

// end ends a late copy: a copy to the host now writes the bytes that the host has not changed meanwhile. Changed bytes
// are a finding.
func (o *orders) end(c *pendingCopy) {
	o.pending = slices.DeleteFunc(o.pending, func(l *pendingCopy) bool { return l == c })
	o.kept -= c.size()
	o.shadow.Unguard(c, c.addr, c.size())
	defer func() {
		if p := recover(); p != nil { // the memory is no longer there
			o.hostRace(c, "freed")
		}
	}()
	changed := !bytes.Equal(c.host, c.before)
	if changed {
		o.hostRace(c, "changed")
	}
	if c.arriving == nil {
		return
	}
	if !changed {
		copy(c.host, c.arriving)
		return
	}
	for i := range c.host {
		if c.host[i] == c.before[i] {
			c.host[i] = c.arriving[i]
		}
	}
}

// hostRace reports memory that the host has changed before it has waited for a copy, once for each call.
func (o *orders) hostRace(c *pendingCopy, how string) {
	w := c.op.What.(*work)
	does := "reads"
	if c.arriving != nil {
		does = "writes"
	}
	if o.hosts[w.at] {
		return
	}
	o.hosts[w.at] = true
	at := w.at.site()
	f := cuda.Finding{Rule: cuda.RuleHost, Severity: "error", Place: at.place(), Code: at.code, Count: 1,
		Message: fmt.Sprintf("the host has %s memory that an asynchronous copy %s, before it has waited for the copy", how, does)}
	dev.outlet.between(&f, &at, nil, []string{"copy    " + w.String(), fmt.Sprintf("memory  %s at 0x%x", memory.Bytes(c.size()), c.addr), "fix     wait for " + w.stream() + " or an event after the copy before the host uses the memory"})
}
