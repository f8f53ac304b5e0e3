package basis

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Packed is a basis as stored in states: the document and files.
type Packed struct {
	Basis json.RawMessage
	Files map[string][]byte
}

// The files of a basis have paths with slashes: robots/NNNN.txt, lists/NNNN.json or .txt, and this
// one.
const NamesFile = "names.tsv"

// Packed returns the document of a basis and the texts of robots.txt, as stored in states.
func (b *Basis) Packed() (p Packed, err error) {
	p.Files = map[string][]byte{}
	for _, body := range b.Bodies {
		p.Files[body.File] = body.Text
		if body.PastFile != "" {
			p.Files[body.PastFile] = body.Past
		}
	}
	stored := b.rewrite(report.ToUTF8)
	stored.Ranges = nil
	p.Basis, err = json.Marshal(stored)
	return p, err
}

// rewrite returns a copy of the basis in which write was called once for each text that may not be UTF-8.
func (b *Basis) rewrite(write report.Rewriter) *Basis {
	c := *b
	write.Texts(&c.File, &c.Names, &c.ClientIP, &c.Sampled)
	write.Lists(&c.Hosts, &c.TrustedProxies)
	report.Each(&c.Rows, func(r *Row) {
		write.Texts(&r.Sum, &r.File, &r.Location, &r.Digest, &r.Where)
		report.Each(&r.Origins, func(o *origin.Origin) { write.Texts(&o.Scheme, &o.Host) })
	})
	report.Each(&c.Series, func(s *Series) {
		report.Each(&s.Lists, func(l *List) { write.Texts(&l.Source, &l.DatedBy) })
	})
	return &c
}

// PackedWith is Packed with the lists of addresses, each content once, which are read again, and with rows of host
// names, if there are any or the basis has a file of names.
func (b Basis) PackedWith(names map[string]bool) (Packed, error) {
	hasNames := b.Names != "" || len(names) > 0
	if hasNames {
		b.Names = cmp.Or(b.Names, NamesFile)
	}
	p, err := b.Packed()
	if hasNames {
		p.Files[NamesFile] = []byte("# address, name, confirmed\n" + strings.Join(slices.Sorted(maps.Keys(names)), ""))
	}
	for _, s := range b.Series {
		for _, list := range s.Lists {
			if _, isPacked := p.Files[list.File]; isPacked {
				continue
			}
			data, failed := disk.ReadLimited(list.Source, maxFile/4)
			data = bytes.TrimPrefix(data, []byte("\ufeff"))
			if sum := sha256.Sum256(data); failed == nil && !bytes.Equal(sum[:], list.Sum) {
				failed = fmt.Errorf("%s has changed since it was read", list.Source)
			}
			p.Files[list.File], err = data, cmp.Or(err, failed)
		}
	}
	return p, err
}

// Open opens a file of a basis.
type Open func(name string) (io.ReadCloser, error)

// Open is the function of Unpack and Identify that opens files.
func (p *Packed) Open(name string) (io.ReadCloser, error) {
	data, ok := p.Files[name]
	if !ok {
		return nil, fmt.Errorf("%s: missing", name)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// Unpack returns the packed basis.
func (p *Packed) Unpack() (*Basis, error) { return Unpack(p.Basis, p.Open) }

// maxFile limits the files of a basis, in bytes.
const maxFile = 256 << 20

// Unpack makes a basis from its document and files, without the lists and names. Both are validated
// like the files and options of an audit.
func Unpack(document []byte, open Open) (*Basis, error) {
	b := &Basis{}
	if err := json.Unmarshal(document, b); err != nil {
		return nil, err
	}
	b = b.rewrite(report.FromUTF8)
	for i := range b.Bodies {
		body := &b.Bodies[i]
		var err error
		if body.Text, err = open.Read(body.File); err != nil {
			return nil, err
		}
		if body.PastFile == "" {
			continue
		}
		if body.Past, err = open.Read(body.PastFile); err != nil {
			return nil, err
		}
	}
	return b, b.check()
}

// Read returns the content of a file.
func (open Open) Read(name string) ([]byte, error) {
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(disk.Limited(file, maxFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// Identify restores the verification of clients from packed lists and names. take is called with
// the memory that each uses, in bytes, and returns how much is left.
func (b *Basis) Identify(c *audit.Config, open Open, take func(bytes int64) (left int64)) (o crawler.IdentityOptions,
	err error) {
	o.MaxAge = b.RangesMaxAge
	for _, s := range b.Series {
		profile := c.Crawlers.ByName(s.Crawler)
		if profile == nil {
			return o, fmt.Errorf("a list is for %q, which has no profile", s.Crawler)
		}
		series := crawler.Series{Profile: profile}
		for _, l := range s.Lists {
			list, err := readList(l, open, take(0))
			if err != nil {
				return o, err
			}
			take(list.Bytes())
			series.Lists = append(series.Lists, list)
		}
		o.Series = append(o.Series, series)
	}
	if b.Names != "" {
		file, err := open(NamesFile)
		if err != nil {
			return o, err
		}
		defer file.Close()
		if o.Names, err = crawler.ReadNames(disk.Text(file), NamesFile, take(0)); err != nil {
			return o, err
		}
		take(o.Names.Bytes())
	}
	return o, b.SetClients(c, o)
}

// SetClients sets the fields of a configuration that verify clients.
func (b *Basis) SetClients(c *audit.Config, o crawler.IdentityOptions) (err error) {
	c.Identities = crawler.NewIdentities(c.Crawlers, o)
	c.ClientIP, err = crawler.ParseClientIP(b.ClientIP, b.TrustedProxies)
	return err
}

func readList(l List, open Open, memory int64) (*crawler.Ranges, error) {
	file, err := open(l.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list, err := crawler.ReadRanges(file, l.Source, memory)
	if err == nil {
		list.Created, list.DatedBy = l.Created, l.DatedBy
	}
	return list, err
}
