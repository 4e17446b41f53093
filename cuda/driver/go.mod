module github.com/simtrun/simtrun/cuda/driver

go 1.26.0

require (
	github.com/google/go-dap v0.12.0
	github.com/klauspost/compress v1.20.3
	github.com/pierrec/lz4/v4 v4.1.33
	github.com/simtrun/simtrun v0.0.0
	golang.org/x/sys v0.39.0
)

require (
	github.com/BurntSushi/toml v1.5.0 // indirect
	github.com/alecthomas/participle/v2 v2.1.4 // indirect
	github.com/ianlancetaylor/demangle v0.0.0-20250417193237-f615e6bd150b // indirect
	golang.org/x/tools v0.38.0 // indirect
)

replace github.com/simtrun/simtrun => ../..
