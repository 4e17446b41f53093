package verdict

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/docs"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
)

// RuleUnused is the rule of suppressions that no finding needs.
const RuleUnused = "suppression-unused"

// Suppression allows findings of a rule at a place.
type Suppression struct {
	At       launch.Origin
	Rule     string // a pattern of path.Match
	Kernel   string // a pattern of path.Match; "" for every kernel
	File     string // a pattern, see matchesFile; "" for every file
	Line     int    // 0 for all lines
	ID       string // "" for every ID
	Reason   string
	InSource bool // it is a comment in File

	used bool
	// ended is the rule of a fault or hang that it would allow, which no suppression can; "" for none.
	ended string
}

// Suppressions are those of a command. The nil pointer has none.
type Suppressions struct {
	all  []*Suppression
	read map[string]bool // files whose comments were read
}

// AddFile adds the lines of a file of suppressions. The error is a *launch.Error.
func (s *Suppressions) AddFile(name string, text []byte) error {
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		one := &Suppression{At: launch.Origin{Pos: isa.Pos{File: name, Line: int32(i + 1), Col: 1}}}
		rule, rest := word(line)
		place, reason := word(rest)
		one.Rule, one.Reason = rule, reason
		if err := one.setPlace(place); err != nil {
			return err
		}
		if err := one.check("RULE PLACE REASON, as in race-raw kernels/sum.cu:12 one result of several is enough"); err != nil {
			return err
		}
		s.all = append(s.all, one)
	}
	return nil
}

// word splits a line after its first word.
func word(line string) (first, rest string) {
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return line, ""
	}
	return line[:end], strings.TrimSpace(line[end:])
}

// setPlace parses the place: kernel=NAME, id=ID, FILE, FILE:LINE or *.
func (s *Suppression) setPlace(text string) error {
	if name, ok := strings.CutPrefix(text, "kernel="); ok {
		s.Kernel = name
		return nil
	}
	if id, ok := strings.CutPrefix(text, "id="); ok {
		s.ID = id
		return nil
	}
	if text == "*" {
		return nil
	}
	s.File = text
	if at := strings.LastIndexByte(text, ':'); at > 0 {
		if n, err := strconv.Atoi(text[at+1:]); err == nil && n > 0 {
			s.File, s.Line = text[:at], n
		}
	}
	return nil
}

// check refuses a suppression without a reason, or of a rule that there is not.
func (s *Suppression) check(form string) error {
	for _, pattern := range []string{s.Rule, s.Kernel, s.File} {
		if _, err := path.Match(pattern, ""); err != nil {
			return s.errorf("%q is not a pattern: %v", pattern, err)
		}
	}
	known := slices.ContainsFunc(docs.Rules(), func(rule string) bool { return matches(s.Rule, rule) })
	switch {
	case s.Rule == "":
		return s.errorf("no rule; expected %s", form)
	case !known:
		return s.errorf("no rule %s%s", s.Rule, isa.DidYouMean(s.Rule, docs.Rules()))
	case s.Reason == "":
		return s.errorf("the reason is missing; expected %s", form)
	}
	return nil
}

func (s *Suppression) errorf(format string, args ...any) error {
	return &launch.Error{At: s.At, Msg: fmt.Sprintf(format, args...)}
}

// AddSource adds the comments //sim:allow RULE REASON of a source file. The error is a *launch.Error.
func (s *Suppressions) AddSource(name string, text []byte) error {
	if s.read == nil {
		s.read = make(map[string]bool)
	}
	if s.hasRead(name) {
		return nil
	}
	s.read[name] = true
	for _, c := range launch.Allowances(name, text) {
		rule, reason := word(c.Text)
		one := &Suppression{At: c.At, Rule: rule, File: name, Line: c.Line, Reason: reason, InSource: true}
		if err := one.check("//sim:allow RULE REASON"); err != nil {
			return err
		}
		s.all = append(s.all, one)
	}
	return nil
}

// hasRead reports whether a file was read, perhaps under a longer or shorter path.
func (s *Suppressions) hasRead(name string) bool {
	for known := range s.read {
		if sameFile(known, name) {
			return true
		}
	}
	return false
}

