package verdict

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// identify gives findings their IDs. An ID depends on the rule, the kernel, and for each place on the file and the text
// of the line, so that it stays the same when lines are added elsewhere or the project moves. The path of a file starts
// at the current folder; files elsewhere count without their folder.
// Findings that agree in all of that are numbered in the order of their places; findings must be sorted.
func identify(sorted []*Finding) {
	times := make(map[string]int)
	for _, f := range sorted {
		text := f.identity()
		times[text]++
		sum := sha256.Sum256([]byte(text + strconv.Itoa(times[text])))
		f.ID = hex.EncodeToString(sum[:8])
	}
}

// identity returns the parts on which the ID depends, without the number.
func (f *Finding) identity() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n", f.Rule, f.Kernel, f.At.identity())
	for i := range f.Other {
		fmt.Fprintf(&b, "%s\n", f.Other[i].identity())
	}
	return b.String()
}

func (p *Place) identity() string {
	text := strings.Join(strings.Fields(p.Text), " ")
	if text == "" {
		text = strconv.Itoa(p.Line)
	}
	file := relative(p.File)
	if !filepath.IsLocal(file) {
		file = filepath.Base(file)
	}
	return filepath.ToSlash(file) + "\t" + text
}
