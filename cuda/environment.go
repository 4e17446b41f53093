package cuda

import (
	"fmt"
	"io"
	"slices"
)

// Variables of the environment with options of nvcc, before and after those of its command line.
const envPrepend, envAppend = "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"

// ParseCommand is Parse for a command line of nvcc, which has further options in variables of the environment. With -v
// it shows these variables, as nvcc does.
func ParseCommand(args []string, getenv func(name string) string, messages io.Writer) (*Options, error) {
	words := func(name string) []string { return splitWords(getenv(name), " \t\r\n") }
	o, err := Parse(slices.Concat(words(envPrepend), args, words(envAppend)))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{envPrepend, envAppend} {
		if value := getenv(name); o.Verbose && value != "" {
			fmt.Fprintf(messages, "#$ %s=\"%s\"\n", name, value)
		}
	}
	return o, nil
}
