package report

import (
	"cmp"
	"math/big"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
)

// runJSON is the JSON object of a run. Its keys are part of the interface.
type runJSON struct {
	Schema     string       `json:"schema"`
	GPU        string       `json:"gpu"`
	Divergence string       `json:"divergence"`
	Launches   []launchJSON `json:"launches"`
	Stdout     string       `json:"stdout"` // output of kernels
	Dumps      []dumpJSON   `json:"dumps"`
	Findings   []Finding    `json:"findings"`
	Expects    Expects      `json:"expects"`
	Summary    Summary      `json:"summary"`
}

type launchJSON struct {
	Kernel           string     `json:"kernel"`                   // as in the source
	Mangled          string     `json:"kernel_mangled,omitempty"` // its name in PTX, if that is another
	Grid             [3]uint32  `json:"grid"`
	Block            [3]uint32  `json:"block"`
	Cluster          *[3]uint32 `json:"cluster,omitempty"` // missing without clusters
	Shared           int64      `json:"shared"`
	Blocks           int64      `json:"blocks"`
	Warps            *big.Int   `json:"warps"`
	WarpInstructions uint64     `json:"warp_instructions"`
	LaneInstructions uint64     `json:"lane_instructions"`
	*Time
	Metrics        metricsJSON       `json:"metrics"`
	Arrays         []Array           `json:"shared_arrays,omitempty"`
	Buffers        []Buffer          `json:"buffers,omitempty"`
	Lines          []instructionJSON `json:"lines,omitempty"`
	HostCPUSeconds *float64          `json:"host_cpu_seconds,omitempty"` // with --host-time
	Uncompiled     []Uncompiled      `json:"not_compiled,omitempty"`
	Undefined      []string          `json:"undefined,omitempty"`
	Left           []Left            `json:"code_left,omitempty"`
}

// Summary is how a run ended.
type Summary struct {
	Exit     int `json:"exit"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos,omitempty"`
	// Suppressed and Known findings are not among the others.
	Suppressed int    `json:"suppressed,omitempty"`
	Known      int    `json:"known,omitempty"` // in the baseline
	Message    string `json:"message"`         // "" on success
}

// object returns the JSON object of a run that ended with err and an exit status, without kernel output and dumps.
func object(r *Run, err error, exit int) *runJSON {
	o := &runJSON{
		Schema: "simtrun.run/v1", GPU: gpuOf(r), Divergence: modelOf(r.Plan).String(),
		Launches: []launchJSON{}, Findings: named(r.found),
		Expects: Expects{Failures: []Failure{}}, Summary: Summary{Exit: exit},
	}
	if o.Findings == nil {
		o.Findings = allFindings(err, r.Result)
	}
	o.Summary.count(o.Findings)
	if err != nil {
		o.Summary.Message = message(err)
	}
	if r.Result == nil {
		return o
	}
	o.Expects = expectsOf(r.Result)
	for i := range r.Result.Launches {
		l := &r.Result.Launches[i]
		o.Launches = append(o.Launches, launchOf(l, r.HostTime))
	}
	return o
}

// count counts findings: those that are neither suppressed nor known by severity.
func (s *Summary) count(all []Finding) {
	for i := range all {
		switch f := &all[i]; {
		case f.Judged != nil && f.Suppressed != "":
			s.Suppressed++
		case f.Judged != nil && f.Known:
			s.Known++
		case f.Severity == check.Error.String():
			s.Errors++
		case f.Severity == check.Warning.String():
			s.Warnings++
		default:
			s.Infos++
		}
	}
}

// modelOf returns the divergence model of a plan, or the default if there is no plan.
func modelOf(plan *launch.Plan) divergence.Model {
	if plan == nil {
		return 0
	}
	return plan.Config.Divergence
}

// gpuOf returns the GPU on which the launches of a run were timed, or would have been; "none" without a clock.
func gpuOf(r *Run) string {
	switch plan := r.Plan; {
	case plan == nil:
		return cmp.Or(r.GPU, "none")
	case plan.Clock == nil:
		return "none"
	default:
		return plan.Config.GPU.Name
	}
}

func launchOf(l *launch.Launched, hostTime bool) launchJSON {
	o := launchJSON{
		Kernel: cxx.Short(l.Kernel), Mangled: cxx.Mangled(l.Kernel), Grid: dimArray(l.Grid), Block: dimArray(l.Block), Cluster: clusterArray(l.Cluster), Shared: l.Shared,
		Blocks: l.Grid.Count(), Warps: isa.Warps(l.Grid, l.Block),
		WarpInstructions: l.Stats.WarpInstrs, LaneInstructions: l.Stats.LaneInstrs,
		Time: timeOf(l), Metrics: metricsJSON{}, Uncompiled: uncompiledOf(l), Left: leftOf(l), Undefined: l.Stats.Undefined.Lines(),
	}
	if l.Profile != nil {
		o.Metrics, o.Lines, o.Arrays, o.Buffers = metricsOf(l.Profile), instructionsOf(l.Profile), arraysOf(l.Profile), buffersOf(l.Profile)
	}
	if seconds := l.HostCPU.Seconds(); hostTime {
		o.HostCPUSeconds = &seconds
	}
	return o
}

// clusterArray returns the size of clusters; nil without clusters.
func clusterArray(d isa.Dim) *[3]uint32 {
	if d == (isa.Dim{}) {
		return nil
	}
	a := dimArray(d)
	return &a
}

func dimArray(d isa.Dim) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }
