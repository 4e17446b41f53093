package verdict

import (
	"encoding/json"
	"fmt"
)

// ReadBaseline returns the IDs of the findings in a SARIF file that this package has written. Findings that were
// suppressed do not count: without the suppression they would be new.
func ReadBaseline(text []byte) (map[string]bool, error) {
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil {
		return nil, fmt.Errorf("not a SARIF file: %w", err)
	}
	if log.Version != sarifVersion {
		return nil, fmt.Errorf("not a SARIF file of version %s", sarifVersion)
	}
	ids := make(map[string]bool)
	for _, run := range log.Runs {
		for _, r := range run.Results {
			id := r.Fingerprints[fingerprint]
			if id == "" {
				return nil, fmt.Errorf("a result without %s: only files of simtrun --sarif can be a baseline", fingerprint)
			}
			if len(r.Suppressions) == 0 {
				ids[id] = true
			}
		}
	}
	return ids, nil
}
