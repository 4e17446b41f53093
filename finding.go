package simtrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Fault is the error of an instruction that could not be executed. The instruction had no effect.
type Fault struct {
	Threads Threads // lanes at fault
	Code            // the instruction
	Rule    string  // rule that was broken, such as "mem-oob"
	Message string  // what is wrong, in one line
	Access  *Access // its memory access; nil unless the access is the fault

	err *interp.Fault
}

// Error returns the text that the command prints: several lines.
func (f *Fault) Error() string { return f.err.Error() }

// Unwrap returns the cause, so that errors.Is matches the errors of package memory.
func (f *Fault) Unwrap() error { return f.err }

// Access is a memory access that failed.
type Access struct {
	Space   string // "global", "shared" …
	Address uint64 // of the first lane at fault, within the space
	Size    int    // bytes per lane
	Buffer  string // buffer that contains the address, or the nearest one; "" if there is none
	Offset  int64  // bytes from the start of Buffer; negative before it
}

// Hang is the error of a launch that cannot end, or has exceeded its limit of instructions.
type Hang struct {
	Threads Threads // the first threads that wait or spin
	Code            // where they are; Instr is "" if it does not matter
	Rule    string  // such as "sync-deadlock"
	Message string
	Details []string // which threads wait where, one line each
	Others  []Other  // the threads of Details that are at an instruction

	err *interp.Hang
}

// Error returns the text that the command prints: several lines.
func (h *Hang) Error() string { return h.err.Error() }

// Unwrap returns the error of package interp.
func (h *Hang) Unwrap() error { return h.err }

// Interrupted is the error of a launch that its context ended. If that happened between two blocks, when no thread
// had an instruction to execute, all fields are zero.
type Interrupted struct {
	Threads Threads // some of those that would have run next
	Code            // the next instruction

	err error
}

// Error says where the launch was interrupted.
func (i *Interrupted) Error() string { return i.err.Error() }

// Unwrap returns the context's error.
func (i *Interrupted) Unwrap() error { return i.err }

// Awaiting is the error of a launch in which all warps spin or wait, and which can go on once the host has written
// the memory that they read (Launch.HostWrites).
type Awaiting struct {
	Hang *Hang // the hang that the launch is in if the host never writes
	// Proven reports that the launch never ends unless the host writes. Otherwise warps count their attempts, or read
	// clocks, and may give up.
	Proven bool
}

// Error returns the text of the hang.
func (w *Awaiting) Error() string { return w.Hang.Error() }

// Warning is a fault of the program that did not make the launch fail.
type Warning struct {
	Threads Threads // threads of the first occurrence
	Code
	Rule     string
	Severity string // "error" or "warning"
	Message  string
	Details  []string // of the first occurrence, one line each
	Others   []Other  // the threads of Details that are at an instruction
	Count    int64    // number of occurrences
}

// Other is threads that a hang or a warning names beside its own.
type Other struct {
	Role    string // such as "waits" or "uses"
	Threads Threads
	Code
}

func othersOf(all []interp.Involved) (others []Other) {
	for i := range all {
		if p := &all[i]; p.Role != interp.Affects && p.Place.IsValid() {
			others = append(others, Other{string(p.Role), threadsOf(p.Where), codeOf(p.Place, p.Text)})
		}
	}
	return others
}

// Race is a data race between two instructions: its first instance, and how many instances there are. Package check
// defines what counts as a race, and which races it can miss.
type Race struct {
	Rule           string // such as "race-raw"
	Severity       string // "error", "warning" or "info"
	Later, Earlier RaceAccess
	Space          string // "global" or "shared"
	Buffer         string // buffer or variable; "" in shared memory outside variables
	Element        string // of the variable, such as "tile[32]"; "" in PTX written by hand
	Offset         uint64 // offset in Buffer of the first byte that both access
	Address        uint64 // address of that byte in the space
	Bytes          int    // number of bytes that both access
	Between        string // why nothing orders the accesses
	Fix            string // what would order them
	Instances      int64  // pairs of lanes; math.MaxInt64 means that many or more
	Blocks         int64  // blocks that take part in any instance

	text string
}

// Message says in a few words what is wrong.
func (r *Race) Message() string { return check.MessageOf(r.Rule) }

// Text returns the text that the command prints after the severity: what is wrong, both accesses, and what would order
// them, in several lines. Its counts are those of one launch.
func (r *Race) Text() string { return r.text }

// RaceAccess is one of the two accesses of a race. They are in the order of execution.
type RaceAccess struct {
	Threads Threads // lanes that accessed the same bytes with one instruction
	Code
	Writes bool   // atomics write, too
	Value  string // value read or written; "" if it is not known
}

