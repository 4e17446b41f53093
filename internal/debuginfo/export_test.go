package debuginfo

// Decoded returns the number of entries that were decoded, and that of all.
func (i *Info) Decoded() (n, all int) { return len(i.entries), len(i.marks) }
