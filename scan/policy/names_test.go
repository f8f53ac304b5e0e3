package policy

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/origin"
)

// TestNamesAsksEachBodyOnce: twenty thousand origins with one large robots.txt are asked for a
// name in the time of one.
func TestNamesAsksEachBodyOnce(t *testing.T) {
	text := append(bytes.Repeat([]byte("disallow: /abc\n"), 30_000), "user-agent: named\ndisallow: /\n"...)
	var rows []Row
	for i := range 20_000 {
		rows = append(rows, Row{Origins: []origin.Origin{{Scheme: "https", Host: fmt.Sprintf("h%d.example", i), Port: 443}},
			Status: 200, Body: text})
	}
	p, err := New(rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if p.Names("absent") || !p.Names("named") {
		t.Error("a name was not found, or one that is not there")
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}