// public converts an error of a launch to the types of this package.
func public(err error) error {
	if f, ok := errors.AsType[*interp.Fault](err); ok {
		out := &Fault{Threads: threadsOf(f.Where), Code: codeOf(f.Place, f.Text), Rule: string(f.Rule), Message: f.Err.Error(), err: f}
		if a, ok := errors.AsType[*memory.AccessError](f.Err); ok {
			out.Access = &Access{Space: a.Space.String(), Address: a.Addr, Size: a.Size}
			if r := a.Region; r != nil {
				out.Access.Buffer, out.Access.Offset = cxx.Variable(r.Name), int64(a.Addr-r.Base)
			}
		}
		return out
	}
	if w, ok := errors.AsType[*interp.Awaiting](err); ok {
		return &Awaiting{public(w.Hang).(*Hang), w.Proven}
	}
	if h, ok := errors.AsType[*interp.Hang](err); ok {
		return &Hang{Threads: threadsOf(h.Where), Code: codeOf(h.Place, cmp.Or(h.Text, h.Next)), Rule: string(h.Rule), Message: h.Msg, Details: h.Details(), Others: othersOf(h.Involved), err: h}
	}
	if i, ok := errors.AsType[*interp.Interrupted](err); ok {
		return &Interrupted{Threads: threadsOf(i.Where), Code: codeOf(i.Place, i.Text), err: i}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Interrupted{err: fmt.Errorf("interrupted: %w", err)}
	}
	return err
}

// Findings merges the warnings and races of several launches into one list, for clients that launch a kernel many
// times and want each race reported once. The zero value is empty.
type Findings struct {
	warnings list[warningKey, Warning]
	races    list[raceKey, Race]
}

// warningKey and raceKey identify findings that are counted as one.
type (
	warningKey struct {
		pos           Pos
		rule, message string
	}
	raceKey struct {
		rule           string
		later, earlier Pos
		space, buffer  string
	}
)

// list holds findings in the order of their first occurrence.
type list[K comparable, F any] struct {
	index map[K]int
	all   []F
}

// find returns the finding with a key: the existing one, or f, which it adds.
func (l *list[K, F]) find(key K, f F) (found *F, isNew bool) {
	i, known := l.index[key]
	if !known {
		if l.index == nil {
			l.index = make(map[K]int)
		}
		i = len(l.all)
		l.index[key] = i
		l.all = append(l.all, f)
	}
	return &l.all[i], !known
}

// Add adds the findings of a launch. A finding is known if an earlier one has the same rule and place, and a buffer
// of the same name; its instances are then added to the count. A CUDA program's memory that one line allocates time and
// again counts as the same name.
func (f *Findings) Add(r *Result) {
	for _, w := range r.Warnings {
		if found, isNew := f.warnings.find(warningKey{w.shown(), w.Rule, unnumbered(w.Message)}, w); !isNew {
			found.Count += w.Count
		}
	}
	for _, race := range r.Races {
		key := raceKey{race.Rule, race.Later.shown(), race.Earlier.shown(), race.Space, unnumbered(race.Buffer)}
		if found, isNew := f.races.find(key, race); !isNew {
			found.Instances = saturatingSum(found.Instances, race.Instances)
			found.Blocks = saturatingSum(found.Blocks, race.Blocks)
		}
	}
}

// number is that of memory whose place of allocation follows, as in "allocation 7 (main.cu:243)".
var number = regexp.MustCompile(`\b\d+ (\([^()]*:\d+\))`)

// unnumbered returns a text without the numbers of such memory.
func unnumbered(text string) string { return number.ReplaceAllString(text, "$1") }

// Warnings returns the warnings of all launches, each with the threads and details of its first occurrence.
func (f *Findings) Warnings() []Warning { return f.warnings.all }

// Races returns the races of all launches, each with the accesses of its first instance.
func (f *Findings) Races() []Race { return f.races.all }

// saturatingSum returns a + b, at most math.MaxInt64. Neither may be negative.
func saturatingSum(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

func warnings(list []interp.Warning) []Warning {
	var out []Warning
	for i := range list {
		w := &list[i]
		out = append(out, Warning{threadsOf(w.Where), codeOf(w.Place, w.Text), string(w.Rule), severity(w), w.Msg, w.Details(), othersOf(w.Involved), w.Count})
	}
	return out
}

func severity(w *interp.Warning) string {
	if w.Error {
		return "error"
	}
	return "warning"
}

func races(list []check.Finding) []Race {
	var out []Race
	for i := range list {
		f := &list[i]
		out = append(out, Race{Rule: f.Rule.String(), Severity: f.Rule.Severity().String(), Later: raceAccess(&f.Later), Earlier: raceAccess(&f.Earlier),
			Space: f.Space.String(), Buffer: f.Buffer, Element: f.Element(), Offset: f.Offset, Address: f.Address, Bytes: f.Bytes,
			Between: f.Between, Fix: f.Fix, Instances: f.Instances, Blocks: f.Blocks, text: strings.TrimSuffix(f.Text(""), "\n")})
	}
	return out
}

func raceAccess(a *check.Access) RaceAccess {
	return RaceAccess{Threads{Dim(a.CTA), a.Warp, Mask(a.Lanes)}, codeOf(a.Place(), a.Func.Text(a.PC)), a.Writes, a.Value}
}
