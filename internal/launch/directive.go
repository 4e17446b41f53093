package launch

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
)

// assignment splits NAME = TEXT, and returns the position of TEXT.
func assignment(text string, at Origin) (name, rest string, restAt Origin, err error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return "", "", at, fmt.Errorf("expected NAME = VALUE, found %q", text)
	}
	trimmed := strings.TrimLeft(rest, " \t")
	restAt = at.right(len(text) - len(trimmed))
	return strings.TrimSpace(name), strings.TrimSpace(trimmed), restAt, nil
}

func (l *Layer) addBuffer(text string, at Origin) error {
	name, rest, restAt, err := assignment(text, at)
	if err != nil {
		return err
	}
	if !isName(name) {
		return fmt.Errorf("%q cannot name a buffer; names are letters, digits, _ and $", name)
	}
	if err := l.once("buffer", name, "", at); err != nil {
		return err
	}
	c, err := l.parseContent(rest)
	if err != nil {
		return restAt.wrap(err)
	}
	l.buffers = append(l.buffers, buffer{name, c, at})
	return nil
}

func (l *Layer) addSymbol(text string, at Origin) error {
	name, rest, restAt, err := assignment(text, at)
	if err != nil {
		return err
	}
	if err := l.once("symbol", name, "set ", at); err != nil {
		return err
	}
	v, err := l.parseValue(rest)
	if err != nil {
		return restAt.wrap(err)
	}
	l.symbols = append(l.symbols, symbol{name, v, at})
	return nil
}

func (l *Layer) addAddress(text string, at Origin) error {
	name, rest, restAt, err := assignment(text, at)
	if err != nil {
		return err
	}
	if err := l.once("address", name, "", at); err != nil {
		return err
	}
	number, heap := strings.CutSuffix(rest, " heap")
	addr, err := strconv.ParseUint(number, 0, 64)
	if err != nil {
		return restAt.errorf("%q is not an address, such as 0x10000000, or 0x10000000 heap", rest)
	}
	l.addresses = append(l.addresses, addressLine{name, addr, heap, at})
	return nil
}

// setHeap parses ADDRESS BYTES.
func (l *Layer) setHeap(text string, at Origin) error {
	var h heap
	if n, err := fmt.Sscanf(text+"\n", "%v %v\n", &h.addr, &h.bytes); n != 2 || err != nil {
		return fmt.Errorf("%q: expected heap ADDRESS BYTES, as in heap 0x120000000 8388608", text)
	}
	return l.heap.set(h, at)
}

const launchForm = "launch KERNEL grid=G block=B cluster=C shared=BYTES cooperative process=NAME percent=N stream=NAME args=A,B"

// addLaunch parses a launch in the form of launchForm.
func (l *Layer) addLaunch(text string, at Origin) error {
	f := form{at: at}
	for word, wordAt := range words(text, at) {
		key, rest, ok := strings.Cut(word, "=")
		var err error
		switch {
		case !ok && !f.kernel.given:
			err = f.kernel.set(word, wordAt)
		case word == "cooperative":
			err = f.setCooperative("", wordAt)
		case !ok:
			err = fmt.Errorf("%q after the kernel; expected %s", word, launchForm)
		case key == "grid":
			err = f.setGrid(rest, wordAt)
		case key == "block":
			err = f.setBlock(rest, wordAt)
		case key == "cluster":
			err = f.setCluster(rest, wordAt)
		case key == "shared":
			err = f.setShared(rest, wordAt)
		case key == "args":
			err = l.addArgs(&f, rest, wordAt.right(len("args=")))
		case key == "stream":
			err = f.setStream(rest, wordAt)
		case key == "process":
			err = f.setProcess(rest, wordAt)
		case key == "percent":
			err = f.setPercent(rest, wordAt)
		default:
			err = fmt.Errorf("no %q in a launch; expected %s", key, launchForm)
		}
		if err != nil {
			return wordAt.wrap(err)
		}
	}
	if !f.kernel.given {
		return fmt.Errorf("launch without a kernel; expected %s", launchForm)
	}
	l.launches = append(l.launches, f)
	return nil
}

// words returns the blank-separated words of text with their positions.
func words(text string, at Origin) func(yield func(string, Origin) bool) {
	return func(yield func(string, Origin) bool) {
		for i := 0; i < len(text); {
			rest := strings.TrimLeft(text[i:], " \t")
			i = len(text) - len(rest)
			end := strings.IndexAny(rest, " \t")
			if end < 0 {
				end = len(rest)
			}
			if end > 0 && !yield(rest[:end], at.right(i)) {
				return
			}
			i += end
		}
	}
}

// addArgs parses A,B,… by position.
func (l *Layer) addArgs(f *form, text string, at Origin) error {
	for i, one := range strings.Split(text, ",") {
		v, err := l.parseValue(one)
		if err != nil {
			return at.wrap(err)
		}
		f.args = append(f.args, argument{param: strconv.Itoa(i), value: v, at: at})
		at = at.right(len(one) + 1)
	}
	return nil
}

