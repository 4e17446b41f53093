package program

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// copyWords says what a copy is, in the order of the fields of Copy.
func copyWords(_ *Program, f *Func) string {
	c := f.Info[0].Copy
	text := f.place(&c.To) + " from " + f.place(&c.From)
	if c.Sized {
		text += ", bytes " + f.slot(c.SizeSlot)
	}
	if c.Ignored {
		text += ", ignored " + f.slot(c.IgnoreSlot)
	}
	if c.Bulk {
		text += ", bulk"
	}
	if c.Mbarrier != nil {
		text += ", tells " + f.place(c.Mbarrier)
	}
	if c.Multicast {
		text += ", to CTAs " + f.slot(c.MaskSlot)
	}
	if c.Pair {
		text += ", in pairs"
	}
	if b := c.Box; b != nil {
		text += fmt.Sprintf(", box of %dd at %s of %s", b.Rank, f.slotList(b.Coords), f.place(&b.Map))
		if b.Offsets != nil {
			text += " offsets " + f.slotList(b.Offsets)
		}
		if b.Loads {
			text += " loaded"
		}
		if b.Reduces == isa.AtomAdd {
			text += " added"
		}
	}
	if r := c.Replace; r != nil {
		text += fmt.Sprintf(", field %d of %s, wide %v", r.Ordinal, f.slot(r.Value), r.Wide)
	}
	if c.Reduce != nil {
		text += ", reduces"
	}
	if c.Store != nil {
		text += ", stores " + f.slot(f.Ops[0].B)
	}
	return text
}

func TestCopiesHaveSidesOfPTX(t *testing.T) {
	explain(t, copyWords, map[string]string{
		"cp.async.ca.shared.global [%r1], [%rd1+4], 8;":                                                                                                            "shared[%r1]:8 from global[%rd1+4]:8",
		"cp.async.cg.shared.global [%r1+16], [%rd1], 16, %r2;":                                                                                                     "shared[%r1+16]:16 from global[%rd1]:16, bytes %r2",
		"cp.async.ca.shared.global [%r1], [v], 4, %p1;":                                                                                                            "shared[%r1]:4 from global[4096]:4, ignored %p1",
		"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 1024;":                                                                                         "global[%rd1]:16 from shared[%r1]:16, bytes 1024, bulk",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 1024, [%r2+8];":                                                          "shared::cluster[%r1]:16 from global[%rd1]:16, bytes 1024, bulk, tells shared::cluster[%r2+8]:8",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%rd1], [%rd2], %r1, [%rd3], %rs1;":                                  "shared::cluster[%rd1]:16 from global[%rd2]:16, bytes %r1, bulk, tells shared::cluster[%rd3]:8, to CTAs %rs1",
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];":                                       "shared::cluster[%r1]:128 from nothing, bulk, tells shared::cluster[%r4]:8, box of 2d at {%r2 %r3} of generic[%rd1]:64 loaded",
		"cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [m, {%r2, %r3, %r4, 5}], [%r6], {%rs1, 2};":                         "shared[%r1]:128 from nothing, bulk, tells shared[%r6]:8, box of 4d at {%r2 %r3 %r4 5} of param[64]:64 offsets {%rs1 2} loaded",
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 [%r1], [%rd1, {%r2, %r3}], [%r4], %rs1;": "shared::cluster[%r1]:128 from nothing, bulk, tells shared::cluster[%r4]:8, to CTAs %rs1, in pairs, box of 2d at {%r2 %r3} of generic[%rd1]:64 loaded",
		"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r1, %r2}], [%r3];":                                                         "nothing from shared[%r3]:128, bulk, box of 2d at {%r1 %r2} of generic[%rd1]:64 added",
		"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], 512;":                                                                           "global[%rd1]:16 from shared[%r1]:16, bytes 512, bulk, reduces",
		"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 128;":                                               "global[%rd1]:64 from shared[%r1]:64, bytes 128, bulk",
		"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1, 64;":                                                                                           "global[%rd1]:64 from global[%rd1]:64, bytes 128, bulk, field 1 of 64, wide false",
		"tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %rd1;":                                                                                 "shared[%r1]:64 from shared[%r1]:64, bytes 128, bulk, field 0 of %rd1, wide true",
		"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1+4], %r2, [%r3];":                                                                           "shared::cluster[%r1+4]:4 from nothing, tells shared::cluster[%r3]:8, stores %r2",
	})
}

func TestLaunchCancellationHasItsAnswerAndMbarrier(t *testing.T) {
	explain(t, func(_ *Program, f *Func) string { return f.place(f.Info[0].Answer) + " " + f.place(f.Info[0].Mbarrier) }, map[string]string{
		"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2+16];": "shared[%r1]:16 shared[%r2+16]:8",
	})
}

func TestMbarrierIsNotAnAccess(t *testing.T) {
	explain(t, func(_ *Program, f *Func) string {
		return fmt.Sprint(f.place(f.Info[0].Mbarrier), " ", f.Info[0].Polls, " ", f.Info[0].Space)
	}, map[string]string{
		"mbarrier.init.shared::cta.b64 [%r1], 4;":                     "shared[%r1]:8 false reg",
		"mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1+8], %r2;": "shared[%r1+8]:8 true reg",
	})
	_, f := first(t, "mbarrier.init.shared::cta.b64 [%r1], 4;")
	defer func() {
		if recover() == nil {
			t.Error("the Op of an mbarrier was executed as a plain access")
		}
	}()
	f.Ops[0].Mem(nil, nil, 0, nil)
}
