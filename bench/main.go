// Bench times simtrun and PoCL, an OpenCL runtime that compiles kernels for the host's processor, on the same work,
// alternating. ../docs/performance.md says what is measured and how.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/simtrun/simtrun/internal/workloads"
)

const usage = `usage: go run ./bench [FLAG]... [WORKLOAD]...

Times the workloads of a set, or those named, and prints a table. Flags:
`

// options are the command-line options.
type options struct {
	sets    []*workloads.Set
	only    []string // names of workloads; none means all
	rounds  int
	threads int
	levels  []string // of compiled lanes, for SIMTRUN_LANES; "" is simtrun's choice
	json    bool
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == serveCommand {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	o, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if err := o.run(os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string, help io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(help)
	flags.Usage = func() {
		fmt.Fprint(help, usage)
		flags.PrintDefaults()
	}
	set := flags.String("set", "ten", "workloads: ten, five, irregular, or all")
	levels := flags.String("lanes", "", "levels of compiled lanes to time, as in go,avx2,avx512; by default simtrun's choice")
	flags.IntVar(&o.rounds, "rounds", 15, "measured runs of each workload")
	flags.IntVar(&o.threads, "threads", 1, "host threads of each; with more than one, wall time is compared")
	flags.BoolVar(&o.json, "json", false, "print an object instead of the table")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.rounds < 1 || o.threads < 1 {
		return nil, errors.New("-rounds and -threads must be at least 1")
	}
	o.levels = strings.Split(*levels, ",")
	o.only = flags.Args()
	return o, o.choose(*set)
}

// choose finds the sets; all of them if workloads are named.
func (o *options) choose(set string) error {
	known := make(map[string]bool)
	for _, s := range workloads.Sets {
		for _, w := range s.Workloads {
			known[w.Name] = true
		}
		if set == s.Name || set == "all" || len(o.only) > 0 {
			o.sets = append(o.sets, s)
		}
	}
	for _, name := range o.only {
		if !known[name] {
			return fmt.Errorf("no workload %q", name)
		}
	}
	if o.sets == nil {
		return fmt.Errorf("no set %q; there are ten, five, irregular and all", set)
	}
	return nil
}

// run measures and prints the results. Notes for the reader go to notes.
func (o *options) run(out, notes io.Writer) (err error) {
	var tools []tool
	defer func() {
		for _, t := range tools {
			err = errors.Join(err, t.close())
		}
	}()
	r := &report{Rounds: o.rounds, Threads: o.threads, Host: thisHost()}
	peer, err := startPoCL(o.threads)
	var missing *missingError
	switch {
	case errors.As(err, &missing):
		fmt.Fprintln(notes, "bench: simtrun is timed alone:", missing)
	case err != nil:
		return err
	default:
		tools = append(tools, peer)
		r.Peer = &peer.device
	}
	for _, level := range o.levels {
		child, err := startSimtrun(level, o.threads)
		if err != nil {
			return err
		}
		tools = append(tools, child)
	}
	if err := o.measure(r, tools); err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.write(out)
}
