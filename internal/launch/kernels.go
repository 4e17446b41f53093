package launch

import (
	"cmp"
	"fmt"
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
	name, at := "", f.at
	if f.kernel.given && len(k.entries) > 0 {
		name, at = f.kernel.value, f.kernel.at
		if name == "" {
			return nil, at.errorf("%v", k.unknown(name))
		}
	}
	kernel, err := k.named(name)
	if err != nil {
		return nil, at.errorf("%v", err)
	}
	return kernel, nil
}

// Kernel returns a kernel of a module by its symbol or its name in C++, as launches write it; the first one if name
// is "".
func Kernel(mod *isa.Module, name string) (*isa.Func, error) { return newKernelNames(mod).named(name) }

// named is Kernel for the module.
func (k *kernelNames) named(name string) (*isa.Func, error) {
	if len(k.entries) == 0 {
		return nil, fmt.Errorf("%s has no kernel: no .entry", k.mod.Name)
	}
	if name == "" {
		return k.entries[0], nil
	}
	switch found := k.index.Find(name); len(found) {
	case 0:
		return nil, k.unknown(name)
	case 1:
		return k.bySymbol[found[0]], nil
	default:
		var names []string
		for _, symbol := range found {
			names = append(names, cxx.Name(symbol))
		}
		return nil, fmt.Errorf("%d kernels of %s are called %s; write one of %s", len(found), k.mod.Name, name, strings.Join(names, ", "))
	}
}

func (k *kernelNames) unknown(name string) error {
	return fmt.Errorf("no kernel %q in %s%s", name, k.mod.Name, k.instead(name))
}

// instead ends a message about a name that no kernel has by listing names that exist.
func (k *kernelNames) instead(name string) string {
	var names, short []string
	for _, symbol := range k.symbols {
		names, short = append(names, cxx.Name(symbol)), append(short, cxx.Base(symbol))
	}
	return cmp.Or(isa.DidYouMean(name, short), "; "+isa.Instead(name, names))
}
