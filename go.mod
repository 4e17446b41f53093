module github.com/simtrun/simtrun

go 1.26

require (
	github.com/BurntSushi/toml v1.5.0
	github.com/alecthomas/participle/v2 v2.1.4
	github.com/chzyer/readline v1.5.1
	github.com/google/go-cmp v0.7.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	golang.org/x/term v0.38.0
	golang.org/x/tools v0.38.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/sys v0.39.0 // indirect
)
