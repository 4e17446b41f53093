package ordering

import "testing"

// step is an access of an operation in a timeline, which comes after what other timelines have done.
type step struct {
	on     Timeline
	after  []Timeline
	addr   uint64
	n      uint64
	writes bool
	strong bool
}

const large = 3*pageBytes + 100

// TestConflictsAreThoseOfUnorderedAccesses checks the bytes at which sequences of accesses conflict.
func TestConflictsAreThoseOfUnorderedAccesses(t *testing.T) {
	read := func(on Timeline, addr, n uint64, after ...Timeline) step {
		return step{on, after, addr, n, false, false}
	}
	write := func(on Timeline, addr, n uint64, after ...Timeline) step {
		return step{on, after, addr, n, true, false}
	}
	atomic := func(on Timeline, addr uint64, after ...Timeline) step { return step{on, after, addr, 4, true, true} }
	for name, c := range map[string]struct {
		steps []step
		bytes uint64 // of all conflicts
	}{
		"one timeline":                    {[]step{write(0, 0, 64), read(0, 0, 64), write(0, 0, 64)}, 0},
		"unordered":                       {[]step{write(0, 0, 64), read(1, 32, 64)}, 32},
		"ordered":                         {[]step{write(0, 0, 64), read(1, 32, 64, 0)}, 0},
		"readers":                         {[]step{read(0, 0, 64), read(1, 0, 64)}, 0},
		"the first of two readers":        {[]step{read(0, 0, 64), read(1, 0, 64), write(2, 0, 4, 1)}, 4},
		"the last of two readers":         {[]step{read(0, 0, 64), read(1, 0, 64), write(2, 0, 4, 0)}, 4},
		"both readers are ordered":        {[]step{read(0, 0, 64), read(1, 0, 64), write(2, 0, 4, 0, 1)}, 0},
		"bytes next to each other":        {[]step{write(0, 0, 3), write(1, 3, 1)}, 0},
		"a byte of a word":                {[]step{write(0, 0, 4), write(1, 3, 1)}, 1},
		"pages":                           {[]step{write(0, 100, large), read(1, 100+large-4, 8)}, 4},
		"whole pages":                     {[]step{write(0, 0, 4*pageBytes), write(1, pageBytes, 2*pageBytes)}, 2 * pageBytes},
		"atomics":                         {[]step{atomic(0, 0), atomic(1, 0)}, 0},
		"a read after one of two atomics": {[]step{atomic(0, 0), atomic(1, 0), read(2, 0, 4, 1)}, 4},
		"a read after two atomics":        {[]step{atomic(0, 0), atomic(1, 0), read(2, 0, 4, 0, 1)}, 0},
		"an atomic and a write":           {[]step{atomic(0, 0), write(1, 0, 4)}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var o Order
			s := NewShadow()
			done := make([]Clock, 3)
			for range done {
				o.Begin()
			}
			for i, step := range c.steps {
				after := []Clock{done[step.on]}
				for _, a := range step.after {
					after = append(after, done[a])
				}
				op := o.Next(step.on, nil, after...)
				done[step.on] = op.After
				s.Access(s.New(op, i, step.writes, step.strong), step.addr, step.n)
				s.compact(step.addr, step.n)
			}
			got := uint64(0)
			for _, f := range s.Conflicts() {
				got += f.Bytes
			}
			if got != c.bytes {
				t.Errorf("conflicts of %d bytes, want %d", got, c.bytes)
			}
		})
	}
}

// TestEndedTimelinesAreUsedAgain checks that a timeline is used again only if the host has waited for it.
func TestEndedTimelinesAreUsedAgain(t *testing.T) {
	var o Order
	first := o.Begin()
	op := o.Next(first, nil)
	o.End(first, nil)
	if second := o.Begin(); second == first {
		t.Error("the work of the first is not done")
	}
	o.End(first, op.After)
	if third := o.Begin(); third != first {
		t.Errorf("timeline %d, want %d", third, first)
	}
}

// TestForgottenMemoryHasNoConflicts checks accesses to memory that is freed, and in part.
func TestForgottenMemoryHasNoConflicts(t *testing.T) {
	var o Order
	s := NewShadow()
	a, b := o.Next(o.Begin(), nil), o.Next(o.Begin(), nil)
	s.Access(s.New(a, "a", true, false), 0, 2*pageBytes)
	s.Forget(0, pageBytes+64)
	s.Access(s.New(b, "b", true, false), 0, pageBytes+128)
	if all := s.Conflicts(); len(all) != 1 || all[0].Bytes != 64 || all[0].Addr != pageBytes+64 {
		t.Errorf("%+v", all)
	}
}
