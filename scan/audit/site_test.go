package audit

import (
	"testing"

	"github.com/robotsieve/robotsieve/scan/origin"
)

// TestAuthority: a worker that remembers the authority of the last absolute target finds that
// of each as one that has seen none before.
func TestAuthority(t *testing.T) {
	targets := []string{"http://h/", "http://h/a://b/", "http://h?q/", "http://h#/", "http://h", "http://h:80/",
		"http://h:8/", "http://hh/", "HTTP://h/", "https://h/", "h:80", "*", "//h/"}
	var w Worker
	for _, first := range targets {
		for _, second := range targets {
			for _, target := range []string{first, second} {
				w.record.Target = []byte(target)
				n, _ := origin.Prefix(w.record.Target)
				if got := string(w.authority()); got != target[:n] {
					t.Errorf("%s behind %s: %q, want %q", target, first, got, target[:n])
				}
			}
		}
	}
}