func (l *Layer) setKernel(text string, at Origin) error {
	if text == "" {
		return errors.New("kernel without a name")
	}
	return l.short.kernel.set(text, at)
}

func (l *Layer) setGrid(text string, at Origin) error  { return l.short.setGrid(text, at) }
func (l *Layer) setBlock(text string, at Origin) error { return l.short.setBlock(text, at) }
func (l *Layer) setCluster(text string, at Origin) error {
	return l.short.setCluster(text, at)
}
func (l *Layer) setShared(text string, at Origin) error { return l.short.setShared(text, at) }

func (l *Layer) setCooperative(text string, at Origin) error {
	return l.short.setCooperative(text, at)
}

func (f *form) setGrid(text string, at Origin) error {
	d, err := parseDim(text)
	if err != nil {
		return err
	}
	return f.grid.set(d, at)
}

func (f *form) setBlock(text string, at Origin) error {
	d, err := parseDim(text)
	if err != nil {
		return err
	}
	return f.block.set(d, at)
}

func (f *form) setCluster(text string, at Origin) error {
	d, err := parseDim(text)
	if err != nil {
		return err
	}
	return f.cluster.set(d, at)
}

func (f *form) setShared(text string, at Origin) error {
	n, err := strconv.ParseUint(text, 0, 31)
	if err != nil {
		return fmt.Errorf("%q is not a number of bytes", text)
	}
	return f.shared.set(int64(n), at)
}

func (f *form) setCooperative(text string, at Origin) error {
	on, err := parseSwitch("cooperative", text)
	if err != nil {
		return err
	}
	return f.cooperative.set(on, at)
}

// setStream parses the name, or the number, of a stream.
func (f *form) setStream(text string, at Origin) error {
	if !isLabel(text) {
		return fmt.Errorf("%q cannot name a stream; names are letters, digits, _ and $, or numbers", text)
	}
	return f.stream.set(text, at)
}

// parseDim parses X, XxY or XxYxZ.
func parseDim(text string) (isa.Dim, error) {
	d := isa.Dim{X: 1, Y: 1, Z: 1}
	parts := strings.Split(text, "x")
	into := []*uint32{&d.X, &d.Y, &d.Z}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || n == 0 || len(parts) > len(into) {
			return d, fmt.Errorf("%q is not X, XxY or XxYxZ with numbers from 1, as in 132x4", text)
		}
		*into[i] = uint32(n)
	}
	return d, nil
}

func (l *Layer) addArg(text string, at Origin) error {
	param, rest, restAt, err := assignment(text, at)
	if err != nil {
		return err
	}
	if param == "" {
		return fmt.Errorf("%q: no parameter; expected NAME = VALUE or INDEX = VALUE", text)
	}
	v, err := l.parseValue(rest)
	if err != nil {
		return restAt.wrap(err)
	}
	l.short.args = append(l.short.args, argument{param: param, value: v, at: at})
	return nil
}

// addDump parses NAME[:TYPE[:COUNT]].
func (l *Layer) addDump(text string, at Origin) error {
	fields := strings.Split(text, ":")
	d := dumpLine{count: -1, at: at}
	var ok bool
	if d.owned, ok = parseOwned(fields[0]); len(fields) > 3 || !ok {
		return fmt.Errorf("expected NAME[:TYPE[:COUNT]], found %q", text)
	}
	var err error
	if len(fields) > 1 {
		if d.elem, err = elemByName(fields[1]); err != nil {
			return err
		}
	}
	if len(fields) > 2 {
		d.count, err = strconv.ParseInt(fields[2], 10, 64)
		if err != nil || d.count < 1 {
			return fmt.Errorf("%q is not a number of elements", fields[2])
		}
	}
	l.dumps = append(l.dumps, d)
	return nil
}

func (l *Layer) addSave(text string, at Origin) error {
	name, path, _, err := assignment(text, at)
	if err != nil {
		return err
	}
	of, ok := parseOwned(name)
	if !ok || path == "" {
		return fmt.Errorf("expected NAME = FILE, found %q", text)
	}
	l.saves = append(l.saves, saveLine{of, path, at})
	return nil
}

func (l *Layer) setMaxSteps(text string, at Origin) error {
	n, err := steps(text)
	if err != nil {
		return err
	}
	return l.maxSteps.set(n, at)
}

func (l *Layer) setMaxLaunchSteps(text string, at Origin) error {
	n, err := steps(text)
	if err != nil {
		return err
	}
	return l.maxLaunchSteps.set(n, at)
}

// steps parses a number of warp instructions, such as 20000 or 1e10.
func steps(text string) (uint64, error) {
	if n, err := strconv.ParseUint(text, 10, 64); err == nil && n > 0 {
		return n, nil
	}
	const most = 1 << 63
	if f, err := strconv.ParseFloat(text, 64); err == nil && f >= 1 && f < most && f == math.Trunc(f) {
		return uint64(f), nil
	}
	return 0, fmt.Errorf("%q is not a number of warp instructions, from 1", text)
}

