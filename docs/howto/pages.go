// Package howto holds the how-to pages, which robotsieve help prints.
package howto

import "embed"

// Pages are the pages, named TOPIC.md.
//
//go:embed *.md
var Pages embed.FS
