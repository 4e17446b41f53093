package cuda

import (
	"bytes"
	"iter"
)

// IR and PTX have megabytes, and few of their lines matter. To save time, regular expressions are matched only against
// lines with a given word.

// linesWith yields the lines of a text that contain a word, without line breaks, and their offsets.
func linesWith(text []byte, word string) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for at := 0; ; {
			found := bytes.Index(text[at:], []byte(word))
			if found < 0 {
				return
			}
			begin := bytes.LastIndexByte(text[:at+found], '\n') + 1
			end := len(text)
			if n := bytes.IndexByte(text[at+found:], '\n'); n >= 0 {
				end = at + found + n
			}
			if !yield(begin, text[begin:end:end]) || end == len(text) {
				return
			}
			at = end + 1
		}
	}
}

// replaceLines changes the lines of a text that contain a word.
func replaceLines(text []byte, word string, change func(line []byte) []byte) []byte {
	var out []byte
	done := 0
	for at, line := range linesWith(text, word) {
		out = append(append(out, text[done:at]...), change(line)...)
		done = at + len(line)
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// removeLines returns a copy of a text without those of the lines with a word that remove chooses.
func removeLines(text []byte, word string, remove func(line []byte) bool) []byte {
	out := make([]byte, 0, len(text))
	done := 0
	for at, line := range linesWith(text, word) {
		if remove(line) {
			out = append(out, text[done:at]...)
			done = min(at+len(line)+1, len(text))
		}
	}
	return append(out, text[done:]...)
}
