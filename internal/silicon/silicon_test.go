package silicon

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
)

var (
	casesFile   = flag.String("cases", "", "write the cases for run.py to this file")
	resultsFile = flag.String("results", "", "compare with what run.py has written to this file")
	only        = flag.String("only", "", "with -results: only cases whose names match this pattern")
	record      = flag.Bool("record", false, "with -results: keep them as those of the H100")
	update      = flag.Bool("update", false, "rewrite the list of differences, and forget answers to cases that are no more")
	part        = flag.String("part", fmt.Sprintf("0/%d", short.Part), "I/N: compare form I of each N in turn; 0/1 compares all")
	straight    = flag.String("straight", "", "write testdata/straight.zip anew, without the mnemonics in this file")
)

const (
	recordFile = "testdata/h100.zip"
	listFile   = "testdata/h100.txt"
)

// outcome is the comparison of one case.
type outcome struct {
	name    string
	line    string // of the list of differences, "" if there is none
	wrong   string // an error, "" if there is none
	without int    // modules without outputs of the GPU
	unasked bool   // newer than the record
}

// TestResultsMatchH100 compares the results of simtrun with those of an H100, bit by bit. Known differences are listed
// with their reasons, and there must be no others. Among the forms, which have names without a folder, every sixteenth
// is compared, or those that -part names (.ci/steps/34-silicon); the other cases take turns. With -short every
// sixteenth case is compared.
func TestResultsMatchH100(t *testing.T) {
	data, err := os.ReadFile(recordFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	var number, turn, turns int
	if _, err := fmt.Sscanf(*part, "%d/%d", &turn, &turns); err != nil || turn < 0 || turn >= turns {
		t.Fatalf("-part %s: it takes I/N, with I from 0 to N-1", *part)
	}
	missing := maps.Clone(r.Answers)
	outcomes := eachCase(t, func(name string) bool {
		delete(missing, name)
		number++
		otherValues := testing.Short() && strings.HasPrefix(name, "traps/") // than the H100 had: fewer
		waits := number%turns != turn
		if strings.Contains(name, "/") {
			waits = short.Waits(number, 3)
		}
		left := !*update && (otherValues || short.Skips(number) || waits)
		return !left
	}, func(c *Case) outcome { return against(c, r) })
	for name := range missing {
		if !*update {
			t.Errorf("%s is recorded, and there is no such case any more", name)
		}
		delete(r.Answers, name)
	}
	if *update && len(missing) > 0 {
		writeRecord(t, r)
	}
	var lines []string
	compared := make(map[string]bool)
	without, unasked := 0, 0
	for _, o := range outcomes {
		if o.unasked {
			unasked++
			continue
		}
		compared[o.name] = true
		without += o.without
		if o.wrong != "" {
			t.Errorf("%s: %s", o.name, o.wrong)
		}
		if o.line != "" {
			lines = append(lines, o.line)
		}
	}
	slices.Sort(lines)
	checkList(t, r, lines, compared)
	t.Logf("%s, driver %s: %d cases, %d differ; %d modules without outputs; %d more cases it was not asked", r.GPU, r.Driver, len(outcomes)-unasked, len(lines), without, unasked)
}

// against compares c with its recorded answer.
func against(c *Case, r *Record) outcome {
	o := outcome{name: c.Name}
	theirs, known := r.Answers[c.Name]
	switch {
	case !known:
		o.unasked = true
		return o
	case theirs.Key != c.Key():
		o.wrong = "is not what the H100 was given: see docs/silicon.md"
		return o
	}
	o.without = len(theirs.Without)
	outputs, hashes := allOutputs(c, func(module int) bool { return theirs.Without[module] == "" })
	ours := Combine(c, hashes)
	if ours.Plain == theirs.Plain && ours.Guarded == theirs.Guarded {
		return o
	}
	why := knownFor(c.Name)
	switch {
	case why == nil:
		o.wrong = "differs from the H100"
		return o
	case why.guarded && ours.Plain != theirs.Plain:
		o.wrong = "differs from the H100, not only under a guard"
		return o
	}
	o.line = c.Name + "\t" + why.reason
	if !why.guarded && why.reason != "open" {
		s := sizeOf(c, why, outputs, r)
		o.line += "\t" + s.String()
	}
	return o
}

// sizeOf describes how outputs differ from the recorded ones.
func sizeOf(c *Case, why *known, outputs [][][][]byte, r *Record) *size {
	s := &size{}
	for i := range outputs {
		for k := range outputs[i] {
			for n, ours := range outputs[i][k] {
				if theirs, kept := r.Output(c.Name, i, k, n); kept {
					s.compare(c, &c.Modules[i].Launches[k], why, ours, theirs)
				}
			}
		}
	}
	return s
}

// allOutputs returns those of simtrun, by module, launch and number, and their hashes; a launch that fails has none.
func allOutputs(c *Case, wanted func(module int) bool) (outputs [][][][]byte, hashes [][][]string) {
	outputs, hashes = make([][][][]byte, len(c.Modules)), make([][][]string, len(c.Modules))
	for i := range c.Modules {
		if !wanted(i) {
			continue
		}
		for k := range c.Modules[i].Launches {
			l := &c.Modules[i].Launches[k]
			out, err := simulate(c.Modules[i].Parsed, l)
			if err != nil {
				out = nil
			}
			outputs[i], hashes[i] = append(outputs[i], out), append(hashes[i], l.Hashes(out))
		}
	}
	return outputs, hashes
}

// checkList compares the lines with those of the list for the compared cases.
func checkList(t *testing.T, r *Record, lines []string, compared map[string]bool) {
	t.Helper()
	head := fmt.Sprintf("# Where simtrun leaves other bits than an %s (driver %s, CUDA %s, %s).\n", r.GPU, r.Driver, r.CUDA, r.Date)
	if *update {
		text := head + strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(listFile, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(listFile)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, _, _ := strings.Cut(line, "\t"); compared[name] {
			want = append(want, line)
		}
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("%s (-listed +differs), -update rewrites it:\n%s", listFile, diff)
	}
}

// eachCase makes every chosen case and calls do with it, on all processors, and returns the results, in the order of
// cases.
func eachCase[T any](t *testing.T, chosen func(name string) bool, do func(c *Case) T) []T {
	t.Helper()
	var (
		lock  sync.Mutex
		all   = make(map[int]T)
		done  sync.WaitGroup
		todo  = make(chan func())
		count int
	)
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for f := range todo {
				f()
			}
		})
	}
	for p := range cases(t) {
		if !chosen(p.name) {
			continue
		}
		number := count
		count++
		todo <- func() {
			c, err := p.make()
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
			if c == nil {
				return
			}
			value := do(c)
			lock.Lock()
			defer lock.Unlock()
			all[number] = value
		}
	}
	close(todo)
	done.Wait()
	var values []T
	for _, number := range slices.Sorted(maps.Keys(all)) {
		values = append(values, all[number])
	}
	return values
}

