package format_test

import (
	"fmt"
	"time"

	"github.com/robotsieve/robotsieve/scan/format"
)

// The format of a log is detected from its beginning. A Reader then reads any number of its chunks;
// packages source and scan make chunks of files, for several goroutines.
func Example() {
	log := []byte(`192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET /private/1 HTTP/1.1" 200 512 "-" "GPTBot/1.2"
192.0.2.7 - - [01/Nov/2026:10:00:01 +0000] "GET / HTTP/1.1" 200 512 "-" "Mozilla/5.0 (X11)"
this is no request
`)
	f, err := format.Detect(log, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Name(), "lacks", f.Lacks())
	reader := f.NewReader()
	reader.Reset(log)
	var r format.Record
	for kind := reader.Next(&r); kind != format.End; kind = reader.Next(&r) {
		if kind != format.Request {
			fmt.Printf("no request: %s\n", r.Line)
			continue
		}
		reader.Complete(&r) // only for lines of interest
		fmt.Printf("%v %s %s by %s\n", time.Unix(0, r.Time).UTC(), r.Method, r.Target, r.Agent)
	}
	// Output:
	// combined lacks [host]
	// 2026-11-01 10:00:00 +0000 UTC GET /private/1 by GPTBot/1.2
	// 2026-11-01 10:00:01 +0000 UTC GET / by Mozilla/5.0 (X11)
	// no request: this is no request
}
