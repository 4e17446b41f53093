package main

import (
	"errors"
	"strconv"
	"time"
)

// duration is a flag's value: a time with a unit, or a number of seconds.
type duration time.Duration

// String, Set and Type implement pflag.Value.
func (d *duration) String() string { return time.Duration(*d).String() }

func (d *duration) Set(text string) error {
	value, err := time.ParseDuration(text)
	if _, numberErr := strconv.ParseFloat(text, 64); numberErr == nil {
		value, err = time.ParseDuration(text + "s")
	}
	if err != nil || value < 0 {
		return errors.New("expected a time such as 30s, 5m or 1h30m, or a number of seconds; 0 is no limit")
	}
	*d = duration(value)
	return nil
}

func (d *duration) Type() string { return "TIME" }
