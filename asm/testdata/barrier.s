.entry k()
{
	bar.sync 15;
	bar.sync 16; // ERROR "2: bar.sync: barrier 16: a CTA has barriers 0 to 15"
	barrier.sync.aligned 99; // ERROR "2: barrier.sync.aligned: barrier 99"
	bar.arrive 16, 64; // ERROR "2: bar.arrive: barrier 16"
	bar.red.popc.u32 %r1, 16, %p1; // ERROR "2: bar.red.popc.u32: barrier 16"
	barrier.red.or.pred %p2, -1, 64, %p1; // ERROR "2: barrier.red.or.pred: barrier -1"
	bar.sync %r1;
	bar.sync 0, 64;
}
