package spill_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/robotsieve/robotsieve/scan/spill"
)

// Two audits of parts of a log, of which the first has kept its records.
func Example() {
	var state bytes.Buffer
	first := spill.New(spill.Options{})
	defer first.Close()
	w := first.Writer() // one a goroutine
	for _, record := range []string{"b-bot /private", "a-bot /", "b-bot /private"} {
		if err := w.Add([]byte(record)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	if _, err := first.WriteTo(&state); err != nil {
		log.Fatal(err)
	}

	second := spill.New(spill.Options{Memory: 8 << 20})
	defer second.Close()
	if err := second.AddSaved(bytes.NewReader(state.Bytes()), 0, int64(state.Len())); err != nil {
		log.Fatal(err)
	}
	w = second.Writer()
	if err := w.Add([]byte("a-bot /")); err != nil {
		log.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	for record, err := range second.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s\n", record.N, record.Data)
	}
	// Output:
	// 2 a-bot /
	// 2 b-bot /private
}