// setGPU parses the name of a preset, or of a file, which is not allowed in a header.
func (l *Layer) setGPU(text string, at Origin) error {
	if l.source == header && gpu.IsFile(text) {
		return fmt.Errorf("%s: a header names a preset; files are for scripts and flags", text)
	}
	c, _, err := gpu.Open(text)
	if wrong, ok := errors.AsType[*gpu.Error](err); ok {
		return &Error{At: Origin{Pos: wrong.Pos}, Msg: wrong.Msg, Err: err}
	}
	if err != nil {
		return err
	}
	return l.gpu.set(c, at)
}

func (l *Layer) setRegisters(text string, at Origin) error {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a number of registers per thread, from 1", text)
	}
	return l.registers.set(int(n), at)
}

func (l *Layer) setCarveout(text string, at Origin) error {
	n, err := strconv.ParseUint(strings.TrimSuffix(text, "%"), 10, 8)
	if err != nil || n > 100 {
		return fmt.Errorf("%q is not a carve-out, a percentage of shared memory from 0 to 100", text)
	}
	return l.carveout.set(int(n), at)
}

func (l *Layer) setIdealised(text string, at Origin) error {
	if text != "" && text != "true" {
		return fmt.Errorf("idealised takes no value, not %q", text)
	}
	return l.idealised.set(true, at)
}

func (l *Layer) setNoLibdevice(text string, at Origin) error {
	on, err := parseSwitch("no-libdevice", text)
	if err != nil {
		return err
	}
	return l.noLibdevice.set(on, at)
}

func (l *Layer) setSharedInit(text string, at Origin) error {
	if text != "pattern" && text != "zero" {
		return fmt.Errorf("shared-init is pattern or zero, not %q", text)
	}
	return l.zeroShared.set(text == "zero", at)
}

func (l *Layer) setDivergence(text string, at Origin) error {
	model, err := divergence.ParseModel(text)
	if err != nil {
		return err
	}
	return l.divergence.set(model, at)
}

func (l *Layer) setPathOrder(text string, at Origin) error {
	order, err := divergence.ParseOrder(text)
	if err != nil {
		return err
	}
	return l.pathOrder.set(order, at)
}

func (l *Layer) setSplit(text string, at Origin) error {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || seed == 0 {
		return fmt.Errorf("%q is not a seed; it is a number from 1", text)
	}
	return l.split.set(seed, at)
}

func (l *Layer) setMemory(text string, at Origin) error {
	n, err := ParseSize(text)
	if err != nil {
		return err
	}
	return l.memory.set(n, at)
}

// ParseSize parses a number of bytes such as 4000000, 512M or 16G. The letters K, M, G and T are powers of 1024; iB
// may follow them.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "KMGTiBkmgtb")
	n, err := strconv.ParseUint(digits, 10, 62)
	shift, known := map[string]int{"": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40}[sizeUnit(text[len(digits):])]
	if err != nil || !known || n == 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is not a size; write a number of bytes, or one with K, M, G or T as in 16G", text)
	}
	return int64(n) << shift, nil
}

// sizeUnit returns the letter of a unit such as GiB.
func sizeUnit(text string) string {
	unit := strings.ToUpper(text)
	if long, ok := strings.CutSuffix(unit, "IB"); ok && long != "" {
		return long
	}
	if long, ok := strings.CutSuffix(unit, "B"); ok && long != "" {
		return long
	}
	return unit
}

func (l *Layer) setFunctional(text string, at Origin) error {
	on, err := parseSwitch("functional", text)
	if err != nil {
		return err
	}
	return l.functional.set(on, at)
}

func (l *Layer) setPolicy(text string, at Origin) error {
	policy, err := sm.ParsePolicy(text)
	if err != nil {
		return err
	}
	return l.timing.policy.set(policy, at)
}

func (l *Layer) setCTAOrder(text string, at Origin) error {
	order, err := sm.ParseOrder(text)
	if err != nil {
		return err
	}
	return l.timing.order.set(order, at)
}

func (l *Layer) setCost(text string, at Origin) error {
	mode, err := cost.ParseMode(text)
	if err != nil {
		return err
	}
	return l.timing.cost.set(mode, at)
}

func (l *Layer) setICache(text string, at Origin) error {
	warm, err := sm.ParseICache(text)
	if err != nil {
		return err
	}
	return l.timing.warmCode.set(warm, at)
}

func (l *Layer) setDualIssue(text string, at Origin) error {
	on, err := parseSwitch("dual-issue", text)
	if err != nil {
		return err
	}
	return l.timing.dualIssue.set(on, at)
}

// parseSwitch parses the value of a directive that is on by its presence. As a flag it may be set to false.
func parseSwitch(name, text string) (on bool, err error) {
	switch text {
	case "", "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%s takes no value, not %q", name, text)
}
