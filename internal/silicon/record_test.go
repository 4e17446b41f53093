package silicon

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Record is the stored part of a GPU's answers.
type Record struct {
	GPU    string `json:"gpu"`
	Driver string `json:"driver"` // its version
	CUDA   string `json:"cuda"`   // version of the API that the driver has
	Date   string `json:"date"`
	// Answers has the answers by the names of cases.
	Answers map[string]Answer `json:"answers"`

	outputs map[string][]byte // by outputName; only those that are kept
}

// Answer is a GPU's answer to a case.
type Answer struct {
	Key string `json:"key"` // of the case that was answered
	// Plain is a hash of all outputs except those of guarded instructions, which Guarded is a hash of, if there are any.
	Plain   string `json:"plain"`
	Guarded string `json:"guarded,omitempty"`
	// Without has the modules without outputs, by number, with the reason.
	Without map[int]string `json:"without,omitempty"`
}

// Combine returns the answer to c. hashes[i][k] has the hashes of the outputs of launch k of module i; hashes[i] is nil
// for a module without outputs.
func Combine(c *Case, hashes [][][]string) Answer {
	var plain, guarded []string
	for i, launches := range hashes {
		for k, all := range launches {
			l := &c.Modules[i].Launches[k]
			first := len(all) - len(l.Variables) - l.Columns // of the columns
			for n, h := range all {
				if column := n - first; l.Columns > 0 && column >= l.Columns/3 && column < 2*l.Columns/3 {
					guarded = append(guarded, h)
				} else {
					plain = append(plain, h)
				}
			}
		}
	}
	a := Answer{Key: c.Key(), Plain: Hash([]byte(strings.Join(plain, " ")))}
	if guarded != nil {
		a.Guarded = Hash([]byte(strings.Join(guarded, " ")))
	}
	return a
}

// Answer returns r, the results of c, in the recorded format.
func (r *CaseResult) Answer(c *Case) Answer {
	hashes := make([][][]string, len(c.Modules))
	without := make(map[int]string)
	for i := range c.Modules {
		m := &r.Modules[i]
		if m.Status != "ok" {
			without[i] = strings.TrimSuffix(m.Status+": "+reasonOf(m.Log), ": ")
			continue
		}
		for _, l := range m.Launches {
			hashes[i] = append(hashes[i], l.Hashes)
		}
	}
	a := Combine(c, hashes)
	a.Without = without
	return a
}

// reasonOf returns the first message of an assembler's log without its place, or the name of an error.
func reasonOf(log string) string {
	for _, severity := range []string{"error   : ", "fatal   : "} {
		if _, message, found := strings.Cut(log, severity); found {
			log = message
			break
		}
	}
	line, _, _ := strings.Cut(log, "\n")
	return strings.TrimSpace(line)
}

func outputName(name string, module, launch, output int) string {
	return fmt.Sprintf("%s/%d/%d/%d", name, module, launch, output)
}

// Keep stores an output of a case.
func (r *Record) Keep(name string, module, launch, output int, data []byte) {
	if r.outputs == nil {
		r.outputs = make(map[string][]byte)
	}
	r.outputs[outputName(name, module, launch, output)] = data
}

// Output returns an output of a case, if it is stored.
func (r *Record) Output(name string, module, launch, output int) (data []byte, kept bool) {
	data, kept = r.outputs[outputName(name, module, launch, output)]
	return data, kept
}

// Write writes the record as a zip file.
func (r *Record) Write(w io.Writer) error {
	archive := zip.NewWriter(w)
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := addFile(archive, "answers.json", text); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.outputs)) {
		if err := addFile(archive, "outputs/"+name, r.outputs[name]); err != nil {
			return err
		}
	}
	return archive.Close()
}

func addFile(archive *zip.Writer, name string, data []byte) error {
	f, err := archive.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return err
}

// ReadRecord reads a file of Write.
func ReadRecord(data []byte) (*Record, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	r := &Record{outputs: make(map[string][]byte)}
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		if name, isOutput := strings.CutPrefix(f.Name, "outputs/"); isOutput {
			r.outputs[name] = content
		} else if err := json.Unmarshal(content, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}
