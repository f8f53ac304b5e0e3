package block

import (
	"fmt"
	"strings"
)

// maxExpression is the maximum length of a Cloudflare expression
// (https://developers.cloudflare.com/ruleset-engine/rules-language/expressions/).
const maxExpression = 4096

// expression is a Cloudflare expression for several rules, because the number of rules per site is
// limited.
type expression struct {
	Text     string
	Comments []string
}

func expressions(f file) (list []expression) {
	const fetch = ` and http.request.uri.path ne "/robots.txt"`
	ofTerms := clause{"(", " or ", ")" + fetch}
	list = ofTerms.pack(list, f.Names, func(i item) string { return named(&i.Rule) })
	list = ofTerms.pack(list, f.Impostors, func(i item) string { return impostor(&i.Rule) })
	end := fmt.Sprintf("} and http.request.timestamp.sec lt %d%s", f.Until, fetch)
	return clause{"ip.src in {", " ", end}.pack(list, f.Addresses, func(i item) string { return i.Prefix.String() })
}

// clause has the text before, between and after the terms of an expression.
type clause struct{ open, join, end string }

// pack appends expressions, each with as many terms as fit.
func (c clause) pack(list []expression, items []item, term func(item) string) []expression {
	room := 0
	for _, i := range items {
		text := c.join + term(i)
		room -= len(text)
		if room < 0 {
			text = c.open + term(i)
			list = append(list, expression{Text: c.end})
			room = maxExpression - len(text) - len(c.end)
		}
		last := &list[len(list)-1]
		last.Text = strings.TrimSuffix(last.Text, c.end) + text + c.end
		last.Comments = append(last.Comments, i.Comments...)
	}
	return list
}

// named returns a term for headers with the name of the rule.
func named(r *Rule) string {
	const agent = "lower(http.user_agent)"
	var own, others []string
	for _, word := range r.Words {
		own = append(own, fmt.Sprintf("%s eq %q", agent, word), fmt.Sprintf("ends_with(%s, %q)", agent, " "+word))
		for _, end := range ends {
			own = append(own, fmt.Sprintf("starts_with(%s, %q)", agent, word+end))
			for _, start := range starts {
				own = append(own, fmt.Sprintf("%s contains %q", agent, start+word+end))
			}
		}
	}
	for _, part := range r.otherParts() {
		others = append(others, fmt.Sprintf("%s contains %q", agent, part))
	}
	return "((" + strings.Join(own, " or ") + ") and not (" + strings.Join(others, " or ") + "))"
}

// impostor returns a term for clients that use the name from addresses outside the operator's
// ranges.
func impostor(r *Rule) string {
	own := strings.Trim(fmt.Sprint(r.Own), "[]") // separated by blanks
	return "(" + named(r) + " and not ip.src in {" + own + "})"
}
