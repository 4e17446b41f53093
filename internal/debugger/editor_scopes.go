package debugger

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/debuginfo"
)

// Scope is a group of values that an editor shows for a frame.
type Scope struct {
	Name      string
	Registers bool // it has registers, and otherwise variables
	Expensive bool // an editor shows it closed
	items     func(v *viewer) []Item
	lane      bool // of the lane in focus, and otherwise of all lanes
}

// Scopes returns the groups of values of the frame in focus: those of its lane first.
func (d *Debugger) Scopes() ([]Scope, error) {
	s, err := d.scopeHere()
	if err != nil {
		return nil, err
	}
	if s.frame == divergence.NoFrame && d.session == nil {
		return []Scope{{"Device memory", false, false, (*viewer).deviceMemory, false}}, nil
	}
	lane := fmt.Sprintf("Lane %d", d.focus.lane)
	if s.info().HasVariables() {
		return []Scope{
			{lane, false, false, (*viewer).locals, true},
			{"Warp, 32 lanes", false, true, (*viewer).locals, false},
			{lane + ", registers", true, true, (*viewer).registers, true},
			{"Shared memory", false, true, (*viewer).shared, false},
			{"Launch", false, true, (*viewer).launched, true},
		}, nil
	}
	return []Scope{
		{lane, true, false, (*viewer).registers, true},
		{"Warp, 32 lanes", true, true, (*viewer).registers, false},
		{"Shared memory", false, true, (*viewer).shared, false},
		{"Launch", false, true, (*viewer).launched, true},
	}, nil
}

// Items returns the values of a scope of the frame in focus.
func (d *Debugger) Items(of Scope, hex bool) ([]Item, error) {
	s, err := d.scopeHere()
	if err != nil {
		return nil, err
	}
	v := &viewer{d, s, allLanes, formatWith(hex)}
	if of.lane {
		v.lane = d.focus.lane
	}
	return of.items(v), nil
}

// locals returns the variables of the source that are visible; one that an inner one hides is left out.
func (v *viewer) locals() (all []Item) {
	shown := make(map[string]bool)
	for _, of := range v.s.variables() {
		if of.Name == "" || shown[of.Name] {
			continue
		}
		shown[of.Name] = true
		all = append(all, v.variable(of))
	}
	return all
}

// variable returns a variable of the source, or why it has no value.
func (v *viewer) variable(of *debuginfo.Variable) Item {
	l, _, err := v.s.namedObject(of.Name)
	if err == nil {
		return v.object(of.Name, l)
	}
	it := Item{Name: of.Name, Type: of.Type.String(), Lane: v.lane, Fixed: true, Text: "<" + err.Error() + ">"}
	switch {
	case errors.Is(err, debuginfo.ErrOptimisedOut):
		it.Text = "<optimised out>"
	case errors.Is(err, errUnset):
		it.Text = "<not set before the first line of the function>"
	}
	return it
}

func (v *viewer) registers() (all []Item) {
	if v.s.frame == divergence.NoFrame {
		return nil
	}
	for _, r := range v.s.fn().Regs {
		if it, err := v.evaluated(r.Name, &nameExpr{r.Name}); err == nil {
			all = append(all, it)
		}
	}
	return all
}

// shared returns the variables in shared memory.
func (v *viewer) shared() (all []Item) {
	if v.s.info().HasVariables() {
		for _, of := range v.s.variables() {
			if l, _, err := v.s.namedObject(of.Name); err == nil && l.space == "shared" {
				all = append(all, v.object(of.Name, l))
			}
		}
		return all
	}
	return v.objects(func(space string) bool { return space == "shared" })
}

// objects returns the buffers and variables of PTX in some spaces.
func (v *viewer) objects(in func(space string) bool) (all []Item) {
	for i := range v.d.objects {
		if o, ok := v.s.sees(&v.d.objects[i]); ok && in(o.space) {
			all = append(all, v.named(o))
		}
	}
	return all
}

// launched returns what is the same for the launch, and where in it the lane is.
func (v *viewer) launched() []Item {
	d, l := v.d, v.d.launch()
	all := []Item{}
	for _, of := range [][2]string{
		{"kernel", cxx.Short(l.Kernel)}, {"grid", extentText(l.Grid)}, {"block", extentText(l.Block)},
		{"dynamic shared memory", strconv.FormatInt(int64(l.Shared), 10)}, {"step", d.Step()},
	} {
		all = append(all, Item{Name: of[0], Text: of[1], Lane: allLanes, Fixed: true})
	}
	if v.s.frame != divergence.NoFrame {
		all = append(all, v.builtin("blockIdx"), v.builtin("threadIdx"))
	}
	for _, p := range d.fns[0].Params {
		x, ok := d.param(p.Name)
		if !ok {
			continue
		}
		it := v.value(p.Shown(), p.Shown(), x)
		it.Type, it.Fixed = cmp.Or(p.SourceType(), it.Type), true
		all = append(all, it)
	}
	return append(all, v.deviceMemory()...)
}

// deviceMemory returns buffers, and variables in global and constant memory.
func (v *viewer) deviceMemory() []Item {
	return v.objects(func(space string) bool { return space == "global" || space == "const" })
}
