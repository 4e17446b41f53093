package packed

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/txtar"
)

// Compare returns an error if the archive at path has other files than the wanted ones. With update it writes the
// archive first. It is for tests.
func Compare(path string, want []txtar.File, update bool) error {
	if update {
		data, err := pack(want)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	got, err := parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(got.Files) != len(want) {
		return fmt.Errorf("%s has %d files, and %d are wanted: -update rewrites it", path, len(got.Files), len(want))
	}
	for i, f := range got.Files {
		if f.Name != want[i].Name || string(f.Data) != string(want[i].Data) {
			return fmt.Errorf("%s: %s is not what %s in the repository is: -update rewrites it", path, f.Name, want[i].Name)
		}
	}
	return nil
}

// ReadFile returns the text of a file, which gzip has compressed if its name ends with .gz, as that of all long PTX of
// compilers does. It is for tests.
func ReadFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, ".gz") {
		return data, nil
	}
	text, err := Text(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}
