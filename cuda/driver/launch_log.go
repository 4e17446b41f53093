package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/simtrun/simtrun/cuda"
)

// launchLog is a file of launches, with a line of JSON each; it is disabled without a file.
//
// A line is written at once, because a process that is killed writes nothing later. A log that batches lines, because
// writing one takes as much time as a tiny launch, does so only if it has written nothing in the last batchTime: the
// lines until then are written together.
type launchLog struct {
	name    string // the environment variable
	batches bool
	mu      sync.Mutex // a timer writes, too
	file    *os.File
	text    []byte      // lines that are not yet written
	timer   *time.Timer // of the current batch; nil before the first
	waiting bool        // timer runs
	sums    *launchSums // launches that are added up; nil if each has a line
}

const (
	// batchTime is how long lines are kept for a common write; a killed process loses those.
	batchTime = 5 * time.Millisecond
	// batchSize is the size, in bytes, from which lines are written without waiting for others.
	batchSize = 64 << 10
)

// open opens the file that the environment variable names, if any.
func (s *launchLog) open(name string) (err error) {
	s.name = name
	file := getenv(name)
	if file == "" {
		return nil
	}
	if s.file, err = os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (s *launchLog) enabled() bool { return s.file != nil }

// write writes the line of a launch. That of a launch that failed or has findings is not kept, as the program may end.
func (s *launchLog) write(l *cuda.Launched) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addSums()
	text, err := l.AppendJSON(s.text)
	s.put(text, err, l.Error != "" || l.Warnings != nil || l.Races != nil)
}

// note writes a line that is not about a launch.
func (s *launchLog) note(n *cuda.Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addSums()
	text, err := json.Marshal(n)
	s.put(append(s.text, text...), err, true)
}

// put takes the lines that are not yet written with a new one, and writes them unless they are kept for a batch.
func (s *launchLog) put(text []byte, err error, now bool) {
	if !s.enabled() {
		return
	}
	if err != nil {
		s.fail(err)
		return
	}
	s.text = append(text, '\n')
	if s.batches && s.waiting && !now && len(s.text) < batchSize {
		return
	}
	s.flush()
	if s.batches && !s.waiting {
		s.wait()
	}
}

// wait begins a batch.
func (s *launchLog) wait() {
	s.waiting = true
	if s.timer == nil {
		s.timer = time.AfterFunc(batchTime, s.due)
	} else {
		s.timer.Reset(batchTime)
	}
}

// due ends a batch, and begins the next one if it had lines.
func (s *launchLog) due() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = false
	s.addSums()
	if len(s.text) > 0 {
		s.flush()
		s.wait()
	}
}

// end writes the lines that were kept, and keeps none from now on: the process ends.
func (s *launchLog) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	s.batches, s.sums = false, nil
}

// addSums adds the sums to the lines that are not yet written.
func (s *launchLog) addSums() {
	text, err := s.sums.take(s.text)
	if s.text = text; err != nil {
		s.fail(err)
	}
}

func (s *launchLog) flush() {
	s.addSums()
	if s.file != nil && len(s.text) > 0 {
		if _, err := s.file.Write(s.text); err != nil {
			s.fail(err)
		}
	}
	s.text = s.text[:0]
}

// fail reports an error and disables the log.
func (s *launchLog) fail(err error) {
	dev.outlet.say("%s: %v", s.name, err)
	s.file, s.text, s.sums = nil, nil, nil
}
