// Command simtrun-gpu executes launches on a GPU, by NVIDIA's driver. simtrun verify starts it: a command of its own,
// because the driver is a shared library, and simtrun is a static binary.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"

	"github.com/simtrun/simtrun/internal/ongpu"
)

func main() {
	runtime.LockOSThread() // a context belongs to a thread
	var job ongpu.Job
	if err := json.NewDecoder(os.Stdin).Decode(&job); err != nil {
		fmt.Fprintf(os.Stderr, "simtrun-gpu: %v; simtrun verify starts this command and writes to its standard input\n", err)
		os.Exit(2)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer(&job)); err != nil {
		fmt.Fprintln(os.Stderr, "simtrun-gpu:", err)
		os.Exit(1)
	}
}

// answer executes a job on the GPU.
func answer(job *ongpu.Job) *ongpu.Answer {
	a := &ongpu.Answer{}
	d, err := openDriver()
	if err != nil {
		a.Missing = err.Error()
		return a
	}
	if err := d.enter(job.Device, a); err != nil {
		a.Missing = err.Error()
		return a
	}
	if err := d.execute(job, a); err != nil {
		a.Failed, a.Times, a.Buffers = err.Error(), nil, nil
	}
	return a
}
