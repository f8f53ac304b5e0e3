package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// maxSideFile bounds a text of robots.txt and the file of profiles in a folder of evidence.
const maxSideFile = 256 << 20

// restore makes again what the audit had read before the logs, from the files of the folder. A folder is
// trusted no more than the files and options of an audit.
func (c *verification) restore() error {
	b, err := c.basis()
	if err != nil {
		return err
	}
	memory := c.options.budget
	memory.loadBasis(b)
	if err := memory.check(); err != nil {
		return err
	}
	config, err := b.config()
	if err != nil {
		return err
	}
	c.side = &sideFiles{basis: b, config: config}
	if strings.EqualFold(c.manifest.TimeZone, "local") {
		return errors.New("its time zone is that of another machine")
	}
	if c.side.zone, err = zoneOf(c.manifest.TimeZone); err != nil {
		return errors.Unwrap(err) // it is no option of the user
	}
	if c.format, err = formatOfText(c.manifest.Format); err != nil {
		return err
	}
	return c.identify()
}

// basis reads the options, and the files that they leave out.
func (c *verification) basis() (*basis, error) {
	m := c.manifest
	for _, x := range m.Crawlers {
		if x.Violations < 1 || x.Fetches < 0 {
			return nil, fmt.Errorf("%q has %d violations and %d fetches", x.Crawler, x.Violations, x.Fetches)
		}
	}
	b := &basis{}
	if err := json.Unmarshal(m.Options, b); err != nil {
		return nil, err
	}
	*b = audit.Texts(*b, audit.FromUTF8)
	profiles, err := c.folder.Read(m.Profiles, maxSideFile)
	if err != nil {
		return nil, err
	}
	if b.Profiles, err = crawler.Read(profiles); err != nil {
		return nil, err
	}
	b.Bodies = nil
	for _, r := range m.Robots {
		var body basisBody
		if body.Text, err = c.folder.Read(r.File, maxSideFile); err != nil {
			return nil, err
		}
		if r.Past != "" {
			if body.Past, err = c.folder.Read(r.Past, maxSideFile); err != nil {
				return nil, err
			}
		}
		b.Bodies = append(b.Bodies, body)
	}
	return b, b.check()
}

// identify makes again what clients are verified by.
func (c *verification) identify() (err error) {
	m, config := c.manifest, &c.side.config
	files := packedFiles{m.Series, m.Names, func(name string) (io.ReadCloser, error) { return c.folder.Open(name) }}
	if c.side.identity, err = files.identify(c.side.basis, config, c.options.budget); err != nil {
		return err
	}
	paths := map[*crawler.Ranges]string{}
	for i, s := range m.Series {
		for j, l := range s.Lists {
			list := c.side.identity.Series[i].Lists[j]
			paths[list], list.File = l.File, l.Source
		}
	}
	c.readList = func(list *crawler.Ranges) ([]byte, error) { return c.folder.Read(paths[list], maxListFile) }
	for _, client := range m.LookedUp {
		p := config.Crawlers.ByName(client.Crawler)
		if p == nil {
			return fmt.Errorf("a client is of %q, which no profile is of", client.Crawler)
		}
		c.lookedUp = append(c.lookedUp, crawler.Pair{Profile: p, Addr: client.Address})
	}
	config.Identities = crawler.NewIdentities(config.Crawlers, c.side.identity)
	return nil
}

// formatOfText is formatByName for a text that names no file.
func formatOfText(text string) (*format.Format, error) {
	if text == "" || text == "auto" {
		return nil, nil
	}
	if f, ok := format.ByName(text); ok {
		return f, nil
	}
	return format.Parse(text)
}

// siteOfOrigins returns the site of origins of a policy.
func siteOfOrigins(origins []string, p *policy.Policy) (at policy.Site, err error) {
	if p.Any() && len(origins) > 0 {
		at, _ = p.Unnamed()
		return at, nil
	}
	for _, text := range origins {
		list, err := origin.Parse(text)
		if err != nil {
			return at, err
		}
		for _, o := range list {
			if part, ok := p.Site(o); ok {
				at = union(at, part)
			}
		}
	}
	return at, nil
}
