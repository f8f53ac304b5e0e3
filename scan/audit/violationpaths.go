package audit

import (
	"bytes"
	"encoding/binary"

	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/report"
)

// violationPaths counts the paths of violations, by crawler and by rule. A log may have any number of
// them, so they are sorted like deferred records. A record consists of
//
//	crawler  like the operator of a deferred record, but with the index of a known crawler
//	path     the beginning of the target
//	rule     origins, version and line
//	number   of the violations
//
// so that violations with the same crawler and path come together. Unknown crawlers that the report
// does not list are sorted again, as one.
type violationPaths struct {
	run    *Run
	sorter *spill.Sorter
	writer *spill.Writer
	key    []byte // the current record

	// The current counts:
	row  *row
	path []byte
	rule ruleKey
	// for the path, and for the rule on it
	ofPath, ofRule int64
}

func (r *Run) newViolationPaths() *violationPaths {
	s := spill.New(spill.Options{Memory: r.budget.paths, Dir: r.auditor.config.TempDir})
	if r.ctx != nil {
		s.StopAt(r.ctx)
	}
	return &violationPaths{run: r, sorter: s, writer: s.Writer()}
}

// Add adds an event, if it is a violation.
func (p *violationPaths) Add(e *Event) error {
	if e.Verdict != report.Violation {
		return nil
	}
	b := p.key[:0]
	if e.Crawler != nil {
		b = binary.AppendUvarint(append(b, aboutKnown), uint64(e.from.Crawler))
	} else {
		b = append(b, unknownOperator(lower(e.Name))...)
	}
	p.add(b, e.Target[:min(len(e.Target), maxPath)], e.rule, e.N)
	return nil
}

// add adds violations by the crawler whose key is in b, which belongs to p. An error of the
// temporary file is returned by Flush again.
func (p *violationPaths) add(b, path []byte, rule ruleKey, n int64) {
	c := coder{data: b}
	codeViolated(&c, &path, &rule, &n)
	p.key = c.data
	_ = p.writer.Add(p.key)
}

func codeViolated(c *coder, path *[]byte, rule *ruleKey, n *int64) {
	text(c, path)
	c.site(&rule.at)
	fixed(c, &rule.version)
	fixed(c, &rule.line)
	uvarint(c, n, mostLines)
}

// count adds the violations to the rows to be listed.
func (p *violationPaths) count() error {
	defer p.sorter.Close()
	if err := p.writer.Flush(); err != nil {
		return err
	}
	tally, others := p.run.tally, p.run.newViolationPaths()
	listed := map[string]*row{}
	for _, r := range tally.listed {
		listed[lower(r.name)] = r
	}
	profiles := p.run.auditor.config.Crawlers.Profiles()
	for record, err := range p.sorter.All() {
		if err != nil {
			return err
		}
		var path []byte
		var rule ruleKey
		var n int64
		rd := newReader(p.run.auditor.config.Policy, record.Data)
		key, name := rd.operator()
		codeViolated(rd, &path, &rule, &n)
		n *= record.N
		row := tally.others
		switch key[0] {
		case aboutKnown:
			i, _ := binary.Uvarint(key[1:])
			row = tally.known[&profiles[i]]
		case aboutUnknown:
			row = listed[name]
			if row == nil {
				others.add(append(others.key[:0], aboutAll), path, rule, n)
				continue
			}
		}
		p.next(row, path, rule, n)
	}
	p.next(nil, nil, ruleKey{}, 0)
	if others.key == nil {
		return nil
	}
	return others.count()
}

// next counts violations, which come in order. If they differ from the previous ones, it first adds those up.
func (p *violationPaths) next(row *row, path []byte, rule ruleKey, n int64) {
	same := row == p.row && bytes.Equal(path, p.path)
	if p.row != nil && (!same || rule != p.rule) {
		if paths := p.row.rulePaths[p.rule]; paths != nil {
			paths.add(report.PathInfo{Path: string(p.path), N: p.ofRule})
		} else if _, kept := p.row.rules.Kept[p.rule]; kept {
			if p.row.rulePaths == nil {
				p.row.rulePaths = map[ruleKey]*topPaths{}
			}
			p.row.rulePaths[p.rule] = &topPaths{most: maxRulePaths, kept: []report.PathInfo{{Path: string(p.path), N: p.ofRule}}}
		}
		p.rule, p.ofRule = rule, 0
	}
	if p.row != nil && !same {
		p.row.paths.add(report.PathInfo{Path: string(p.path), N: p.ofPath})
		p.ofPath = 0
	}
	if !same {
		p.row, p.path = row, append(p.path[:0], path...)
	}
	p.rule, p.ofRule, p.ofPath = rule, p.ofRule+n, p.ofPath+n
}
