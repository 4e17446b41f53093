package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/simtrun/simtrun/internal/workloads"
)

var (
	//go:embed opencl/driver.c
	driverSource []byte
	//go:embed opencl/ten.cl
	tenSource []byte
	//go:embed opencl/five.cl
	fiveSource []byte
	//go:embed opencl/irregular.cl
	irregularSource []byte
)

// sources are the OpenCL modules by set.
var sources = map[string][]byte{"ten": tenSource, "five": fiveSource, "irregular": irregularSource}

// poCL is a process of opencl/driver.c, which documents the protocol.
type poCL struct {
	device deviceInfo
	dir    string // directory of the build, and of PoCL's cache
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors bytes.Buffer

	set     *workloads.Set // set of the module that is built
	checker checker
}

// deviceInfo describes PoCL's device.
type deviceInfo struct {
	Version string `json:"version"`
	Device  string `json:"device"`
}

// missingError lists the components that are not installed.
type missingError struct {
	what, pkg string
}

func (e *missingError) Error() string {
	return fmt.Sprintf("%s (Debian package %s); install everything that PoCL needs with apt-get install gcc ocl-icd-opencl-dev opencl-headers pocl-opencl-icd", e.what, e.pkg)
}

// startPoCL builds the driver and starts it. A *missingError says that it cannot be built.
func startPoCL(threads int) (*poCL, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	p := &poCL{dir: dir}
	if err := p.start(threads); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return p, nil
}

func (p *poCL) start(threads int) error {
	if err := p.build(); err != nil {
		return err
	}
	p.cmd = exec.Command(filepath.Join(p.dir, "driver"))
	p.cmd.Env = append(os.Environ(), "POCL_MAX_PTHREAD_COUNT="+strconv.Itoa(threads), "POCL_CACHE_DIR="+p.dir)
	p.cmd.Stderr = &p.errors
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	line, err := p.line()
	if err != nil {
		return err
	}
	if line == "none" {
		p.cmd.Wait()
		return &missingError{"no OpenCL platform is PoCL", "pocl-opencl-icd"}
	}
	version, device, _ := strings.Cut(strings.TrimPrefix(line, "device "), "|")
	device, _, _ = strings.Cut(device, "|")
	p.device = deviceInfo{version, device}
	return nil
}

// build compiles the driver; if that fails, it tests its dependencies one by one.
func (p *poCL) build() error {
	if _, err := exec.LookPath("gcc"); err != nil {
		return &missingError{"no gcc", "gcc"}
	}
	compile := func(source []byte, args ...string) ([]byte, error) {
		cmd := exec.Command("gcc", append([]string{"-O2", "-x", "c", "-", "-o", filepath.Join(p.dir, "driver")}, args...)...)
		cmd.Stdin = bytes.NewReader(source)
		return cmd.CombinedOutput()
	}
	said, err := compile(driverSource, "-lOpenCL")
	if err == nil {
		return nil
	}
	if _, err := compile([]byte("#include <CL/cl.h>\n"), "-c"); err != nil {
		return &missingError{"no CL/cl.h", "opencl-headers"}
	}
	if _, err := compile([]byte("int main(void) { return 0; }\n"), "-lOpenCL"); err != nil {
		return &missingError{"no libOpenCL to link with", "ocl-icd-opencl-dev"}
	}
	return fmt.Errorf("gcc: %w\n%s", err, said)
}

func (p *poCL) name() (tool, lanes string) { return "PoCL", "" }

func (p *poCL) prepare(set *workloads.Set, w *workloads.Workload) error {
	var b bytes.Buffer
	if p.set != set {
		fmt.Fprintf(&b, "source %d\n%s", len(sources[set.Name]), sources[set.Name])
		if err := p.command(&b); err != nil {
			return err
		}
		p.set = set
	}
	in := w.Inputs()
	fmt.Fprintf(&b, "kernel %s %d %d %d %d %d %d %d\n", w.Name, max(w.Launches, 1), w.Grid.X*w.Block.X, w.Grid.Y*w.Block.Y, w.Block.X, w.Block.Y, in.Out, len(in.Args))
	for _, a := range in.Args {
		switch v := a.(type) {
		case int32:
			fmt.Fprintf(&b, "word %x\n", uint32(v))
		case float32:
			fmt.Fprintf(&b, "word %x\n", math.Float32bits(v))
		default:
			fmt.Fprintf(&b, "buffer %d\n", binary.Size(v))
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				return err
			}
		}
	}
	p.checker = checker{reference: in.CheckNear}
	return p.command(&b)
}

// command sends a command that is answered by ok.
func (p *poCL) command(b *bytes.Buffer) error {
	if _, err := b.WriteTo(p.in); err != nil {
		return p.failed(err)
	}
	if line, err := p.line(); err != nil || line != "ok" {
		return p.failed(fmt.Errorf("the driver says %q: %w", line, err))
	}
	return nil
}

func (p *poCL) run() (sample, error) {
	if _, err := io.WriteString(p.in, "run\n"); err != nil {
		return sample{}, p.failed(err)
	}
	line, err := p.line()
	if err != nil {
		return sample{}, err
	}
	var cpu, wall, size int64
	if _, err := fmt.Sscanf(line, "done %d %d %d", &cpu, &wall, &size); err != nil {
		return sample{}, fmt.Errorf("the driver says %q: %w", line, err)
	}
	out := make([]byte, size)
	if _, err := io.ReadFull(p.out, out); err != nil {
		return sample{}, p.failed(err)
	}
	return sample{CPU: time.Duration(cpu), Wall: time.Duration(wall)}, p.checker.check(out)
}

func (p *poCL) line() (string, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", p.failed(err)
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// failed adds the driver's output to an error.
func (p *poCL) failed(err error) error {
	p.in.Close()
	p.cmd.Wait()
	return fmt.Errorf("%w: %s", err, bytes.TrimSpace(p.errors.Bytes()))
}

func (p *poCL) close() error {
	p.in.Close()
	p.cmd.Wait() // the reason of the failure is already known
	return os.RemoveAll(p.dir)
}
