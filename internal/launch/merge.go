package launch

import "slices"

// merge combines layers into one. The launches of the result include the short form.
func merge(layers []*Layer) (*Layer, error) {
	m := &Layer{launches: make([]form, 1)}
	for i, l := range layers {
		if err := m.mergeLaunches(l, i); err != nil {
			return nil, err
		}
		m.buffers = replace(m.buffers, l.buffers, func(b *buffer) string { return b.name })
		m.symbols = replace(m.symbols, l.symbols, func(s *symbol) string { return s.name })
		m.addresses = replace(m.addresses, l.addresses, func(a *addressLine) string { return a.name })
		m.heap.override(l.heap)
		m.images = replace(m.images, l.images, func(i *imageLine) string { return i.name })
		m.tensorMaps = replace(m.tensorMaps, l.tensorMaps, func(t *tensorMap) string { return t.name })
		again := make(map[owned]bool)
		for _, d := range l.dumps {
			again[d.owned] = true
		}
		m.dumps = slices.DeleteFunc(m.dumps, func(d dumpLine) bool { return again[d.owned] })
		m.dumps = append(m.dumps, l.dumps...)
		m.saves = append(m.saves, l.saves...)
		if l.expectNone {
			m.expects, m.metrics = nil, nil
		}
		m.expects = append(m.expects, l.expects...)
		if l.changesWork() {
			m.leftOut += len(m.metrics)
			m.metrics = nil
		}
		m.metrics = append(m.metrics, l.metrics...)
		m.maxSteps.override(l.maxSteps)
		m.maxLaunchSteps.override(l.maxLaunchSteps)
		m.gpu.override(l.gpu)
		m.registers.override(l.registers)
		m.carveout.override(l.carveout)
		m.idealised.override(l.idealised)
		m.noLibdevice.override(l.noLibdevice)
		m.zeroShared.override(l.zeroShared)
		m.divergence.override(l.divergence)
		m.pathOrder.override(l.pathOrder)
		m.split.override(l.split)
		m.memory.override(l.memory)
		if l.functional.value || l.split.given {
			m.timing = timing{} // of earlier layers
		}
		m.functional.override(l.functional)
		m.timing.override(&l.timing)
	}
	return m, nil
}

// changesWork reports whether l changes the launches of earlier layers. Their expectations on counters then no longer
// apply.
func (l *Layer) changesWork() bool {
	return l.source != header && (len(l.launches) > 0 || !l.short.empty() || len(l.buffers) > 0 || len(l.symbols) > 0 || len(l.addresses) > 0 || l.heap.given || len(l.images) > 0 || len(l.tensorMaps) > 0 || l.split.given)
}

// replace replaces each item by the one of the same name in later, and appends the others.
func replace[T any](items, later []T, name func(*T) string) []T {
	at := make(map[string]int)
	for i := range items {
		at[name(&items[i])] = i
	}
	for i := range later {
		if k, ok := at[name(&later[i])]; ok {
			items[k] = later[i]
		} else {
			at[name(&later[i])] = len(items)
			items = append(items, later[i])
		}
	}
	return items
}

// mergeLaunches applies the launches of l, the i-th layer, to those of earlier layers. Launch lines replace all
// earlier launches, and so does a kernel directive after several launches. The rest of the short form applies to the
// only launch.
func (m *Layer) mergeLaunches(l *Layer, i int) error {
	if len(l.launches) > 0 {
		if !l.short.empty() {
			return l.launches[0].at.errorf("launch cannot be combined with kernel, grid, block, shared and arg: they describe a single launch")
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
	f.cluster.override(l.short.cluster)
	f.shared.override(l.short.shared)
	f.cooperative.override(l.short.cooperative)
	for _, a := range l.short.args {
		a.layer = i
		f.args = append(f.args, a)
	}
	return nil
}

// speakOfAnotherKernel marks the directives so far as meant for another kernel than the launched one: those that do
// not fit it are ignored.
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

// place returns the position of f's first word.
func (f *form) place() Origin {
	switch {
	case f.grid.given:
		return f.grid.at
	case f.block.given:
		return f.block.at
	case f.cluster.given:
		return f.cluster.at
	case f.shared.given:
		return f.shared.at
	case f.cooperative.given:
		return f.cooperative.at
	case len(f.args) > 0:
		return f.args[0].at
	}
	return f.at
}
