package main

import (
	"os"
	"time"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
)

// launchSums adds up launches that are not yet in the log, by kernel. Writing and reading lines takes five times as
// long as a tiny launch, and programs make a million of them.
type launchSums struct {
	lines int         // lines that the log has, up to eachHasLine
	sums  []launchSum // of the launches since the last write
	last  int         // index of the sum that was added to last
	begun *launch     // the launch that runs, if the log does not yet say so
}

// launchSum is the sum of launches of a function.
type launchSum struct {
	f    *function
	line cuda.Launched
}

// eachHasLine is the number of lines from which on launches are added up: a program that is killed early has a complete
// log.
const eachHasLine = 1000

// countLine reports whether the next line of the log is left to the sums. If not, it counts the line, which the caller
// writes.
func (s *launchSums) countLine() (summed bool) {
	if s == nil {
		return false
	}
	if s.lines < eachHasLine {
		s.lines++
		return false
	}
	return true
}

// add adds a launch.
func (s *launchSums) add(l *launch, r *simtrun.Result, took time.Duration) {
	s.begun = nil
	if s.last >= len(s.sums) || s.sums[s.last].f != l.f {
		s.last = s.index(l)
	}
	sum := &s.sums[s.last].line
	sum.Launches++
	sum.Seconds += took.Seconds()
	sum.WarpInstrs += r.WarpInstrs
	sum.LaneInstrs += r.LaneInstrs
	sum.Divergent += r.DivergentBranches
	if r.Timing != nil {
		sum.Cycles += r.Timing.Cycles
		sum.Microseconds += r.Timing.Microseconds
	}
}

// index returns the place of the sum that a launch belongs to.
func (s *launchSums) index(l *launch) int {
	for i := range s.sums {
		if s.sums[i].f == l.f {
			return i
		}
	}
	line := l.line()
	line.Process = os.Getpid()
	s.sums = append(s.sums, launchSum{l.f, line})
	return len(s.sums) - 1
}

// take appends the lines of what the log does not have yet.
func (s *launchSums) take(text []byte) ([]byte, error) {
	if s == nil {
		return text, nil
	}
	var err error
	for i := range s.sums {
		if text, err = s.sums[i].line.AppendJSON(text); err != nil {
			return nil, err
		}
		text = append(text, '\n')
	}
	s.sums = s.sums[:0]
	if l := s.begun; l != nil {
		s.begun = nil
		line := l.line()
		line.State, line.Process, line.Total = cuda.Begun, os.Getpid(), l.grid.Count()
		if text, err = line.AppendJSON(text); err != nil {
			return nil, err
		}
		text = append(text, '\n')
	}
	return text, nil
}

// sumBegun notes that a launch begins; false if launches are not added up.
func (s *launchLog) sumBegun(l *launch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sums.countLine() {
		return false
	}
	s.sums.begun = l
	s.flushUnlessWaiting()
	return true
}

// sumEnded adds a launch that has ended to those of its kernel; false if launches are not added up.
func (s *launchLog) sumEnded(l *launch, r *simtrun.Result, took time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sums.countLine() {
		return false
	}
	s.sums.add(l, r, took)
	s.flushUnlessWaiting()
	return true
}

// flushUnlessWaiting writes the sums unless a timer will.
func (s *launchLog) flushUnlessWaiting() {
	if !s.waiting {
		s.flush()
		s.wait()
	}
}
