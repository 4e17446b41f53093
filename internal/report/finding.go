package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Finding is an error, a warning, or a race.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	File     string `json:"file"`
	Line     int32  `json:"line"`
	Column   int32  `json:"column"`
	Instr    string `json:"instr,omitempty"`
	*Compiled
	*Who
	*What
	Waiters []Waiter `json:"waiters,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Launch  *int     `json:"launch,omitempty"` // missing if the finding ended its launch
	Kernel  string   `json:"kernel,omitempty"`
	Mangled string   `json:"kernel_mangled,omitempty"` // its name in PTX, if that is another; only in JSON
	Value   string   `json:"value,omitempty"`
	Other   *Other   `json:"other,omitempty"`
	Also    []Pair   `json:"also,omitempty"`
	Between string   `json:"between,omitempty"`
	Repeats *Repeats `json:"repeats,omitempty"`
	Fix     string   `json:"fix,omitempty"`
	*Judged
}

// named returns findings with the names that kernels have in the source, as JSON has them.
func named(findings []Finding) []Finding {
	out := slices.Clone(findings)
	for i := range out {
		out[i].Kernel, out[i].Mangled = cxx.Short(out[i].Kernel), cxx.Mangled(out[i].Kernel)
	}
	return out
}

// newFinding returns an error with the given rule.
func newFinding(pos isa.Pos, msg, rule string) Finding {
	return Finding{Rule: rule, Severity: "error", Message: msg, File: pos.File, Line: pos.Line, Column: pos.Col}
}

// findingAt returns an error at an instruction.
func findingAt(at source.Place, msg, rule string) Finding {
	f := newFinding(at.Pos(), msg, rule)
	f.Compiled = compiledOf(at)
	return f
}

// Compiled describes an instruction that was compiled from another source: file, line and column are those of that
// source.
type Compiled struct {
	PTXLine  int32  `json:"ptx_line"`           // of the instruction in the PTX
	Code     string `json:"code,omitempty"`     // the line of the source
	Function string `json:"function,omitempty"` // of the source
	// Calls are those through which the function was inlined, the innermost first.
	Calls []Call `json:"calls,omitempty"`
}

// Call is the position of a call.
type Call struct {
	Position
	Function string `json:"function,omitempty"` // that calls
}

// compiledOf returns nil for PTX written by hand.
func compiledOf(at source.Place) *Compiled {
	frames := at.Frames()
	if len(frames) == 0 {
		return nil
	}
	c := &Compiled{PTXLine: at.Code.Line, Code: at.Source(), Function: frames[0].Function}
	for _, f := range frames[1:] {
		c.Calls = append(c.Calls, Call{positionOf(f.Pos), f.Function})
	}
	return c
}

// Who names the lanes of a finding.
type Who struct {
	Block [3]uint32 `json:"block"`
	Warp  int       `json:"warp"`
	Mask  string    `json:"mask"` // hexadecimal
	Lanes []int     `json:"lanes"`
}

// whoOf returns the lanes at a place, or nil if there are none.
func whoOf(at interp.Where) *Who {
	if at.Lanes == 0 {
		return nil
	}
	w := &Who{Block: dimArray(at.CTA), Warp: at.Warp, Mask: fmt.Sprintf("%08x", uint32(at.Lanes))}
	for lane := range lanes.Width {
		if at.Lanes>>lane&1 != 0 {
			w.Lanes = append(w.Lanes, lane)
		}
	}
	return w
}

// The description of their memory access.
type What struct {
	Space   string `json:"space"`
	Buffer  string `json:"buffer,omitempty"`
	Offset  *int64 `json:"offset,omitempty"` // bytes from the start of the buffer
	Address uint64 `json:"address"`
	Size    int    `json:"size"`               // bytes per lane
	Index   *int64 `json:"index,omitempty"`    // of the element, in units of the access size
	Count   *int64 `json:"elements,omitempty"` // number of elements in the buffer
}

// accessOf describes a failed access.
func accessOf(a *memory.AccessError) *What {
	out := &What{Space: a.Space.String(), Address: a.Addr, Size: a.Size}
	if r := a.Region; r != nil {
		offset := int64(a.Addr - r.Base)
		out.Buffer, out.Offset = cxx.Variable(r.Name), &offset
	}
	if index, count, ok := a.Index(); ok {
		i, n := int64(index), int64(count)
		out.Index, out.Count = &i, &n
	}
	return out
}

// Waiter names further lanes of a hang or a warning.
type Waiter struct {
	Role string `json:"role"`
	Who
	File   string `json:"file,omitempty"`
	Line   int32  `json:"line,omitempty"`
	Column int32  `json:"column,omitempty"`
	Instr  string `json:"instr,omitempty"`
	*Compiled
	For     string `json:"for,omitempty"`
	Barrier *int   `json:"barrier,omitempty"`
	Missing string `json:"missing,omitempty"` // a mask
}

// waitersOf returns the lanes that have a role in a finding in addition to those that it is about.
func waitersOf(all []interp.Involved) []Waiter {
	var out []Waiter
	for i := range all {
		p := &all[i]
		if p.Role == interp.Affects {
			continue
		}
		at := p.Place.Pos()
		w := Waiter{Role: string(p.Role), Who: *whoOf(p.Where), File: at.File, Line: at.Line, Column: at.Col, Instr: p.Text, Compiled: compiledOf(p.Place), For: p.For}
		if p.Barrier >= 0 {
			w.Barrier = &p.Barrier
		}
		if p.Missing != 0 {
			w.Missing = fmt.Sprintf("%08x", uint32(p.Missing))
		}
		out = append(out, w)
	}
	return out
}

// Repeats counts the occurrences of a finding.
type Repeats struct {
	Instances int64 `json:"instances"`
	Warps     int64 `json:"warps"`  // with at least one occurrence
	Blocks    int64 `json:"blocks"` // with at least one occurrence
}

// Rules of findings about source text. Packages interp and check have the others.
const (
	ruleAssembly  = "asm-error"
	ruleDirective = "directive-error"
)

// findingsOf returns the findings in err about the kernel and its files; none if err is about something else.
func findingsOf(err error) []Finding {
	if f, ok := errors.AsType[*interp.Fault](err); ok {
		return []Finding{faultFinding(f)}
	}
	if h, ok := errors.AsType[*interp.Hang](err); ok {
		return []Finding{hangFinding(h)}
	}
	if is[*memory.BudgetError](err) {
		return []Finding{memoryFinding(err)}
	}
	if list, ok := errors.AsType[asm.Errors](err); ok {
		return assemblyFindings(list.List)
	}
	if e, ok := errors.AsType[*isa.Error](err); ok {
		return assemblyFindings([]*isa.Error{e})
	}
	if e, ok := errors.AsType[*launch.Error](err); ok && e.At.Pos.IsValid() {
		return []Finding{newFinding(e.At.Pos, e.Msg, ruleDirective)}
	}
	return nil
}

func faultFinding(f *interp.Fault) Finding {
	found := findingAt(f.Place, f.Err.Error(), string(f.Rule))
	found.Instr, found.Who = f.Text, whoOf(f.Where)
	if a, ok := errors.AsType[*memory.AccessError](f.Err); ok {
		found.What = accessOf(a)
	}
	return found
}

func hangFinding(h *interp.Hang) Finding {
	found := findingAt(h.Place, h.Msg, string(h.Rule))
	found.Instr, found.Who = cmp.Or(h.Text, h.Next), whoOf(h.Where)
	found.Waiters, found.Notes, found.Fix = waitersOf(h.Involved), h.Notes, h.Fix
	return found
}

// memoryFinding returns the finding for a variable, buffer or launch that exceeds the limit of host memory.
func memoryFinding(err error) Finding {
	var pos isa.Pos
	if e, ok := errors.AsType[*isa.Error](err); ok {
		pos = e.Pos
	}
	if e, ok := errors.AsType[*launch.Error](err); ok {
		pos = e.At.Pos
	}
	return newFinding(pos, err.Error(), string(interp.RuleHostMemory))
}

func assemblyFindings(list []*isa.Error) []Finding {
	var found []Finding
	for _, e := range list {
		found = append(found, newFinding(e.Pos, e.Msg, ruleAssembly))
	}
	return found
}
