package report

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
)

// Choice names crawlers: those of either list. The zero value is all.
type Choice struct {
	Crawlers   []string `json:"crawlers"`   // by the names that the report has (--crawler)
	Categories []string `json:"categories"` // by their categories (--category); ai is all that begin with ai-
}

// ChoiceInfo is which crawlers a report covers, and what it leaves out.
type ChoiceInfo struct {
	Choice
	Others   int64 `json:"others"`   // how many other crawlers made requests
	Requests int64 `json:"requests"` // these requests, which are in no other number than that of all lines
}

// IsAll reports whether no crawler is left out.
func (c *Choice) IsAll() bool { return len(c.Crawlers)+len(c.Categories) == 0 }

// Has reports whether a crawler of a name and a category is chosen.
func (c *Choice) Has(name, category string) bool {
	return c.IsAll() ||
		slices.ContainsFunc(c.Crawlers, func(chosen string) bool { return strings.EqualFold(chosen, name) }) ||
		slices.ContainsFunc(c.Categories, func(chosen string) bool { return InCategory(category, chosen) })
}

// String names what is chosen.
func (c *Choice) String() string {
	list := slices.Clone(c.Crawlers)
	for _, category := range c.Categories {
		list = append(list, "the category "+category)
	}
	return english.List(list)
}

// By names by whom something is: nothing if all are chosen.
func (c *Choice) By() string {
	if c.IsAll() {
		return ""
	}
	return " by " + c.String()
}

// AI is the category that stands for all that begin with "ai-".
const AI = "ai"

// InCategory reports whether a category is one that a user names, in any case.
func InCategory(category, named string) bool {
	return strings.EqualFold(category, named) ||
		strings.EqualFold(named, AI) && strings.HasPrefix(category, AI+"-")
}
