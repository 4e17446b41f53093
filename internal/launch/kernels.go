package launch

import (
	"cmp"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// kernelNames finds the kernels of a module by the names that launches use.
type kernelNames struct {
	mod      *isa.Module
	entries  []*isa.Func // in source order
	symbols  []string    // of entries
	bySymbol map[string]*isa.Func
	index    *cxx.Index
}

func newKernelNames(mod *isa.Module) *kernelNames {
	k := &kernelNames{mod: mod, entries: mod.Entries(), bySymbol: make(map[string]*isa.Func)}
	for _, e := range k.entries {
		k.symbols = append(k.symbols, e.Name)
		if k.bySymbol[e.Name] == nil {
			k.bySymbol[e.Name] = e
		}
	}
	k.index = cxx.NewIndex(k.symbols)
	return k
}

// of returns the kernel that f launches: the first if f names none.
func (k *kernelNames) of(f *form) (*isa.Func, error) {
	if len(k.entries) == 0 {
		return nil, f.at.errorf("%s has no kernel: no .entry", k.mod.Name)
	}
	if !f.kernel.given {
		return k.entries[0], nil
	}
	name := f.kernel.value
	switch found := k.index.Find(name); len(found) {
	case 0:
		return nil, f.kernel.at.errorf("no kernel %q in %s%s", name, k.mod.Name, k.instead(name))
	case 1:
		return k.bySymbol[found[0]], nil
	default:
		var names []string
		for _, symbol := range found {
			names = append(names, cxx.Name(symbol))
		}
		return nil, f.kernel.at.errorf("%d kernels of %s are called %s; write one of %s", len(found), k.mod.Name, name, strings.Join(names, ", "))
	}
}

// instead ends a message about a name that no kernel has by listing names that exist.
func (k *kernelNames) instead(name string) string {
	var names, short []string
	for _, symbol := range k.symbols {
		names, short = append(names, cxx.Name(symbol)), append(short, cxx.Base(symbol))
	}
	return cmp.Or(isa.DidYouMean(name, short), "; "+isa.Instead(name, names))
}
