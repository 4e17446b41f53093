package cuda

import (
	"bytes"
	"fmt"
	"regexp"
)

// crashBegins is the line with which clang begins the report of its own crash: addresses, and requests to send all of
// it to LLVM.
var crashBegins = regexp.MustCompile(`(?m)^PLEASE submit a bug report to `)

var (
	// crashDoing matches what clang did, the innermost first: "1.	k.cu:2:2: parsing function body 'k'". Number 0 is
	// the command line.
	crashDoing = regexp.MustCompile(`(?m)^[1-9]\d*\.\t(.*)$`)
	// crashKept matches the files that clang kept for a report.
	crashKept = regexp.MustCompile(`(?m)note: diagnostic msg: (/.*)$`)
)

// withoutCrash returns messages of clang in which the report of a crash is replaced by what a user can act on.
func withoutCrash(said []byte, compiler string) []byte {
	begin := crashBegins.FindIndex(said)
	if begin == nil {
		return said
	}
	report := said[begin[0]:]
	var b bytes.Buffer
	b.Write(said[:begin[0]])
	fmt.Fprintf(&b, "error: %s crashed, which is a fault of this version of clang; SIMTRUN_CLANG names another\n", compiler)
	for i, doing := range crashDoing.FindAllSubmatch(report, -1) {
		word := "in"
		if i == 0 {
			word = "at"
		}
		fmt.Fprintf(&b, "  %-7s %s\n", word, doing[1])
	}
	for _, kept := range crashKept.FindAllSubmatch(report, -1) {
		fmt.Fprintf(&b, "  report  %s\n", kept[1])
	}
	return b.Bytes()
}
