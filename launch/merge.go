package launch

import "slices"

// merge is the layer that all of them make together. Its launches hold the
// short form too.
func merge(layers []*Layer) (*Layer, error) {
	m := &Layer{launches: make([]form, 1)}
	for i, l := range layers {
		if err := m.mergeLaunches(l, i); err != nil {
			return nil, err
		}
		for _, b := range l.buffers {
			m.buffers = replace(m.buffers, b, func(o buffer) bool { return o.name == b.name })
		}
		for _, s := range l.symbols {
			m.symbols = replace(m.symbols, s, func(o symbol) bool { return o.name == s.name })
		}
		for _, d := range l.dumps {
			m.dumps = slices.DeleteFunc(m.dumps, func(o dumpLine) bool { return o.name == d.name })
		}
		m.dumps = append(m.dumps, l.dumps...)
		m.saves = append(m.saves, l.saves...)
		m.expects = append(m.expects, l.expects...)
		if l.changesWork() {
			m.leftOut += len(m.metrics)
			m.metrics = nil
		}
		m.metrics = append(m.metrics, l.metrics...)
		m.maxSteps.override(l.maxSteps)
		m.maxLaunchSteps.override(l.maxLaunchSteps)
		m.divergence.override(l.divergence)
		m.pathOrder.override(l.pathOrder)
		m.split.override(l.split)
		m.memory.override(l.memory)
	}
	return m, nil
}

// changesWork reports whether l gives launches other work than the layers
// before, so that what those expect of counters does not hold any more.
func (l *Layer) changesWork() bool {
	return l.source != header && (len(l.launches) > 0 || !l.short.empty() || len(l.buffers) > 0 || len(l.symbols) > 0 || l.split.given)
}

// replace puts item in the place of the one that is the same, or at the end.
func replace[T any](items []T, item T, same func(T) bool) []T {
	if i := slices.IndexFunc(items, same); i >= 0 {
		items[i] = item
		return items
	}
	return append(items, item)
}

// mergeLaunches lays the launches of l, the i-th layer, over those before. The
// launch lines of a layer replace all that was said; so does a kernel named
// after several launches. Other words of the short form speak of the one
// launch there is.
func (m *Layer) mergeLaunches(l *Layer, i int) error {
	if len(l.launches) > 0 {
		if !l.short.empty() {
			return l.launches[0].at.errorf("launch lines stand alone: kernel, grid, block, shared and arg describe a single launch")
		}
		m.launches = slices.Clone(l.launches)
		for j := range m.launches {
			m.launches[j].args = slices.Clone(m.launches[j].args)
		}
		return nil
	}
	if l.short.empty() {
		return nil
	}
	if len(m.launches) > 1 {
		if !l.short.kernel.given {
			return l.short.place().errorf("there are %d launches; name a kernel to launch it alone, or change them in a script", len(m.launches))
		}
		m.launches = make([]form, 1)
	}
	f := &m.launches[0]
	if l.short.kernel.given && l.short.kernel.value != f.kernel.value {
		m.speakOfAnotherKernel()
	}
	f.kernel.override(l.short.kernel)
	f.grid.override(l.short.grid)
	f.block.override(l.short.block)
	f.shared.override(l.short.shared)
	for _, a := range l.short.args {
		a.layer = i
		f.args = append(f.args, a)
	}
	return nil
}

// speakOfAnotherKernel marks what was said so far as meant for another kernel
// than the one that is launched: it holds as far as it fits.
func (m *Layer) speakOfAnotherKernel() {
	for i := range m.launches[0].args {
		m.launches[0].args[i].ifFits = true
	}
	for i := range m.dumps {
		m.dumps[i].ifFits = true
	}
	for i := range m.expects {
		m.expects[i].ifFits = true
	}
}

// place is where the first of f's words stands.
func (f *form) place() Origin {
	switch {
	case f.grid.given:
		return f.grid.at
	case f.block.given:
		return f.block.at
	case f.shared.given:
		return f.shared.at
	case len(f.args) > 0:
		return f.args[0].at
	}
	return f.at
}
