package status

import "testing"

// TestOf checks the statuses in RFC 9309 2.3.1, and those it leaves open.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		status                  int
		others, google, archive Meaning
	}{
		{0, Failed, Failed, Nothing},
		{100, Failed, Failed, Nothing},
		{199, Failed, Failed, Nothing},
		{200, File, File, File},
		{204, None, None, None},
		{301, Redirect, Redirect, Redirect},
		{304, Redirect, Redirect, Nothing},
		{400, None, None, None},
		{404, None, None, None},
		{408, None, None, None},
		{429, None, Failed, None},
		{444, Failed, Failed, Failed},
		{499, Failed, Failed, Failed},
		{500, Failed, Failed, Failed},
		{599, Failed, Failed, Failed},
		{600, Failed, Failed, Failed},
		{999, Failed, Failed, Failed},
	} {
		got := [3]Meaning{Of(c.status, Others), Of(c.status, Google), Of(c.status, Archive)}
		if want := [3]Meaning{c.others, c.google, c.archive}; got != want {
			t.Errorf("%d: %v, want %v", c.status, got, want)
		}
	}
}
