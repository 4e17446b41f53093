package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/wholefile"
)

// arguments checks that a command has from least to most arguments. The error shows the command's form.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n := len(args)
		if least <= n && n <= most {
			return nil
		}
		form := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		hint := helpPage(cmd)
		switch {
		case most == 0:
			return &usageError{fmt.Sprintf("%s takes no arguments, and %q is one", cmd.Name(), args[0]), hint}
		case n > most:
			return &usageError{fmt.Sprintf("%s: %q is one argument too many; expected %s", cmd.Name(), args[most], form), hint}
		}
		_, operands, _ := strings.Cut(form, cmd.Name()+" ")
		missing := strings.Fields(operands)[n:]
		verb := "is"
		if len(missing) > 1 {
			verb = "are"
		}
		return &usageError{fmt.Sprintf("%s: %s %s missing; expected %s", cmd.Name(), strings.Join(missing, " and "), verb, form), hint}
	}
}

// explain returns the text of an error, with the problem of a file in the user's words.
func explain(err error) string { return wholefile.Explain(err).Error() }

// badValue returns the error for a flag with a value that it does not accept.
func badValue(flag, value string, err error) error {
	return &usageError{msg: strings.TrimRight("--"+flag+" "+value, " ") + ": " + explain(err)}
}

// flagError turns an error of pflag into a message with a correction.
func flagError(cmd *cobra.Command, err error) error {
	hint := helpPage(cmd)
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return &usageError{noFlag(cmd, unknown), hint}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := bad.GetFlag()
		if f.Value.Type() == "bool" {
			return &usageError{fmt.Sprintf("--%s=%s: it is on or off, and takes no value", f.Name, bad.GetValue()), hint}
		}
		return &usageError{badValue(f.Name, bad.GetValue(), valueError(f, bad)).Error(), hint}
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		what, _ := pflag.UnquoteUsage(missing.GetFlag())
		return &usageError{fmt.Sprintf("--%s needs a value: --%s %s", missing.GetFlag().Name, missing.GetFlag().Name, what), hint}
	}
	if bad, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return &usageError{fmt.Sprintf("%s is not a flag: a flag is written --NAME or --NAME=VALUE", bad.GetSpecifiedFlag()), hint}
	}
	return &usageError{explain(err), hint}
}

// valueError says why a flag does not accept a value.
func valueError(f *pflag.Flag, bad *pflag.InvalidValueError) error {
	switch f.Value.Type() {
	case "int", "uint64":
		if errors.Is(bad.Unwrap(), strconv.ErrRange) {
			return fmt.Errorf("%s is out of range", bad.GetValue())
		}
		return fmt.Errorf("%q is not a whole number", bad.GetValue())
	}
	return bad.Unwrap()
}

// noFlag returns the message about a flag that a command does not have.
func noFlag(cmd *cobra.Command, unknown *pflag.NotExistError) string {
	name := unknown.GetSpecifiedName()
	dashed := "--" + name
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		// Many programs take long flags with one dash.
		dashed = "-" + name
		if word, _, _ := strings.Cut(letters, "="); len(word) > 1 {
			name, dashed = word, "-"+word
		}
	}
	if slices.Contains(laterFlags, name) {
		return dashed + " is not supported yet"
	}
	message := "no flag " + dashed + meantFlags(name, flagNames(cmd.Flags()))
	if cmd.Name() == "host" && newDebugCommand().Flags().Lookup(name) != nil {
		message += "; simtrun debug has it, and takes launches that simtrun host --save DIR has saved"
	}
	return message
}

// meantFlags ends a message about a name that is not a flag with suggestions; "" if no flag is close.
func meantFlags(name string, flags []string) string {
	if meant := launch.Synonyms[strings.ToLower(name)]; slices.Contains(flags, meant) {
		return fmt.Sprintf("; did you mean --%s?", meant)
	}
	likely := isa.Likely(name, flags)
	if likely == nil {
		return ""
	}
	return fmt.Sprintf("; did you mean --%s?", strings.Join(likely, " or --"))
}
