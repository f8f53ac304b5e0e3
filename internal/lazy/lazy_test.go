package lazy_test

import (
	"testing"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

func TestRegexp(t *testing.T) {
	digits := lazy.Regexp(`^[0-9]+$`)
	first := digits()
	if !first.MatchString("17") || first.MatchString("x") || digits() != first {
		t.Error("not the same expression at each call")
	}
}
