package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/ongpu"
	"github.com/simtrun/simtrun/internal/source"
)

// Verification compares a run with the same launches on a GPU. It is the object that simtrun verify --json prints and
// --record keeps.
type Verification struct {
	Schema  string   `json:"schema"`
	Files   []string `json:"files"`
	Digest  string   `json:"digest"` // SHA-256 of PTX, arguments and memory
	Version string   `json:"version"`
	Date    string   `json:"date"`

	GPU     string  `json:"gpu"`
	Driver  string  `json:"driver"`
	Compute string  `json:"compute_capability"`
	SMs     int     `json:"sms"`
	MHz     float64 `json:"mhz"`             // measured
	Empty   float64 `json:"empty_launch_us"` // time of an empty launch

	Model    string  `json:"model"` // the preset
	ModelMHz float64 `json:"model_mhz"`

	Launches []VerifiedLaunch `json:"launches"`
	Buffers  []VerifiedBuffer `json:"buffers"`

	job    *ongpu.Job
	answer *ongpu.Answer
}

// VerifiedLaunch compares the time of a launch.
type VerifiedLaunch struct {
	Kernel  string    `json:"kernel"`                   // as in the source
	Mangled string    `json:"kernel_mangled,omitempty"` // its name in PTX, if that is another
	Grid    [3]uint32 `json:"grid"`
	Block   [3]uint32 `json:"block"`
	Times   []float64 `json:"gpu_us"` // of each execution, including that of an empty launch
	// GPUCycles are those of the shortest execution, without an empty launch; Cycles those of the model, 0 without a
	// clock.
	GPUCycles float64 `json:"gpu_cycles"`
	Cycles    int64   `json:"cycles"`
}

// VerifiedBuffer compares a buffer after the launches.
type VerifiedBuffer struct {
	Name      string `json:"name"`
	Bytes     int    `json:"bytes"`
	Different int    `json:"different"` // bytes
	First     string `json:"first_difference,omitempty"`
	SHA256    string `json:"gpu_sha256"` // of what the GPU left
	// LastWrite is the latest write here to the first element that differs. It is missing if none has written it, and
	// if the element depends on the order of threads.
	LastWrite *LastWrite `json:"last_write,omitempty"`

	element launch.Element // that differs first; its size is 0 if none does
}

// LastWrite is the latest write to an element.
type LastWrite struct {
	Position
	*Compiled
	Instr  string    `json:"instr"`
	Launch int       `json:"launch"`
	Block  [3]uint32 `json:"block"`
	Thread [3]uint32 `json:"thread"`

	at source.Place
}

// verificationSchema is the Schema of a Verification.
const verificationSchema = "simtrun.verify/v1"

// NewVerification begins a comparison with a GPU's answer to a job. The model is that of the run.
func NewVerification(model *gpu.Config, job *ongpu.Job, a *ongpu.Answer) *Verification {
	return &Verification{Schema: verificationSchema, Digest: digestOf(job), GPU: a.GPU, Driver: a.Driver, Compute: a.Compute, SMs: a.SMs, MHz: a.MHz, Empty: a.Empty,
		Model: model.Name, ModelMHz: model.ClockMHz, job: job, answer: a}
}

// digestOf is the digest of a job, without the device and the number of repeats.
func digestOf(job *ongpu.Job) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s", len(job.PTX), job.PTX)
	for i := range job.Buffers {
		b := &job.Buffers[i]
		fmt.Fprintf(h, " %s %v %d ", b.Name, b.Patches, len(b.Data))
		h.Write(b.Data)
	}
	fmt.Fprintf(h, " %+v", job.Launches)
	return hex.EncodeToString(h.Sum(nil))
}

// AddLaunch adds launch i, which took a number of cycles here, 0 without a clock.
func (v *Verification) AddLaunch(i int, cycles int64) {
	l, times := &v.job.Launches[i], v.answer.Times[i]
	v.Launches = append(v.Launches, VerifiedLaunch{Kernel: cxx.Short(l.Kernel), Mangled: cxx.Mangled(l.Kernel), Grid: l.Grid, Block: l.Block, Times: times,
		GPUCycles: max(0, slices.Min(times)-v.Empty) * v.MHz, Cycles: cycles})
}

