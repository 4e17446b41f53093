package cuda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// clusterWord is how a kernel says in its source how large its clusters are. clang has no attribute for it that all versions know: the
// headers make it an annotation, which is in clang's code between the source and PTX, but not in PTX.
const clusterWord = "__cluster_dims__"

// withAttributes is the PTX of a source with what its kernels say of their clusters and parameters; args are those that made the PTX,
// dependencies are the files that the source is made of, in the words of make.
func (c *Compiler) withAttributes(ctx context.Context, file string, ptx []byte, args []string, dependencies string, messages io.Writer) ([]byte, error) {
	constants := c.Version == gridConstantClang && c.mentions(dependencies, gridConstantWord)
	if !constants && !c.mentions(dependencies, clusterWord) {
		return ptx, nil
	}
	cmd := exec.CommandContext(ctx, c.Path, slices.Concat(args, []string{"-w", "-emit-llvm", "-fdiscard-value-names", "-Xclang", "-disable-llvm-passes"})...)
	var code bytes.Buffer
	cmd.Stdout, cmd.Stderr = &code, messages
	if err := c.lenient(ctx, cmd, file, deviceMend); err != nil {
		return nil, err
	}
	if constants {
		var err error
		if ptx, err = c.withGridConstants(ctx, file, ptx, code.Bytes(), args, messages); err != nil {
			return nil, err
		}
	}
	return addClusters(ptx, code.Bytes())
}

// mentions reports whether one of the files that make is told of has a word in it; headers of simtrun's own do not count.
func (c *Compiler) mentions(dependencies, word string) bool {
	_, files, _ := strings.Cut(strings.ReplaceAll(dependencies, "\\\n", " "), ":")
	for _, name := range splitWords(files, " \t\n") {
		if strings.HasPrefix(name, c.folder) {
			continue
		}
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

// What clang writes of annotations: the text of one; its values, each of which has its type before it; and the list of all, in which each
// names a function, its text, the place, and its values.
var (
	annotationText   = regexp.MustCompile(`(?m)^@(\S+) = .* c"simtrun_cluster_dims\\00"`)
	annotationValues = regexp.MustCompile(`(?m)^@(\S+) = .* constant \{ (?:i\d+(?:, )?)+ \} \{ ((?:i\d+ \d+(?:, )?)+) \}`)
	annotationList   = regexp.MustCompile(`(?m)^@llvm\.global\.annotations = .*$`)
	annotation       = regexp.MustCompile(`\{ ptr @("[^"]+"|[^ ,]+), ptr @(\S+), ptr @\S+, i32 \d+, ptr @(\S+) \}`)
	valueType        = regexp.MustCompile(`i\d+ `)
)

// addClusters writes the sizes that are in clang's code into the kernels of PTX.
func addClusters(ptx, code []byte) ([]byte, error) {
	texts, values := make(map[string]bool), make(map[string]string)
	for _, m := range annotationText.FindAllSubmatch(code, -1) {
		texts[string(m[1])] = true
	}
	for _, m := range annotationValues.FindAllSubmatch(code, -1) {
		values[string(m[1])] = valueType.ReplaceAllString(string(m[2]), "")
	}
	found := 0
	for _, m := range annotation.FindAllSubmatch(annotationList.Find(code), -1) {
		if !texts[string(m[2])] {
			continue
		}
		found++
		sizes, kernel := values[string(m[3])], strings.Trim(string(m[1]), `"`)
		if sizes == "" {
			return nil, fmt.Errorf("%s of %s: one to three constants are its values", clusterWord, kernel)
		}
		entry := regexp.MustCompile(`\.entry ` + regexp.QuoteMeta(kernel) + `\([^)]*\)`)
		if at := entry.FindIndex(ptx); at != nil {
			ptx = slices.Insert(ptx, at[1], []byte("\n.explicitcluster\n.reqnctapercluster "+sizes)...)
		}
	}
	if found == 0 && len(texts) != 0 {
		return nil, errors.New("this clang writes annotations in a way that is not known: " + clusterWord)
	}
	return ptx, nil
}
