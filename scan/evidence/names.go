package evidence

import (
	"fmt"
	"strings"
)

// maxWord bounds the readable part of the name of a crawler's folder, in bytes.
const maxWord = 40

// FolderName returns the name of the folder of the nth crawler, such as 0001-gptbot. The number
// makes it unique, also where upper and lower case are the same, and keeps it from being a name
// with a meaning of its own, such as CON or one that begins with a dot; only letters, digits
// and single hyphens of the crawler's name are in it.
func FolderName(n int, crawler string) string {
	word := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, crawler[:min(len(crawler), maxWord)])
	word = strings.Join(strings.FieldsFunc(word, func(c rune) bool { return c == '-' }), "-")
	if word == "" {
		word = "crawler"
	}
	return fmt.Sprintf("%04d-%s", n, word)
}