// AddBuffer adds buffer i, which holds data here. The zero Elem means that the type of its elements is not known.
func (v *Verification) AddBuffer(i int, elem launch.Elem, data []byte) {
	got := v.answer.Buffers[i]
	sum := sha256.Sum256(got)
	b := VerifiedBuffer{Name: cxx.Variable(v.job.Buffers[i].Name), Bytes: len(data), SHA256: hex.EncodeToString(sum[:])}
	first := -1
	for at := range min(len(data), len(got)) {
		if data[at] != got[at] {
			b.Different++
			if first < 0 {
				first = at
			}
		}
	}
	if first >= 0 {
		b.First = differenceAt(b.Name, elem, first, data, got)
		n := max(elem.Bytes(), 1)
		b.element = launch.Element{Buffer: i, At: first - first%n, Size: min(n, len(data)-(first-first%n))}
	}
	v.Buffers = append(v.Buffers, b)
}

// Elements returns the first element of each buffer that differs.
func (v *Verification) Elements() (all []launch.Element) {
	for i := range v.Buffers {
		if e := v.Buffers[i].element; e.Size > 0 {
			all = append(all, e)
		}
	}
	return all
}

// AddWriting adds the instruction that wrote an element last.
func (v *Verification) AddWriting(e launch.Element, w *launch.Writing) {
	if !w.Known {
		return
	}
	at := source.At(w.Func, w.PC)
	v.Buffers[e.Buffer].LastWrite = &LastWrite{positionOf(at.Pos()), compiledOf(at), w.Func.Text(w.PC), w.Launch, dimArray(w.Block), dimArray(w.Thread), at}
}

// String returns a line such as "k.cu:7 by block (0,0,0), thread (7,0,0): out[t] = x;".
func (l *LastWrite) String() string {
	three := func(d [3]uint32) string { return fmt.Sprintf("(%d,%d,%d)", d[0], d[1], d[2]) }
	return fmt.Sprintf("%s by block %s, thread %s: %s", l.at.Short(), three(l.Block), three(l.Thread), l.at.Text(l.Instr))
}

// differenceAt describes the element that has the byte at an offset.
func differenceAt(name string, elem launch.Elem, at int, here, there []byte) string {
	if elem == 0 {
		return fmt.Sprintf("byte %d of %s is 0x%02x on the GPU and 0x%02x here", at, name, there[at], here[at])
	}
	n := elem.Bytes()
	at -= at % n
	if at+n > len(here) {
		return fmt.Sprintf("%s, byte %d", name, at)
	}
	return fmt.Sprintf("%s[%d] %v is %s on the GPU and %s here", name, at/n, elem, elem.TextAt(there[at:]), elem.TextAt(here[at:]))
}

// Different reports whether memory differs.
func (v *Verification) Different() bool {
	return slices.ContainsFunc(v.Buffers, func(b VerifiedBuffer) bool { return b.Different > 0 })
}

// Write writes the comparison as text.
func (v *Verification) Write(to io.Writer) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "GPU    %s, compute capability %s, %d SMs at %.0f MHz, driver %s\n", v.GPU, v.Compute, v.SMs, v.MHz, v.Driver)
	fmt.Fprintf(&text, "model  %s at %.0f MHz\n\n", v.Model, v.ModelMHz)
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "launch\tgrid\tblock\tGPU us\tGPU cycles\tcycles here\there / GPU\t\n")
	for i := range v.Launches {
		l := &v.Launches[i]
		here, ratio := "no clock", ""
		if l.Cycles > 0 {
			here = fmt.Sprint(l.Cycles)
			if l.GPUCycles > 0 {
				ratio = fmt.Sprintf("%.2f", float64(l.Cycles)/l.GPUCycles)
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.2f\t%.0f\t%s\t%s\t\n", l.Kernel, extentOf(l.Grid), extentOf(l.Block), slices.Min(l.Times), l.GPUCycles, here, ratio)
	}
	t.Flush()
	fmt.Fprintf(&text, "An empty launch takes %.2f us, which are not part of the cycles.\n\n", v.Empty)
	for i := range v.Buffers {
		b := &v.Buffers[i]
		if b.Different == 0 {
			fmt.Fprintf(&text, "%s: the same %d bytes\n", b.Name, b.Bytes)
			continue
		}
		fmt.Fprintf(&text, "%s: %d of %d bytes differ, first %s\n", b.Name, b.Different, b.Bytes, b.First)
		if b.LastWrite != nil {
			fmt.Fprintf(&text, "  last written here at %v\n", b.LastWrite)
		}
	}
	_, err := to.Write(text.Bytes())
	return err
}

// extentOf is an extent without trailing ones.
func extentOf(d [3]uint32) string {
	text := fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	return strings.TrimSuffix(strings.TrimSuffix(text, "x1"), "x1")
}
