package validate

// Why rows miss.
const (
	notFitted     = "the model is off here, and it is not known yet why"
	noTranslation = "the model has one latency of device memory, that in 1 GB: an H100's rises with the range, from 640 in 192 MB to 684 in 8 GB, as addresses are translated"
)

// knownMisses are the rows that miss, by name, with the reason. One that does not miss any
// more must be taken off the list.
var knownMisses = map[string]string{
	"E1 h100 latency of global memory, by bytes": noTranslation,
}
