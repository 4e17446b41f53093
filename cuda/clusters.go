package cuda

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// clusterWord declares the size of a kernel's clusters in CUDA C++. Not all versions of clang have an attribute for it,
// so the headers make it an annotation, which is in IR but not in PTX.
const clusterWord = "__cluster_dims__"

// The syntax of clang's annotations: the text of one; its values, each preceded by its type; and the list of all, in
// which each names a function, its text, the place, and its values.
var (
	annotationText   = regexp.MustCompile(`^@(\S+) = `)
	annotationValues = regexp.MustCompile(`^@(\S+) = .* constant \{ (?:i\d+(?:, )?)+ \} \{ ((?:i\d+ \d+(?:, )?)+) \}`)
	annotation       = regexp.MustCompile(`\{ ptr @("[^"]+"|[^ ,]+), ptr @(\S+), ptr @\S+, i32 \d+, ptr @(\S+) \}`)
	valueType        = regexp.MustCompile(`i\d+ `)
)

// addClusters adds the cluster sizes in IR to the kernels of PTX.
func addClusters(ptx, ir []byte) ([]byte, error) {
	texts, values := make(map[string]bool), make(map[string]string)
	for _, line := range linesWith(ir, ` c"simtrun_cluster_dims\00"`) {
		if m := annotationText.FindSubmatch(line); m != nil {
			texts[string(m[1])] = true
		}
	}
	if len(texts) == 0 {
		return ptx, nil
	}
	for _, line := range linesWith(ir, " constant { ") {
		if m := annotationValues.FindSubmatch(line); m != nil {
			values[string(m[1])] = valueType.ReplaceAllString(string(m[2]), "")
		}
	}
	var list []byte
	for _, line := range linesWith(ir, "@llvm.global.annotations = ") {
		list = line
	}
	found := 0
	for _, m := range annotation.FindAllSubmatch(list, -1) {
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
	if found == 0 {
		return nil, errors.New("this clang writes annotations in a way that is not known: " + clusterWord)
	}
	return ptx, nil
}
