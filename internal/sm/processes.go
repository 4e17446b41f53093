package sm

import "github.com/simtrun/simtrun/interp"

// Launch is one of the launches of a session. Launches of one stream of a machine run one after the other. A machine
// is the memory of a process.
type Launch struct {
	interp.Launch
	Machine *interp.Machine
	Process string // name of the machine's process
	// Percent is the percentage of the GPU's threads that the process may use at a time; 0 for all. Launches of one
	// process have the same or 0, and those with clusters have 0.
	Percent int
	Stream  string
}

// MaxProcesses is how many processes can share a GPU: the clients that an MPS server supports since Volta (NVIDIA,
// Multi-Process Service, r550, "Volta MPS").
const MaxProcesses = 48

// portion is the part of the GPU that the launches of a process may use, as CUDA_MPS_ACTIVE_THREAD_PERCENTAGE limits
// it: some SMs at a time, whichever (NVIDIA, Multi-Process Service, "Volta MPS Execution Resource Provisioning").
type portion struct {
	most int   // SMs that may have CTAs of the process at a time
	used int   // SMs that have some
	ctas []int // of the process, by SM
}

// newPortion returns the portion of a percentage of the threads of n SMs, rounded up to whole SMs.
func newPortion(percent, n int) *portion {
	return &portion{most: (percent*n + 99) / 100, ctas: make([]int, n)}
}

// allows reports whether an SM may get a CTA of the process. A nil portion is the whole GPU.
func (p *portion) allows(sm int) bool { return p == nil || p.ctas[sm] > 0 || p.used < p.most }

// exhausted reports whether the process has all SMs that it may use.
func (p *portion) exhausted() bool { return p != nil && p.used >= p.most }

// add notes that an SM has n more CTAs of the process, 1 or -1.
func (p *portion) add(sm, n int) {
	if p == nil {
		return
	}
	if p.ctas[sm] == 0 {
		p.used++
	}
	if p.ctas[sm] += n; p.ctas[sm] == 0 {
		p.used--
	}
}

// room returns how many more CTAs of a launch an SM can take.
func (l *launch) room(m *multiprocessor) int {
	if !l.portion.allows(m.id) {
		return 0
	}
	return m.takes(l)
}

// setPortions gives the launches of each process with a percentage its portion.
func (s *Session) setPortions(ls []Launch) error {
	of := make(map[string]*portion)
	for i := range ls {
		if ls[i].Percent > 0 && of[ls[i].Process] == nil {
			of[ls[i].Process] = newPortion(ls[i].Percent, s.gpu.SMs)
		}
	}
	for i, l := range s.launches {
		l.portion = of[ls[i].Process]
		if l.portion != nil && (l.grid.Clustered() || ls[i].Cooperative) {
			return &interp.LaunchError{Kernel: ls[i].Kernel, Msg: "clusters and cooperative launches are not supported yet in a process with a percentage of the GPU"}
		}
	}
	s.distributor.portions = len(of) > 0
	return nil
}
