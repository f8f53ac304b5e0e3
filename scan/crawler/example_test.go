package crawler_test

import (
	"fmt"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// A Set is shared by all goroutines. Each goroutine has its own Reader.
func Example() {
	set, err := crawler.New(crawler.Builtin())
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := set.Reader()
	for _, header := range []string{
		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "Mozilla/5.0 (X11; Linux x86_64)",
	} {
		claim := reader.Read([]byte(header))
		if claim.Name == "" {
			fmt.Println("no crawler")
			continue
		}
		fmt.Println(claim.Name, "is bound by the groups for", claim.Tokens())
	}
	// Output:
	// bingbot is bound by the groups for [bingbot msnbot]
	// no crawler
}
