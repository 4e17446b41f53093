package simtrun

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Fault is an instruction that could not be executed. Nothing of it was done.
type Fault struct {
	Threads Threads // those at fault
	Pos     Pos     // of the instruction
	Source  Pos     // where .loc says it came from; zero if nothing says so
	Rule    string  // what was broken, as in "mem-oob"
	Message string  // what is wrong, in a line
	Instr   string  // the instruction
	Access  *Access // what it did to memory; nil if that is not what is wrong

	err *interp.Fault
}

// Error is what the command prints: several lines.
func (f *Fault) Error() string { return f.err.Error() }

// Unwrap is the cause: package memory's errors match with errors.Is.
func (f *Fault) Unwrap() error { return f.err }

// Access is an access to memory that was not possible.
type Access struct {
	Space   string // "global", "shared" …
	Address uint64 // of the first lane at fault, in the space
	Size    int    // bytes of each lane
	Buffer  string // what the address is in or nearest to; "" for nothing
	Offset  int64  // bytes from the start of Buffer; negative before it
}

// Hang is a launch that cannot end, or has not within its limit.
type Hang struct {
	Threads Threads // the first that wait or spin
	Pos     Pos     // where they are
	Rule    string  // as in "sync-deadlock"
	Message string
	Details []string // who waits where, a line each

	err *interp.Hang
}

// Error is what the command prints: several lines.
func (h *Hang) Error() string { return h.err.Error() }

// Unwrap is the error of package interp.
func (h *Hang) Unwrap() error { return h.err }

// Interrupted is a launch that its context ended. While no thread has anything to execute, between one block and the next,
// there is no place to name, and all fields are zero.
type Interrupted struct {
	Threads Threads // some that were to go on
	Pos     Pos     // where
	Instr   string  // the instruction there

	err error
}

// Error says where the launch was.
func (i *Interrupted) Error() string { return i.err.Error() }

// Unwrap leads to the context's error.
func (i *Interrupted) Unwrap() error { return i.err }

// Awaiting is a launch in which all warps spin or wait, and that can go on once the host has written what they read (Launch.HostWrites).
type Awaiting struct {
	Hang *Hang // what it is if the host never does
	// Proven says that without that the launch never ends. Else warps count their tries, or read clocks, and may give up.
	Proven bool
}

// Error is that of the hang.
func (w *Awaiting) Error() string { return w.Hang.Error() }

// Warning is something that a launch got away with.
type Warning struct {
	Threads  Threads // those of the first occurrence
	Pos      Pos
	Rule     string
	Severity string // "error" or "warning"
	Message  string
	Instr    string
	Details  []string // of the first occurrence, a line each
	Count    int64    // occurrences
}

// Race is a data race between two instructions: its first instance, and how many
// there are. What is one, and what the check may miss, is in package check.
type Race struct {
	Rule           string // as in "race-raw"
	Severity       string // "error", "warning" or "info"
	Later, Earlier RaceAccess
	Space          string // "global" or "shared"
	Buffer         string // a buffer or variable; "" in shared memory where none is
	Offset         uint64 // of the first byte in Buffer that both access
	Address        uint64 // the same in the space
	Bytes          int    // that both access
	Between        string // why nothing orders them
	Fix            string // what would
	Instances      int64  // pairs of lanes; at math.MaxInt64 there may be more
	Blocks         int64  // that have part in any
}

// RaceAccess is one side of a race, in the order in which they happened to run.
type RaceAccess struct {
	Threads Threads // that accessed the same bytes together
	Pos     Pos
	Instr   string
	Writes  bool   // atomics do
	Value   string // that was read or written; "" if it is not known
}

// public is an error of a launch in the types of this package.
func public(err error) error {
	if f, ok := errors.AsType[*interp.Fault](err); ok {
		out := &Fault{Threads: threadsOf(f.Where), Pos: posOf(f.Pos), Source: posOf(f.Loc), Rule: string(f.Rule), Message: f.Err.Error(), Instr: f.Text, err: f}
		if a, ok := errors.AsType[*memory.AccessError](f.Err); ok {
			out.Access = &Access{Space: a.Space.String(), Address: a.Addr, Size: a.Size}
			if r := a.Region; r != nil {
				out.Access.Buffer, out.Access.Offset = r.Name, int64(a.Addr-r.Base)
			}
		}
		return out
	}
	if w, ok := errors.AsType[*interp.Awaiting](err); ok {
		return &Awaiting{public(w.Hang).(*Hang), w.Proven}
	}
	if h, ok := errors.AsType[*interp.Hang](err); ok {
		return &Hang{Threads: threadsOf(h.Where), Pos: posOf(h.Pos), Rule: string(h.Rule), Message: h.Msg, Details: h.Details(), err: h}
	}
	if i, ok := errors.AsType[*interp.Interrupted](err); ok {
		return &Interrupted{Threads: threadsOf(i.Where), Pos: posOf(i.Pos), Instr: i.Text, err: i}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Interrupted{err: fmt.Errorf("interrupted: %w", err)}
	}
	return err
}

// Findings are what several launches got away with, as one list: for clients that launch a kernel a thousand times, and
// want to read of its race once. The zero value is empty.
type Findings struct {
	warnings list[warningKey, Warning]
	races    list[raceKey, Race]
}

// warningKey and raceKey are what findings have in common that are counted as one.
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

// list is findings in the order in which they came up first.
type list[K comparable, F any] struct {
	index map[K]int
	all   []F
}

// find is the finding with a key: that of before, or else f, which is new.
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

// Add adds what a launch has found. The instances of what was found before, the same at the same place and in a buffer of the same name,
// are added to its count.
func (f *Findings) Add(r *Result) {
	for _, w := range r.Warnings {
		if found, isNew := f.warnings.find(warningKey{w.Pos, w.Rule, w.Message}, w); !isNew {
			found.Count += w.Count
		}
	}
	for _, race := range r.Races {
		key := raceKey{race.Rule, race.Later.Pos, race.Earlier.Pos, race.Space, race.Buffer}
		if found, isNew := f.races.find(key, race); !isNew {
			found.Instances = saturatingSum(found.Instances, race.Instances)
			found.Blocks = saturatingSum(found.Blocks, race.Blocks)
		}
	}
}

// Warnings are those of all launches, each with the threads and details of its first time.
func (f *Findings) Warnings() []Warning { return f.warnings.all }

// Races are those of all launches, each with the accesses of its first instance.
func (f *Findings) Races() []Race { return f.races.all }

// saturatingSum is a + b, of which neither is negative, or math.MaxInt64 if that is less.
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
		out = append(out, Warning{threadsOf(w.Where), posOf(w.Pos), string(w.Rule), severity(w), w.Msg, w.Text, w.Details(), w.Count})
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
			Space: f.Space.String(), Buffer: f.Buffer, Offset: f.Offset, Address: f.Address, Bytes: f.Bytes,
			Between: f.Between, Fix: f.Fix, Instances: f.Instances, Blocks: f.Blocks})
	}
	return out
}

func raceAccess(a *check.Access) RaceAccess {
	return RaceAccess{Threads{Dim(a.CTA), a.Warp, Mask(a.Lanes)}, posOf(a.Instr().Pos), a.Func.Text(a.PC), a.Writes, a.Value}
}