// ReadSources adds the comments of the files that findings are about, as far as they can be read.
func (s *Suppressions) ReadSources(all []Finding) error {
	for i := range all {
		for _, p := range append([]Place{all[i].At}, all[i].Other...) {
			if p.File == "" || s.hasRead(p.File) {
				continue
			}
			text, err := os.ReadFile(p.File)
			if err != nil {
				continue
			}
			if err := s.AddSource(p.File, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// match returns the first suppression that allows a finding, and marks all that do as used.
func (s *Suppressions) match(f *Finding) (first *Suppression) {
	if s == nil {
		return nil
	}
	for _, one := range s.all {
		if one.allows(f) {
			one.used = true
			if first == nil {
				first = one
			}
		}
	}
	return first
}

// refuse notes which suppressions would allow a fault or hang.
func (s *Suppressions) refuse(f *Finding) {
	if s == nil {
		return
	}
	for _, one := range s.all {
		if one.allows(f) {
			one.ended = f.Rule
		}
	}
}

// Allows reports whether a suppression allows a finding that is not judged. Those by ID do not count.
func (s *Suppressions) Allows(f *Finding) bool {
	return slices.ContainsFunc(s.all, func(one *Suppression) bool { return one.allows(f) })
}

func (s *Suppression) allows(f *Finding) bool {
	if !matches(s.Rule, f.Rule) || s.Kernel != "" && !matchesKernel(s.Kernel, f.Kernel) || s.ID != "" && s.ID != f.ID {
		return false
	}
	return s.at(&f.At) || slices.ContainsFunc(f.Other, func(p Place) bool { return s.at(&p) })
}

// at reports whether a suppression is for a place.
func (s *Suppression) at(p *Place) bool {
	switch {
	case s.Line != 0 && s.Line != p.Line:
		return false
	case s.InSource:
		return sameFile(s.File, p.File)
	}
	return s.File == "" || matchesFile(s.File, p.File)
}

// matches reports whether a name matches a pattern, which is valid.
func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok
}

// matchesKernel reports whether a pattern matches a kernel's name, in C++ also without the types of its parameters.
func matchesKernel(pattern, kernel string) bool {
	return matches(pattern, kernel) || matches(pattern, cxx.Short(kernel))
}

// sameFile reports whether two paths may be of one file: one has the last elements of the other.
func sameFile(a, b string) bool {
	a, b = "/"+filepath.ToSlash(filepath.Clean(a)), "/"+filepath.ToSlash(filepath.Clean(b))
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}

// matchesFile reports whether a pattern matches as many last elements of a path as it has.
func matchesFile(pattern, file string) bool {
	pattern = path.Clean(filepath.ToSlash(pattern))
	file = path.Clean(filepath.ToSlash(file))
	for {
		if matches(pattern, file) {
			return true
		}
		_, rest, more := strings.Cut(file, "/")
		if !more {
			return false
		}
		file = rest
	}
}

// unused returns the suppressions that allow no finding, of rules that the run looked for.
func (s *Suppressions) unused(looked func(rule string) bool) (all []*Suppression) {
	if s == nil {
		return nil
	}
	for _, one := range s.all {
		wanted := slices.ContainsFunc(docs.Rules(), func(rule string) bool {
			return matches(one.Rule, rule) && (looked == nil || looked(rule))
		})
		if !one.used && wanted {
			all = append(all, one)
		}
	}
	return all
}

// unusedFinding returns the finding about an unused suppression. Lines of a file may be meant for other kernels.
func (s *Suppression) unusedFinding() Finding {
	f := Finding{Rule: RuleUnused, Severity: check.Info, At: Place{File: s.At.Pos.File, Line: int(s.At.Pos.Line), Column: int(s.At.Pos.Col)}}
	f.Message = fmt.Sprintf("unused suppression: no finding of %s matches it", s.Rule)
	if s.ended != "" {
		f.Message = fmt.Sprintf("unused suppression: a fault or hang such as this %s cannot be suppressed, because it ends the launch", s.ended)
	}
	f.At.Text = s.Rule + " " + s.Reason
	if s.InSource {
		f.Severity = check.Warning
	}
	return f
}
