package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
)

// identityFlags are the flags that say how clients are told.
type identityFlags struct {
	ranges   *[]string
	maxAge   *string
	names    *string
	lookUp   *bool
	clientIP *string
	trusted  *[]string
	dns      crawler.Resolver // for lookUp
}

func addIdentityFlags(cmd *cobra.Command, dns crawler.Resolver) identityFlags {
	flags := cmd.Flags()
	return identityFlags{
		dns: dns,
		ranges: flags.StringArray("ip-ranges", nil,
			"the published addresses of a crawler: NAME=FILE, NAME=DIR with lists of several dates, or DIR with files NAME.json and NAME.txt (repeatable)"),
		maxAge:   flags.String("ranges-max-age", "30d", "how far from a request a dated list may be to prove that a client is an impostor"),
		names:    flags.String("resolved-names", "", "names of addresses that were looked up elsewhere: lines of ip<TAB>name<TAB>confirmed"),
		lookUp:   flags.Bool("resolve", false, "look up the names of addresses of violations (uses the network; it can verify a client, never convict one)"),
		clientIP: flags.String("client-ip", "addr", "where the client's address is: addr, xff (needs --trusted-proxies), or xff:-N for the Nth from the right of X-Forwarded-For, which is the first quoted field behind the User-Agent"),
		trusted:  flags.StringArray("trusted-proxies", nil, "addresses or CIDR ranges of one's own proxies, for --client-ip xff (repeatable)"),
	}
}

// load reads what the flags name, and adds it to what is judged by.
func (f identityFlags) load(s streams, b *basis, j *judge) error {
	o := crawler.IdentityOptions{}
	var err error
	if o.MaxAge, err = parseDuration(*f.maxAge); err != nil || o.MaxAge <= 0 {
		return usageError("--ranges-max-age %q: a time such as 30d", *f.maxAge)
	}
	b.RangesMaxAge = o.MaxAge
	for _, arg := range *f.ranges {
		series, ignored, err := crawler.LoadSeries(arg, j.config.Crawlers)
		if errors.Is(err, crawler.ErrUnknownCrawler) {
			return usageError("--ip-ranges %w", err)
		}
		if err != nil {
			return inputError(err)
		}
		for _, path := range ignored {
			s.warn("%s: not read, as it is not called like a crawler", path)
		}
		o.Series = append(o.Series, series...)
	}
	for _, series := range o.Series {
		for _, list := range series.Lists {
			info := audit.RangeInfo{Crawler: series.Profile.Name, File: printable(list.File)}
			if list.Created != 0 {
				info.Created = time.Unix(0, list.Created).UTC().Format(time.RFC3339)
			}
			b.Ranges, b.Sums = append(b.Ranges, info), append(b.Sums, list.Sum[:])
		}
	}
	if b.Names = *f.names; b.Names != "" {
		sum := sha256.New()
		if o.Names, err = readNames(b.Names, sum); err != nil {
			return inputError(err)
		}
		b.Sums = append(b.Sums, sum.Sum(nil))
	}
	b.ClientIP, b.TrustedProxies = *f.clientIP, *f.trusted
	if j.config.ClientIP, err = crawler.ParseClientIP(b.ClientIP, b.TrustedProxies); err != nil {
		return usageError("--client-ip, --trusted-proxies: %w", err)
	}
	j.config.Identities = crawler.NewIdentities(j.config.Crawlers, o)
	j.config.Addresses = *f.lookUp
	return nil
}

// readNames reads a file of names, and adds its bytes to sum.
func readNames(path string, sum io.Writer) (*crawler.HostNames, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return crawler.ReadNames(io.TeeReader(f, sum), filepath.ToSlash(path))
}

// maxLookups bounds the addresses that --resolve asks about.
const maxLookups = 10_000

// resolve asks the network, if the user wants that, whether addresses of
// violations are their crawlers'.
func (f identityFlags) resolve(ctx context.Context, s streams, run *audit.Run, a *about) error {
	if !*f.lookUp {
		return nil
	}
	pairs, more, err := run.Unverified(maxLookups)
	if err != nil {
		return err
	}
	if len(pairs) > 0 {
		s.warn("looking up the names of %s", addresses(len(pairs)))
	}
	found := f.dns.Resolve(ctx, pairs)
	verified := 0
	for i, ok := range found.Verified {
		if ok {
			run.Verify(pairs[i])
			verified++
		}
	}
	note := fmt.Sprintf("The names of %s of violations were looked up: %s the crawler's own by forward-confirmed reverse DNS. Of the others that proves nothing.",
		addresses(len(pairs)-found.Unasked), are(int64(verified)))
	if more {
		note += fmt.Sprintf(" There are more than %s: which of them were chosen was left to chance.", addresses(len(pairs)))
	}
	if found.Unasked > 0 {
		note += fmt.Sprintf(" For %s no time was left.", addresses(found.Unasked))
	}
	if found.Failed > 0 {
		note += fmt.Sprintf(" For %d the DNS gave no answer.", found.Failed)
	}
	a.notes = append(a.notes, note)
	if ctx.Err() != nil && !a.partial {
		s.warn("interrupted: not all names were looked up")
		a.partial, a.code = true, exitInterrupted
		run.StopAt(context.WithoutCancel(ctx))
	}
	return nil
}

// addresses returns n with the noun.
func addresses(n int) string {
	if n == 1 {
		return "1 address"
	}
	return grouped(int64(n)) + " addresses"
}
