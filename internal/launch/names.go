package launch

import "github.com/simtrun/simtrun/internal/isa"

// VariableNames returns the module's variables that a symbol directive can set.
func VariableNames(mod *isa.Module) []string {
	var names []string
	for _, v := range mod.Vars {
		if isMemory(v) {
			names = append(names, v.Name)
		}
	}
	return names
}

// Names returns the buffers and variables that a directive such as dump can name: the module's variables, those that
// the layers declare, and the parameters that may point to a buffer of their own.
func Names(mod *isa.Module, layers ...*Layer) []string {
	p := &Plan{mod: mod}
	names := VariableNames(mod)
	for _, l := range layers {
		for _, b := range l.buffers {
			names = append(names, b.name)
		}
	}
	for _, fn := range mod.Entries() {
		for _, v := range fn.Params {
			if !isAggregate(v) && p.canPoint(v) == nil {
				names = append(names, v.Shown())
			}
		}
	}
	return names
}
