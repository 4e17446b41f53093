package check

import (
	"encoding/binary"
	"slices"

	"github.com/simtrun/simtrun/internal/sorted"
)

// siteSet is a set of instructions that are sites of one launch, by its number in siteSets. The set of a single site
// has the site's own index.
type siteSet uint32

// mostSets is the maximum number of sets of sites in a launch; further accesses have records of their own.
const mostSets = 1 << 16

// siteSets are the sets of sites found so far. Locations are accessed by few combinations of instructions, so a
// record has the number of a set.
type siteSets struct {
	sets  []sitesOf
	byKey map[string]siteSet
}

// sitesOf is one set, with the results of the latest addition and removal, because the next ones are usually the
// same.
type sitesOf struct {
	sites          []uint32 // ascending
	class          class    // of all sites together; not strong if they differ in strength
	added, removed uint32   // sites, or noSite
	with, without  siteSet  // the set with added, and the set without removed
}

const noSite = ^uint32(0)

func newSiteSets(sites []*site) *siteSets {
	ss := &siteSets{byKey: make(map[string]siteSet)}
	for i, s := range sites {
		ss.sets = append(ss.sets, sitesOf{sites: []uint32{uint32(i)}, class: s.class, added: noSite, removed: noSite})
	}
	return ss
}

func (ss *siteSets) contains(set siteSet, site uint32) bool {
	return uint32(set) == site || slices.Contains(ss.sets[set].sites, site)
}

// with returns a set with one more site; false if there are too many sets already.
func (ss *siteSets) with(set siteSet, site *site) (siteSet, bool) {
	s := &ss.sets[set]
	if s.added == site.index {
		return s.with, true
	}
	i, has := slices.BinarySearch(s.sites, site.index)
	if has {
		return set, true
	}
	next, ok := ss.intern(sorted.Insert(slices.Clone(s.sites), i, site.index), s.class.and(site.class))
	if ok {
		s = &ss.sets[set]
		s.added, s.with = site.index, next
	}
	return next, ok
}

// union returns the set of the sites of two sets; false if there are too many sets.
func (ss *siteSets) union(a, b siteSet, byIndex []*site) (siteSet, bool) {
	ok := true
	for _, site := range ss.sets[b].sites {
		if a, ok = ss.with(a, byIndex[site]); !ok {
			return 0, false
		}
	}
	return a, true
}

// without returns a set without one of its several sites; false if there are too many sets already.
func (ss *siteSets) without(set siteSet, site *site) (siteSet, bool) {
	s := &ss.sets[set]
	if s.removed == site.index {
		return s.without, true
	}
	i, _ := slices.BinarySearch(s.sites, site.index)
	left := slices.Delete(slices.Clone(s.sites), i, i+1)
	class := ss.sets[left[0]].class
	for _, other := range left[1:] {
		class = class.and(ss.sets[other].class)
	}
	next, ok := ss.intern(left, class)
	if ok {
		s = &ss.sets[set]
		s.removed, s.without = site.index, next
	}
	return next, ok
}

// intern returns the number of the set of these sites.
func (ss *siteSets) intern(sites []uint32, class class) (siteSet, bool) {
	if len(sites) == 1 {
		return siteSet(sites[0]), true
	}
	var key []byte
	for _, s := range sites {
		key = binary.LittleEndian.AppendUint32(key, s)
	}
	if set, ok := ss.byKey[string(key)]; ok {
		return set, true
	}
	if len(ss.byKey) == mostSets {
		return 0, false
	}
	set := siteSet(len(ss.sets))
	ss.sets = append(ss.sets, sitesOf{sites: sites, class: class, added: noSite, removed: noSite})
	ss.byKey[string(key)] = set
	return set, true
}
