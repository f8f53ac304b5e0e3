package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/format"
)

// maxServerConfig bounds a configuration that a format is taken from.
const maxServerConfig = 16 << 20

// formatByName returns the format that an option names or describes, nil if it is to be found
// by the first lines of each log: "" or "auto". Else it is a name of format.ByName, FILE:NAME
// for a format in the configuration of a server, or a text of format.Parse. words is what the
// option would be without the file.
func formatByName(ctx context.Context, text string) (f *format.Format, words string, err error) {
	if text == "" || text == "auto" {
		return nil, text, nil
	}
	if f, ok := format.ByName(text); ok {
		return f, text, nil
	}
	if file, name, ok := inConfig(text); ok {
		config, err := prepared(ctx, func() ([]byte, error) { return disk.ReadLimited(file, maxServerConfig) })
		switch {
		case errors.Is(err, errNothingDone):
			return nil, "", err
		case err != nil:
			return nil, "", inputError(fmt.Errorf("--format %s: %w", text, err))
		}
		if f, err = format.ParseConfig(config, name); err == nil {
			words, err = format.ConfigText(config, name)
		}
		if err != nil {
			return nil, "", usageError("--format %s: %w", text, err)
		}
		return f, words, nil
	}
	f, err = formatInWords(text)
	return f, text, err
}

// formatInWords is formatByName for a text that is neither a name nor FILE:NAME.
func formatInWords(text string) (*format.Format, error) {
	if info, err := disk.Stat(text); err == nil && info.Mode().IsRegular() {
		return nil, usageError("--format %s is a file: give the name of a format in it too, as in %s:NAME", text, text)
	}
	if plainWord().MatchString(text) {
		perhaps := ""
		if similar := format.Similar(text); len(similar) > 0 {
			perhaps = "; perhaps you mean " + strings.Join(similar, ", ")
		}
		return nil, usageError("no format is called %q%s. robotsieve formats lists all, and shows how to give one of "+
			"your own", text, perhaps)
	}
	f, err := format.Parse(text)
	if err != nil {
		return nil, usageError("--format: %w", err)
	}
	return f, nil
}

// plainWord is what can only be a name. configName is the name of a format in a
// configuration.
var (
	plainWord  = lazy.Regexp(`^[\w.:+-]+$`)
	configName = lazy.Regexp(`^[\w.+-]+$`)
)

// inConfig splits FILE:NAME. It is that only if there is such a file, or if it looks like a path:
// the words of a format have colons, too, as C:\nginx.conf has, which has no NAME.
func inConfig(text string) (file, name string, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 1 || !configName().MatchString(text[at+1:]) {
		return "", "", false
	}
	file, name = text[:at], text[at+1:]
	if info, err := disk.Stat(file); err == nil {
		return file, name, info.Mode()&fs.ModeDir == 0
	}
	return file, name, !strings.ContainsAny(file, "%$()=\"' \n") && strings.ContainsAny(file, `./\`)
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
