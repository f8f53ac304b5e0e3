package crawler

import (
	"bytes"
	"errors"
	"strings"
)

// referrers maps hosts to the operators of the search engines and assistants there.
type referrers struct {
	hosts     map[string]string // operators by host
	countries map[string]string // operators by host, for any country's domain
}

func newReferrers(profiles []Profile) (r referrers) {
	r = referrers{map[string]string{}, map[string]string{}}
	for i := range profiles {
		p := &profiles[i]
		for _, host := range p.Referrers {
			if name, any := strings.CutSuffix(host, ".*"); any {
				r.countries[name] = p.Operator
			} else {
				r.hosts[host] = p.Operator
			}
		}
	}
	return r
}

// Referrer returns the operator of the search engine or assistant at a host, or "" if none is known. host must be in
// lower case and without a port. It does not allocate.
func (s *Set) Referrer(host []byte) (operator string) {
	host = bytes.TrimPrefix(host, []byte("www."))
	if operator, known := s.referrers.hosts[string(host)]; known {
		return operator
	}
	dot := bytes.LastIndexByte(host, '.')
	if dot < 0 || len(host)-dot > len(".com") {
		return ""
	}
	name := host[:dot]
	if operator, known := s.referrers.countries[string(name)]; known {
		return operator
	}
	// Second-level country domains, such as .co.uk and .com.br.
	if name, found := bytes.CutSuffix(name, []byte(".com")); found {
		return s.referrers.countries[string(name)]
	}
	if name, found := bytes.CutSuffix(name, []byte(".co")); found {
		return s.referrers.countries[string(name)]
	}
	return ""
}

var errReferrer = errors.New("a referrer is not a host in lower case without www., perhaps with .* at its end")

// checkReferrer rejects a text that is not a valid element of Profile.Referrers.
func checkReferrer(host string) error {
	name := strings.TrimSuffix(host, ".*")
	hasDot := name != host || strings.Contains(host, ".")
	if name == "" || !hasDot || name != strings.ToLower(name) ||
		strings.HasPrefix(name, "www.") || strings.ContainsAny(name, "*/: ") {
		return errReferrer
	}
	return nil
}
