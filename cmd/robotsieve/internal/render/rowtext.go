package render

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/report"
)

// plain marks what a JSON string has as it is, plainCell a CSV cell, and plainFirst its beginning.
var plain, plainCell, plainFirst = plainOctets(`"\`), plainOctets(`",;`), plainOctets(`",; =+-@\`)

func plainOctets(but string) (is [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf-1; c++ {
		is[c] = strings.IndexByte(but, c) < 0
	}
	return is
}

// isPlain reports whether all bytes of a text are marked.
func isPlain[T string | []byte](is *[256]bool, text T) bool {
	for i := range len(text) {
		if !is[text[i]] {
			return false
		}
	}
	return true
}

// appendJSON appends a row as a line of JSON, with strings as WriteJSON writes them.
func (t columns[T]) appendJSON(b []byte, r *T) []byte {
	for i := range t {
		c := &t[i]
		b = append(append(append(b, "{,"[min(i, 1)], '"'), c.name...), `":`...)
		switch v := c.value(r); {
		case v.none:
			b = append(b, "null"...)
		case c.kind == textRow && v.octets != nil:
			b = appendJSONText(b, v.octets)
		case c.kind == textRow:
			b = appendJSONText(b, v.word)
		case c.kind == timeRow:
			b = append(appendTime(append(b, '"'), v.number), '"')
		default:
			b = appendNumber(b, c.kind, v.number)
		}
	}
	return append(b, "}\n"...)
}

func appendNumber(b []byte, kind rowKind, n int64) []byte {
	switch kind {
	case boolRow:
		return strconv.AppendBool(b, n == 1)
	case decimalRow:
		return strconv.AppendFloat(b, math.Float64frombits(uint64(n)), 'f', -1, 64)
	}
	return strconv.AppendInt(b, n, 10)
}

func appendTime(b []byte, micros int64) []byte {
	return time.UnixMicro(micros).UTC().AppendFormat(b, time.RFC3339Nano)
}

func appendJSONText[T string | []byte](b []byte, text T) []byte {
	if isPlain(&plain, text) {
		return append(append(append(b, '"'), text...), '"')
	}
	var quoted bytes.Buffer
	_ = WriteJSON(&quoted, report.ToUTF8(string(text)), "") // a buffer has no error
	return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

func (t columns[T]) csvHeader() string {
	var names []string
	for _, c := range t {
		names = append(names, c.name)
	}
	return strings.Join(names, ",") + "\n"
}

// appendCSV appends a row as encoding/csv writes it. An empty cell means no value.
func (t columns[T]) appendCSV(b []byte, r *T) []byte {
	for i := range t {
		c := &t[i]
		if i > 0 {
			b = append(b, ',')
		}
		switch v := c.value(r); {
		case v.none:
		case c.kind == textRow && v.octets != nil:
			b = appendCell(b, v.octets)
		case c.kind == textRow:
			b = appendCell(b, v.word)
		case c.kind == timeRow:
			b = appendTime(b, v.number)
		default:
			b = appendNumber(b, c.kind, v.number)
		}
	}
	return append(b, '\n')
}

// appendCell appends a nonempty text as a cell.
func appendCell[T string | []byte](b []byte, text T) []byte {
	if plainFirst[text[0]] && isPlain(&plainCell, text) {
		return append(b, text...)
	}
	return appendQuoted(b, Cell(report.Printable(text)))
}
