package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/internal/loginfo"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// loadedBasis is everything that an audit reads before the logs, ready for judging.
type loadedBasis struct {
	basis  *basis.Basis
	config audit.Config
	zone   *time.Location // of AuditOptions.TimeZone
	// identity has the lists and names in config.Identities.
	identity crawler.IdentityOptions
}

// readSideFiles reads all files that the options name except the logs.
func (o *AuditOptions) readSideFiles(ctx context.Context, memory *budget) (*loadedBasis, error) {
	s := &loadedBasis{}
	var err error
	if s.zone, err = zoneOf(o.TimeZone); err != nil {
		return nil, err
	}
	if s.basis, err = o.readBasis(ctx, s.zone, memory); err != nil {
		return nil, err
	}
	if err := memory.loadBasis(s.basis); err != nil {
		return nil, err
	}
	if err := o.checkOutputs(robotsFiles(s.basis)); err != nil {
		return nil, err
	}
	if s.config, err = s.basis.Config(); err != nil {
		return nil, inputError(err)
	}
	if err := o.readWhatIf(ctx, s, memory); err != nil {
		return nil, err
	}
	o.Messages.warnAll(s.basis.Oddities)
	return s, o.identify(s, memory)
}

// readBasis reads the files that the options name, except the files of addresses.
func (o *AuditOptions) readBasis(ctx context.Context, zone *time.Location, memory *budget) (*basis.Basis, error) {
	b := &basis.Basis{
		BasisInfo: report.BasisInfo{
			AssumeConstant: o.AssumeConstant, Sampled: o.Sampled, ClientIP: cmp.Or(o.ClientIP, "addr"),
			TrustedProxies: o.TrustedProxies, Names: o.Names, RangesMaxAge: cmp.Or(o.RangesMaxAge, 365*24*time.Hour),
		},
		Window: cmp.Or(o.Window, policy.MinWindow), Delay: cmp.Or(o.Delay, policy.MinDelay),
		Skew: cmp.Or(o.Skew, policy.MinSkew), MaxBytes: cmp.Or(o.Robots.MaxBytes, compile.DefaultMaxBytes),
		Dialect: "auto", Samples: o.Samples, MaxUnparsed: defaultMaxUnparsed,
	}
	if o.MaxUnparsed != nil {
		b.MaxUnparsed = *o.MaxUnparsed
	}
	if o.Dialect != nil {
		b.Dialect = o.Dialect.String()
	}
	var err error
	if b.Period, err = o.period(zone); err != nil {
		return nil, err
	}
	for _, host := range o.Hosts {
		site, _, _ := hostOf(host)
		if strings.Contains(site, "*") {
			return nil, usageError("option Hosts %s: a site has no * in it, because each has a robots.txt of its own: name each",
				host)
		}
		list, err := origin.Parse(site)
		if err != nil {
			return nil, usageError("option Hosts %w", err)
		}
		for _, o := range list {
			b.Hosts = append(b.Hosts, o.String())
		}
	}
	b.Hosts = loginfo.Set(b.Hosts)
	if b.Profiles, err = knownProfiles(o.Crawlers); err != nil {
		return nil, err
	}
	return b, o.readRobots(ctx, b, memory)
}

func (o *AuditOptions) readRobots(ctx context.Context, b *basis.Basis, memory *budget) error {
	b.File = o.Robots.Name
	if b.File != "" {
		row, err := o.Robots.row(ctx, memory)
		b.Constant = true
		b.SetRows([]policy.Row{row})
		return err
	}
	if o.Fetched != nil { // without it nothing is judged
		b.Constant = true
		b.SetRows([]policy.Row{{Status: 404}})
		return nil
	}
	if b.File, b.None = o.Policy, o.Policy == ""; b.None {
		return nil
	}
	rows, times, err := readVersions(b, memory)
	if err != nil {
		return memory.failed(err)
	}
	if o.History == policy.Deployed || o.History == policy.Observed {
		times = o.History
	}
	if times == policy.Mixed {
		return usageError("%s has times of both histories: option History says what all of them count as", b.File)
	}
	b.Observed = times == policy.Observed
	b.SetRows(rows)
	return nil
}

