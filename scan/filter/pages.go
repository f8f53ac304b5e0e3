package filter

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/page"
	"github.com/robotsieve/robotsieve/scan/internal/warc"
)

// pages judges records by what their pages state.
type pages struct {
	config *Config
	page   page.Page
	last   capture // the last one that was barred
	barred uint64  // the agents for which it is
}

// capture is what the records of one capture have in common.
type capture struct{ target, date, id string }

func (c *capture) of(rec *warc.Record) bool {
	return c.target != "" && (c.target == rec.Target && c.date == rec.Date || c.id != "" && c.id == rec.Of)
}

// judge changes the verdict on a record that robots.txt allows, if its page states one of Config.Page for an agent at
// that date. It reads as much of the block as it needs. Records that follow a barred one are also barred if they belong
// to the same capture.
func (p *pages) judge(rec *warc.Record, block io.Reader, date time.Time, all uint64, v *Verdict) {
	if p.last.of(rec) {
		v.Barred |= p.barred
	} else if barred := p.states(rec, block, date); barred != 0 {
		p.last, p.barred = capture{rec.Target, rec.Date, rec.ID}, barred
		v.Barred |= barred
	}
	if v.Barred == all || v.Barred != 0 && !p.config.Any {
		v.Class = ByPage
	}
}

// states returns the agents for which the page of a record states one of the directives.
func (p *pages) states(rec *warc.Record, block io.Reader, date time.Time) (barred uint64) {
	p.page.Reset()
	switch rec.Kind {
	case "response":
		p.response(rec, block)
	case "metadata":
		p.metadata(block)
	default:
		return 0
	}
	for i, tokens := range p.config.Tokens {
		if p.page.Rules(tokens, date).Set&p.config.Page != 0 {
			barred |= 1 << i
		}
	}
	return barred
}

func (p *pages) response(rec *warc.Record, block io.Reader) {
	r, err := warc.ReadResponse(block)
	if err != nil {
		return
	}
	for _, value := range r.RobotsTags {
		p.page.Header([]byte(value))
	}
	body, _ := r.Body(page.MaxHead+1, rec.Truncated) // of a damaged body the beginning counts
	p.page.HTML([]byte(r.ContentType), body)
}

// maxMetadata is how much of the metadata of a WAT file is read, in bytes.
const maxMetadata = 8 << 20

// metadata parses a WAT file's JSON object about a response. Source: Internet Archive, "Web Archive Metadata File
// Specification".
func (p *pages) metadata(block io.Reader) {
	var wat struct {
		Envelope struct {
			Payload struct {
				Response struct {
					Headers map[string]json.RawMessage `json:"Headers"`
					HTML    struct {
						Head struct {
							Metas []struct{ Name, Content string } `json:"Metas"`
						} `json:"Head"`
					} `json:"HTML-Metadata"`
				} `json:"HTTP-Response-Metadata"`
			} `json:"Payload-Metadata"`
		} `json:"Envelope"`
	}
	if json.NewDecoder(io.LimitReader(block, maxMetadata)).Decode(&wat) != nil {
		return // metadata of another kind
	}
	response := &wat.Envelope.Payload.Response
	for name, value := range response.Headers {
		if !strings.EqualFold(name, "X-Robots-Tag") {
			continue
		}
		var one string
		var several []string
		if json.Unmarshal(value, &one) == nil {
			several = []string{one}
		} else {
			_ = json.Unmarshal(value, &several) // nothing else has values
		}
		for _, v := range several {
			p.page.Header([]byte(v))
		}
	}
	for _, m := range response.HTML.Head.Metas {
		p.page.Meta([]byte(m.Name), []byte(m.Content))
	}
}
