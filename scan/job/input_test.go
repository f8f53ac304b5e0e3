package job

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestInterruptibleReaderReadsAll(t *testing.T) {
	text := strings.Repeat("0123456789", 30_000)
	if err := iotest.TestReader(until(t.Context(), iotest.DataErrReader(strings.NewReader(text))),
		[]byte(text)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := io.ReadAll(until(ctx, strings.NewReader(text))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
