package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// serveCommand is the argument with which the benchmark starts itself to run workloads.
const serveCommand = "serve"

// simtrun is a process that executes workloads with one level of compiled lanes, which is fixed when a process
// starts.
type simtrun struct {
	level string
	cmd   *exec.Cmd
	in    io.WriteCloser
	ask   *json.Encoder
	reply *json.Decoder

	threads int
	at      request
}

// request asks for a run of a workload, which stays prepared for the next request.
type request struct {
	Set, Workload string
	Threads       int
}

// response is a sample, or the reason why there is none.
type response struct {
	Sample sample
	Err    string
}

func startSimtrun(level string, threads int) (*simtrun, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &simtrun{level: level, threads: threads, cmd: exec.Command(exe, serveCommand)}
	s.cmd.Stderr = os.Stderr
	s.cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(threads))
	if level != "" {
		s.cmd.Env = append(s.cmd.Env, "SIMTRUN_LANES="+level)
	}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.ask, s.reply = json.NewEncoder(s.in), json.NewDecoder(out)
	return s, s.cmd.Start()
}

func (s *simtrun) name() (tool, lanes string) { return "simtrun", s.level }

func (s *simtrun) prepare(set *workloads.Set, w *workloads.Workload) error {
	s.at = request{set.Name, w.Name, s.threads}
	return nil
}

func (s *simtrun) run() (sample, error) {
	if err := s.ask.Encode(s.at); err != nil {
		return sample{}, err
	}
	var r response
	if err := s.reply.Decode(&r); err != nil {
		return sample{}, err
	}
	if r.Err != "" {
		return sample{}, errors.New(r.Err)
	}
	return r.Sample, nil
}

func (s *simtrun) close() error {
	s.in.Close()
	return s.cmd.Wait()
}

// serve answers requests until there are no more.
func serve(in io.Reader, out io.Writer) error {
	requests, responses := json.NewDecoder(in), json.NewEncoder(out)
	var s server
	for {
		var r request
		switch err := requests.Decode(&r); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		var answer response
		sample, err := s.run(r)
		if answer.Sample = sample; err != nil {
			answer.Err = err.Error()
		}
		if err := responses.Encode(answer); err != nil {
			return err
		}
	}
}

// server is a process's prepared workload.
type server struct {
	at       request
	prepared *workloads.Prepared
	checker  checker
}

func (s *server) run(r request) (sample, error) {
	if s.prepared == nil || r != s.at {
		if err := s.prepare(r); err != nil {
			return sample{}, err
		}
	}
	p := s.prepared
	p.Fill()
	runtime.GC() // garbage of checks must not be counted for the kernel
	ghz := clockGHz()
	began, used := time.Now(), workloads.CPUTime()
	stats, err := p.Execute()
	used, wall := workloads.CPUTime()-used, time.Since(began)
	if err != nil {
		return sample{}, err
	}
	ghz = max(ghz, clockGHz())
	return sample{used, wall, ghz, stats.WarpInstrs, stats.LaneInstrs}, s.checker.check(p.Out())
}

func (s *server) prepare(r request) error {
	s.prepared = nil
	for _, set := range workloads.Sets {
		for i := range set.Workloads {
			w := &set.Workloads[i]
			if set.Name != r.Set || w.Name != r.Workload {
				continue
			}
			mod, err := set.Parse()
			if err != nil {
				return err
			}
			p, err := w.In(mod, interp.Config{Threads: r.Threads})
			if err != nil {
				return err
			}
			s.at, s.prepared, s.checker = r, p, checker{reference: func([]byte) error { return p.Check() }}
			return nil
		}
	}
	return fmt.Errorf("no workload %s in set %q", r.Workload, r.Set)
}
