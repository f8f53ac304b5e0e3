package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/evidence"
)

// SideFiles are what an audit reads before the logs, by content: robots.txt, the known crawlers and the lists of
// addresses, with the options that decide verdicts. As JSON they can be sent to a process that has none of
// these files.
type SideFiles struct {
	Basis json.RawMessage // as states have it
	// Format, TimeZone and Hosts are those of AuditOptions. Format names no file.
	Format, TimeZone string
	Hosts            []string
	// HostFiles are those of Hosts whose PATTERN is the name of a file or folder, not only the end of the name of a log.
	HostFiles []string
	Series    []evidence.Series
	Names     string            // of the file of resolved names; "" if there is none
	Files     map[string][]byte // of Series and Names
}

// ReadSideFiles reads the side files of an audit, of whose logs it looks at no more than the names. Errors are of type *Error.
func ReadSideFiles(ctx context.Context, o AuditOptions) (*SideFiles, error) {
	o.budget = newBudget(o.Memory)
	if err := o.check(ctx); err != nil {
		return nil, err
	}
	if strings.EqualFold(o.TimeZone, "local") {
		return nil, usageError("--time-zone Local is another zone on another machine: give its name, such as Europe/Berlin")
	}
	return prepared(ctx, func() (*SideFiles, error) {
		side, err := o.readSideFiles(ctx)
		if err == nil && o.Check != nil {
			err = o.Check(&side.config)
		}
		if err != nil {
			return nil, err
		}
		return o.pack(ctx, side)
	})
}

// pack returns side files that have been read.
func (o *AuditOptions) pack(ctx context.Context, side *sideFiles) (s *SideFiles, err error) {
	s = &SideFiles{Format: o.formatText, TimeZone: o.TimeZone, Hosts: o.Hosts, Files: map[string][]byte{}}
	if s.HostFiles, err = o.hostFiles(ctx); err != nil {
		return nil, err
	}
	if s.Basis, err = json.Marshal(audit.Texts(*side.basis, audit.ToUTF8)); err != nil {
		return nil, err
	}
	s.Series, err = packSeries(side.identity.Series, readList, func(name string, data []byte) error {
		s.Files[name] = data
		return nil
	})
	if err == nil && o.Names != "" {
		s.Names = "names.tsv"
		s.Files[s.Names], err = disk.ReadLimited(o.Names, maxListFile)
	}
	if err != nil {
		return nil, inputError(err)
	}
	return s, nil
}

// maxListFile bounds a file of addresses or names that is copied.
const maxListFile = 64 << 20

// readList reads the file of a list of addresses.
func readList(list *crawler.Ranges) ([]byte, error) { return disk.ReadLimited(list.File, maxListFile) }

// packSeries gives the files of lists of addresses, which read reads again, to put, each content once and under a name of its own.
func packSeries(series []crawler.Series, read func(*crawler.Ranges) ([]byte, error), put func(name string, data []byte) error) ([]evidence.Series, error) {
	packed := []evidence.Series{}
	names := map[[sha256.Size]byte]string{}
	for _, of := range series {
		s := evidence.Series{Crawler: of.Profile.Name, Lists: []evidence.List{}}
		for _, list := range of.Lists {
			name := names[list.Sum]
			if name == "" {
				name = fmt.Sprintf("lists/%04d%s", len(names)+1, listEnd(list.File))
				names[list.Sum] = name
				data, err := read(list)
				if data = bytes.TrimPrefix(data, []byte("\ufeff")); err == nil && sha256.Sum256(data) != list.Sum {
					err = fmt.Errorf("%s has changed since it was read", list.File)
				}
				if err == nil {
					err = put(name, data)
				}
				if err != nil {
					return nil, err
				}
			}
			s.Lists = append(s.Lists, evidence.List{File: name, Source: list.File, Created: list.Created, DatedBy: list.DatedBy})
		}
		packed = append(packed, s)
	}
	return packed, nil
}

// packedFiles are the files of lists of addresses and names that were packed.
type packedFiles struct {
	series []evidence.Series
	names  string
	open   func(name string) (io.ReadCloser, error)
}

// identify makes again what clients are verified by, but for config.Identities.
func (p packedFiles) identify(b *basis, config *audit.Config, memory *budget) (o crawler.IdentityOptions, err error) {
	o.MaxAge = b.RangesMaxAge
	for _, s := range p.series {
		profile := config.Crawlers.ByName(s.Crawler)
		if profile == nil {
			return o, fmt.Errorf("a list is of %q, which no profile is of", s.Crawler)
		}
		series := crawler.Series{Profile: profile}
		for _, l := range s.Lists {
			list, err := p.list(l, memory)
			if err != nil {
				return o, err
			}
			series.Lists = append(series.Lists, list)
		}
		o.Series = append(o.Series, series)
	}
	if p.names != "" {
		names, err := p.open(p.names)
		if err != nil {
			return o, err
		}
		defer names.Close()
		if o.Names, err = crawler.ReadNames(disk.Text(names), p.names, memory.room()); err != nil {
			return o, memory.failed(err)
		}
		memory.loaded += o.Names.Bytes()
	}
	config.ClientIP, err = crawler.ParseClientIP(b.ClientIP, b.TrustedProxies)
	return o, err
}

func (p packedFiles) list(l evidence.List, memory *budget) (*crawler.Ranges, error) {
	file, err := p.open(l.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list, err := crawler.ReadRanges(file, l.File, memory.room())
	if err != nil {
		return nil, memory.failed(err)
	}
	memory.loaded += list.Bytes()
	list.Created, list.DatedBy = l.Created, l.DatedBy
	return list, nil
}

// unpack makes of side files what readSideFiles makes of the files themselves.
func (s *SideFiles) unpack(memory *budget) (*sideFiles, error) {
	side := &sideFiles{basis: &basis{}}
	err := json.Unmarshal(s.Basis, side.basis)
	if err == nil {
		*side.basis = audit.Texts(*side.basis, audit.FromUTF8)
		err = side.basis.check()
	}
	if err != nil {
		return nil, inputError(fmt.Errorf("%w: %w", ErrBasis, err))
	}
	memory.loadBasis(side.basis)
	if err := memory.check(); err != nil {
		return nil, err
	}
	if side.config, err = side.basis.config(); err != nil {
		return nil, inputError(err)
	}
	files := packedFiles{s.Series, s.Names, func(name string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(s.Files[name])), nil
	}}
	if side.identity, err = files.identify(side.basis, &side.config, memory); err != nil {
		return nil, inputError(err)
	}
	side.config.Identities = crawler.NewIdentities(side.config.Crawlers, side.identity)
	side.zone, err = zoneOf(s.TimeZone)
	return side, err
}
