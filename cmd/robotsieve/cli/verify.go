package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func runVerify(ctx context.Context, s streams, a *args) error {
	if len(a.rest) > 1 {
		return usageError("%s is one folder too many: verify checks one, and reads no logs", a.rest[1])
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, a.rest...); err != nil {
		return err
	}
	checked, failed, err := job.Verify(ctx, a.rest[0], limitsOf(a), s.messages())
	if err != nil {
		return err
	}
	code := exitDone
	for i, text := range failed {
		checked, failed[i], code = nil, "Does not hold: "+report.Printable(inFlags(text))+".", exitFound
	}
	for _, text := range checked {
		failed = append(failed, report.Printable(text))
	}
	if _, err := fmt.Fprintln(s.out, strings.Join(failed, "\n")); err != nil {
		return err
	}
	return exitWith(code)
}