var (
	// guardBroken are the forms that NVIDIA's assembler of 2025 gets wrong under a guard.
	guardBroken = regexp.MustCompile(`^(set|testp)\.`)
	// openForms have other results if operands are out of range.
	openForms = regexp.MustCompile(`^(bfe\.[us]64|bfi\.b64|fns\.b32)$`)
)

// TestWriteStraight writes testdata/straight.zip.
func TestWriteStraight(t *testing.T) {
	if *straight == "" {
		t.Skip("-straight names no file")
	}
	list, err := os.ReadFile(*straight)
	if err != nil {
		t.Fatal(err)
	}
	drop := make(map[string]bool)
	for mnemonic := range strings.FieldsSeq(string(list)) {
		drop[mnemonic] = true
	}
	writeStraight(t, "testdata/straight.zip", func(guarded bool, m string) bool {
		return drop[m] || strings.Contains(m, ".v8") || guarded && guardBroken.MatchString(m) || votes.MatchString(m) ||
			strings.Contains(m, ".approx") || strings.Contains(m, ".full") || openForms.MatchString(m)
	})
}

// TestWriteCases writes all cases, with simtrun's answers.
func TestWriteCases(t *testing.T) {
	if *casesFile == "" {
		t.Skip("-cases names no file")
	}
	out, err := os.Create(*casesFile)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(out)
	modules := 0
	for _, c := range eachCase(t, func(string) bool { return true }, answered) {
		if err := w.Add(c); err != nil {
			t.Fatal(err)
		}
		modules += len(c.Modules)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d modules", modules)
}

// answered returns c with simtrun's answer.
func answered(c *Case) *Case {
	_, hashes := allOutputs(c, func(int) bool { return true })
	for i := range c.Modules {
		for k := range c.Modules[i].Launches {
			c.Modules[i].Launches[k].Want = hashes[i][k]
		}
	}
	return c
}

// TestResultsOfRunAreCompared compares simtrun with the results of a run of run.py and shows the differences; -record
// keeps the results.
func TestResultsOfRunAreCompared(t *testing.T) {
	if *resultsFile == "" {
		t.Skip("-results names no file")
	}
	results := readResults(t, *resultsFile)
	answers := make(map[string]*CaseResult)
	for i := range results.Cases {
		answers[results.Cases[i].Name] = &results.Cases[i]
	}
	pattern := regexp.MustCompile(*only)
	kept := &Record{GPU: results.GPU, Driver: results.Driver, CUDA: results.CUDA, Date: results.Date, Answers: make(map[string]Answer)}
	var lock sync.Mutex
	texts := eachCase(t, func(name string) bool { return answers[name] != nil && pattern.MatchString(name) }, func(c *Case) string {
		got := answers[c.Name]
		if got.Key != c.Key() {
			return c.Name + " is not what the GPU was given\n"
		}
		outputs, hashes := allOutputs(c, func(module int) bool { return got.Modules[module].Status == "ok" })
		answer := got.Answer(c)
		ours := Combine(c, hashes)
		why := knownFor(c.Name)
		lock.Lock()
		defer lock.Unlock()
		kept.Answers[c.Name] = answer
		if ours.Plain == answer.Plain && ours.Guarded == answer.Guarded {
			return ""
		}
		return shown(c, results, got, outputs, why, kept)
	})
	for _, text := range texts {
		if text != "" {
			fmt.Print(text)
		}
	}
	if *record {
		writeRecord(t, kept)
	}
}

func writeRecord(t *testing.T, r *Record) {
	t.Helper()
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recordFile, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readResults(t *testing.T, name string) *Results {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadResults(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shown describes how the outputs of a case differ from the results, without those in a list of differences.
func shown(c *Case, results *Results, got *CaseResult, outputs [][][][]byte, why *known, kept *Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s differs", c.Name)
	if why != nil {
		fmt.Fprintf(&b, ": %s", why.reason)
	}
	b.WriteByte('\n')
	for i := range outputs {
		for k := range outputs[i] {
			for n, file := range got.Modules[i].Launches[k].Files {
				theirs, err := results.Data(file)
				if err != nil {
					fmt.Fprintf(&b, "\t%v\n", err)
					continue
				}
				var ours []byte
				if n < len(outputs[i][k]) {
					ours = outputs[i][k][n]
				}
				if why != nil && !why.guarded && why.reason != "open" {
					kept.Keep(c.Name, i, k, n, theirs)
				} else if why == nil {
					firstWords(&b, &c.Modules[i].Launches[k], ours, theirs)
				}
			}
		}
	}
	return b.String()
}

// firstWords writes the first words that differ, with the sources of the thread if the launch is that of a form.
func firstWords(b *strings.Builder, l *Launch, ours, theirs []byte) {
	const most = 8
	word, count := 4, 0
	if l.Columns > 0 {
		word = 8
	}
	for at := 0; at+word <= len(theirs); at += word {
		o, h := loadWord(ours, at, word), loadWord(theirs, at, word)
		if o == h {
			continue
		}
		if count++; count > most {
			break
		}
		fmt.Fprintf(b, "\tword %d: simtrun %#x, GPU %#x", at/word, o, h)
		if l.Columns > 0 {
			fmt.Fprintf(b, ", of %#x", sourcesOf(l, at, len(theirs)))
		}
		b.WriteByte('\n')
	}
}
