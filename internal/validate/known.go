package validate

// Reasons why rows miss.
const (
	notFitted     = "the model is off here, and it is not known yet why"
	noTranslation = "L2 keeps more of 192 MB than an H100 seems to; of device memory the model has one latency, where an H100 takes longer the wider the range, as addresses are translated"
)

// knownMisses are the rows that miss, by name, with the reason. A row that no longer misses must be removed.
var knownMisses = map[string]string{
	"E1 h100 latency of global memory, by bytes": noTranslation,
}
