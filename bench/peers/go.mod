module github.com/robotsieve/robotsieve/bench/peers

go 1.26.0

require (
	github.com/robotsieve/robotsieve v0.0.0
	github.com/temoto/robotstxt v1.1.2
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	github.com/fxamacker/cbor/v2 v2.10.0 // indirect
	github.com/gaissmai/bart v0.30.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/valyala/fastjson v1.6.10 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/robotsieve/robotsieve => ../..