// readVersions reads the versions of robots.txt and the meaning of their times. A folder with a manifest
// counts as that manifest.
func readVersions(b *basis.Basis, memory *budget) (rows []policy.Row, times string, err error) {
	info, err := disk.Stat(b.File)
	switch {
	case err != nil:
		return nil, "", err
	case !info.IsDir() && isArchive(b.File):
		return nil, "", errNoFiles(b.File)
	case info.IsDir():
		var manifest string
		rows, manifest, times, err = policy.ReadFolder(b.File, b.MaxBytes, memory.room())
		b.File = cmp.Or(manifest, b.File)
	default:
		rows, times, err = policy.ReadManifest(b.File, b.MaxBytes, memory.room())
	}
	month := slices.IndexFunc(rows, func(r policy.Row) bool { return r.Month })
	if err == nil && month >= 0 && b.Skew < policy.MonthSkew {
		err = fmt.Errorf("%s: only a month: option Skew 31d covers that the day is not known", rows[month].Where)
	}
	return rows, cmp.Or(times, policy.Deployed), err
}

// readWhatIf reads the other robots.txt, if there is one.
func (o *AuditOptions) readWhatIf(ctx context.Context, s *loadedBasis, memory *budget) error {
	if o.WhatIf == "" {
		return nil
	}
	f := RobotsFile{Name: o.WhatIf, Stdin: o.Robots.Stdin, MaxBytes: o.Robots.MaxBytes}
	row, err := f.row(ctx, memory)
	if err != nil {
		return err
	}
	memory.loadBody(row.Body)
	options := compile.Options{MaxBytes: f.MaxBytes}
	s.basis.Oddities = append(s.basis.Oddities, Oddities(compile.Compile(row.Body, options), row.Body, f.Name)...)
	s.config.WhatIf = policy.Constant(row, policy.Options{MaxBytes: f.MaxBytes})
	return memory.check()
}

// robotsFiles returns the files of a manifest, with names relative to its folder.
func robotsFiles(b *basis.Basis) (names []string) {
	for _, r := range b.Rows {
		switch name := r.File; {
		case name == "":
		case filepath.IsAbs(name):
			names = append(names, name)
		default:
			names = append(names, filepath.Join(filepath.Dir(b.File), name))
		}
	}
	return loginfo.Set(names)
}

// identify reads the files of addresses and names.
func (o *AuditOptions) identify(s *loadedBasis, memory *budget) error {
	b := s.basis
	s.identity.MaxAge = b.RangesMaxAge
	for _, arg := range o.Ranges {
		loaded, err := crawler.LoadSeries(arg, s.config.Crawlers, memory.room())
		if mistake, ok := errors.AsType[crawler.ArgumentError](err); ok {
			return usageError("option Ranges %w", mistake)
		}
		if err != nil {
			return memory.failed(err)
		}
		memory.loaded += loaded.Bytes
		for _, path := range loaded.Skipped {
			why := "no known crawler or list has this name"
			if info, err := disk.Stat(path); err == nil && info.IsDir() {
				why = "a folder in a folder of lists is not read"
			}
			o.Messages.warn("%s: skipped: %s", path, why)
		}
		for _, u := range loaded.Unknown {
			o.Messages.warn("%s: services that name no known crawler: %s. Their addresses prove nothing.",
				u.File, english.List(u.Services))
		}
		s.identity.Series = append(s.identity.Series, loaded.Series...)
	}
	b.SetSeries(s.identity.Series)
	if b.Names != "" {
		f, err := disk.Open(b.Names)
		if err != nil {
			return inputError(err)
		}
		defer f.Close()
		sum, name := sha256.New(), filepath.ToSlash(b.Names)
		s.identity.Names, err = crawler.ReadNames(io.TeeReader(disk.Text(f), sum), name, memory.room())
		if err != nil {
			return memory.failed(err)
		}
		b.NamesSum = sum.Sum(nil)
		memory.loaded += s.identity.Names.Bytes()
	}
	if err := b.SetClients(&s.config, s.identity); err != nil {
		return usageError("option ClientIP, option TrustedProxies: %w", err)
	}
	s.config.KeepAddresses = o.Resolver != nil
	return nil
}

// restored makes the result of readSideFiles from the document and the files of a basis. Its
// error is of type *Error if there is too little memory.
func restored(document []byte, open basis.Open, zone string, memory *budget) (*loadedBasis, error) {
	b, err := basis.Unpack(document, open)
	if err == nil {
		err = memory.loadBasis(b)
	}
	if err != nil {
		return nil, err
	}
	s := &loadedBasis{basis: b}
	if s.zone, err = zoneOf(zone); err != nil {
		return nil, errors.Unwrap(err) // the user gave no such option
	}
	if s.config, err = b.Config(); err == nil {
		s.identity, err = b.Identify(&s.config, open, memory.take)
	}
	if errors.Is(err, disk.ErrMemory) {
		err = memory.failed(err)
	}
	return s, err
}
