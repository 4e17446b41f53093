package check

import (
	"fmt"
	"regexp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
)

// Severity is the severity of a finding.
type Severity uint8

const (
	Info    Severity = iota // nothing to do
	Warning                 // correct under conditions that hold today
	Error
)

// String returns "error", "warning" or "info".
func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// SeverityNamed returns the severity with a name.
func SeverityNamed(name string) Severity {
	for _, s := range []Severity{Info, Warning} {
		if s.String() == name {
			return s
		}
	}
	return Error
}

// Rule is the kind of a finding.
type Rule uint8

const (
	RaceRAW         Rule = iota // a read of data that another thread wrote before
	RaceWAR                     // a write of data that another thread read before
	RaceWAW                     // two writes
	RaceLockstep                // lanes of one warp in different instructions
	RaceSameValue               // two writes of the same value
	CopyUnwaited                // bytes of a copy that was not waited for
	SourceUnwaited              // a write of the pending source of a bulk copy
	SourceExit                  // the end of a CTA with a pending source of a bulk copy
	ProductUnwaited             // a write of a matrix that a pending product reads
	ClusterStart                // an access to shared memory of another CTA that may not have started
	ClusterExit                 // an access to shared memory of another CTA that may have ended
	numRules
)

var rules = [numRules]struct {
	id       string
	severity Severity
	message  string
}{
	{"race-raw", Error, "race: read not ordered after another lane's write"},
	{"race-war", Error, "race: write not ordered after another lane's read"},
	{"race-waw", Error, "race: writes of two lanes in no order"},
	{"race-lockstep", Warning, "lanes of one warp rely on running in lock step"},
	{"race-same-value", Info, "two lanes write the same value in no order"},
	{"copy-unwaited", Error, "bytes of a copy are used before it was waited for"},
	{"source-unwaited", Error, "the source of a bulk copy is overwritten before it was waited for"},
	{"source-exit", Error, "a block may end before a bulk copy has read its shared memory"},
	{"product-unwaited", Error, "a matrix is overwritten before its product was waited for"},
	{"cluster-start", Error, "access to shared memory of a block that may not have started"},
	{"cluster-exit", Error, "access to shared memory of a block that may have ended"},
}

// IsRace reports whether the check for races finds faults of the rule with a name.
func IsRace(name string) bool { return MessageOf(name) != "" }

// MessageOf returns the message of the rule with a name; "" if there is none.
func MessageOf(name string) string {
	for _, r := range rules {
		if r.id == name {
			return r.message
		}
	}
	return ""
}

// String returns the rule's name, as in "race-raw".
func (r Rule) String() string { return rules[r].id }

// Severity returns the severity of the rule's findings.
func (r Rule) Severity() Severity { return rules[r].severity }

// Message returns a short description of the error.
func (r Rule) Message() string { return rules[r].message }

// Finding is a race between two instructions, or several races that one change would fix: its first instance, and how
// many there are.
type Finding struct {
	Rule Rule
	// Earlier and Later are in program order: in the order of the text or, if only different iterations of a loop race,
	// in the reverse. This is not the order in which they were executed.
	Earlier, Later Access
	Also           []Pair // other pairs of instructions with the same advice
	Space          isa.Space
	Buffer         string // a buffer or variable; "" for shared memory without one
	Offset         uint64 // in it, of the first byte that both access
	Address        uint64 // of that byte in its space
	Bytes          int    // number of bytes that both access
	Between        string // why they are not ordered
	Fix            string // a fix: the Advice in one sentence
	Advice         *Advice
	Instances      int64 // pairs of lanes; math.MaxInt64 means at least as many
	Blocks         int64 // CTAs that take part in any instance
	Warps          int64 // warps that take part in any instance
}

// Element names the element of a variable that both sides access, as in "tile[32]"; "" in PTX written by hand, and for
// what has no name in the source.
func (f *Finding) Element() string {
	n := uint64(f.Bytes)
	if !f.Later.Place().IsCompiled() || !identifier.MatchString(f.Buffer) || n == 0 || f.Offset%n != 0 || f.Later.Event != "" {
		return ""
	}
	return fmt.Sprintf("%s[%d]", f.Buffer, f.Offset/n)
}

// identifier matches a name of C++.
var identifier = regexp.MustCompile(`^[A-Za-z_][\w:]*$`)

// Pair is two instructions that race.
type Pair struct {
	Rule           Rule
	Earlier, Later Access
}

// Access is one side of a race.
type Access struct {
	Func   *isa.Func
	PC     int
	CTA    isa.Dim
	Warp   int
	Lanes  lanes.Mask // that accessed the same bytes together
	Writes bool       // atomics do
	Value  string     // value read or written; "" if it is not known
	// Event is "start" or "end" if this side is not an access but the start or the end of a CTA; "" otherwise.
	Event string
}

// Place returns the place of the instruction.
func (a *Access) Place() source.Place { return source.At(a.Func, a.PC) }

// Instr returns the instruction.
func (a *Access) Instr() *isa.Instr { return &a.Func.Code[a.PC] }
