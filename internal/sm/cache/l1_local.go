package cache

// Write writes whole sectors of a line of local memory in cycle now. It allocates the line, because a thread reads
// again what it has stored. It returns false if every way has pending sectors.
func (c *L1) Write(line uint64, sectors uint8, now int64) bool {
	line = number(line)
	i := c.index.of(line)
	s := &c.sets[i]
	way := s.find(line, int(s.last))
	if way < 0 {
		if way = c.victim(i, now); way < 0 {
			return false
		}
		s.put(way, line)
		s.valid.remove(way, allSectors)
		s.local.add(way, allSectors)
	}
	s.touch(way)
	s.valid.add(way, sectors&^s.pending.of(way))
	return true
}
