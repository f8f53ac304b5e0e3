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
	limits := limitsOf(a)
	v, err := job.Verify(ctx, job.VerifyOptions{Dir: a.rest[0], Memory: limits.Memory, Workers: limits.Workers,
		Messages: s.messages()})
	if v == nil {
		return err
	}
	code := exitDone
	if len(v.Failed) > 0 {
		code = exitFound
	}
	if err != nil {
		s.warn("%v", err)
		code = codeOf(err)
	}
	if _, err := fmt.Fprint(s.out, verifiedText(v)); err != nil {
		return err
	}
	return exitWith(code)
}

// verifiedText formats the result of verify as text.
func verifiedText(v *job.Verified) string {
	var b strings.Builder
	for _, text := range v.Checked {
		fmt.Fprintln(&b, report.Printable(text))
	}
	for _, text := range v.Failed {
		fmt.Fprintln(&b, "Does not hold: "+report.Printable(inFlags(text))+".")
	}
	return b.String()
}
