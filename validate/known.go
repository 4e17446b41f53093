package validate

// Why rows miss.
const (
	noHierarchy = "a load of global memory takes as long as an L2 hit, as caches, device memory and bandwidth are not modelled yet"
	noQueue     = "memory instructions do not wait in a queue yet"
	noAtomics   = "lanes of a shared atomic at one address are not served in turn yet"
	noConstants = "lanes that load different constants are not served in turn yet"
)

// knownMisses are the rows that miss, by name, with the reason. One that does not miss any
// more must be taken off the list.
var knownMisses = map[string]string{
	"8.5 a100 cycles of an SM for a load that hits L1, powers of two":                   noHierarchy,
	"8.5 a100 cycles of an SM for a load that hits L1, other strides":                   noHierarchy,
	"8.6 v100 cycles of a pointer chase, by bytes":                                      noHierarchy,
	"8.7 a100 cycles of a pointer chase, by bytes":                                      noHierarchy,
	"8.8 h100-pcie cycles of a pointer chase, by bytes":                                 noHierarchy,
	"8.9 b200 cycles of a pointer chase, by bytes":                                      noHierarchy,
	"8.13 a6000 cycles between loads of a warp, 2nd to 9th":                             noQueue,
	"8.13 a6000 cycles between 8th and 9th, by warps on schedulers of their own":        noQueue,
	"8.15 v100 cycles of a shared atomic, by lanes at one address; only that they rise": noAtomics,
	"8.21 v100 GB/s of device memory, two CTAs an SM, read, by their threads":           noHierarchy,
	"8.21 a100 GB/s of device memory, two CTAs an SM, read, by their threads":           noHierarchy,
	"8.21 h100-pcie GB/s of device memory, two CTAs an SM, read, by their threads":      noHierarchy,
	"8.21 h200 GB/s of device memory, two CTAs an SM, read, by their threads":           noHierarchy,
	"8.21 h100 GB/s of device memory, two CTAs an SM, read, by their threads":           noHierarchy,
	"8.21 v100 GB/s of device memory, two CTAs an SM, write, by their threads":          noHierarchy,
	"8.21 a100 GB/s of device memory, two CTAs an SM, write, by their threads":          noHierarchy,
	"8.21 h100-pcie GB/s of device memory, two CTAs an SM, write, by their threads":     noHierarchy,
	"8.21 h200 GB/s of device memory, two CTAs an SM, write, by their threads":          noHierarchy,
	"8.21 h100 GB/s of device memory, two CTAs an SM, write, by their threads":          noHierarchy,
	"D5 h100-text latency of L2 and of global memory":                                   noHierarchy,
	"E1 h100 latency of global memory, by bytes":                                        noHierarchy,
	"E1 h100 latency of a constant, by different words of a warp":                       noConstants,
	"E2 h100 useful GB/s of device memory over those of stride 8, by stride":            noHierarchy,
	"E3 h100 latency of a shared atomic, by lanes at one address":                       noAtomics,
}
