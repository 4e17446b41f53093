package cost

import "testing"

// TestSequencesHaveSlots: what all rows say of slots can be read.
func TestSequencesHaveSlots(t *testing.T) {
	for _, row := range sequences() {
		if slots := parseSlots(row.slots); (len(slots) == 0) != (row.slots == "") {
			t.Errorf("%s: %d slots of %q", row.forms, len(slots), row.slots)
		}
	}
}
