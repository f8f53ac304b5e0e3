package report

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
)

// Choice selects the crawlers of either list. The zero value selects all crawlers.
type Choice struct {
	Crawlers   []string `json:"crawlers"`   // the crawlers' names in the report (--crawler)
	Categories []string `json:"categories"` // the crawlers' categories (--category); ai covers all that begin with ai-
}

// ChoiceInfo is which crawlers a report covers, and how much it leaves out.
type ChoiceInfo struct {
	Choice
	Others   int64 `json:"others"`   // how many other crawlers made requests
	Requests int64 `json:"requests"` // their requests, which only the count of all lines includes
}

// IsAll reports whether no crawler is left out.
func (c *Choice) IsAll() bool { return len(c.Crawlers)+len(c.Categories) == 0 }

// Has reports whether a crawler of a name and a category is chosen.
func (c *Choice) Has(name, category string) bool {
	return c.IsAll() ||
		slices.ContainsFunc(c.Crawlers, func(chosen string) bool { return strings.EqualFold(chosen, name) }) ||
		slices.ContainsFunc(c.Categories, func(chosen string) bool { return InCategory(category, chosen) })
}

// String describes the choice.
func (c *Choice) String() string {
	list := slices.Clone(c.Crawlers)
	for _, category := range c.Categories {
		list = append(list, "the category "+category)
	}
	return english.List(list)
}

// By returns the choice as a phrase that begins with "by", or "" if all crawlers are chosen.
func (c *Choice) By() string {
	if c.IsAll() {
		return ""
	}
	return " by " + c.String()
}

// AI is the category that covers all categories that begin with "ai-".
const AI = "ai"

// InCategory reports whether a category matches one that a user named, ignoring case.
func InCategory(category, named string) bool {
	return strings.EqualFold(category, named) ||
		strings.EqualFold(named, AI) && strings.HasPrefix(category, AI+"-")
}
