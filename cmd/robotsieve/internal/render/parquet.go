package render

import (
	"io"

	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/report"
)

// appendValues appends a row in the encoding of columnar.Writer.
func (t columns[T]) appendValues(b []byte, r *T) []byte {
	for i := range t {
		c := &t[i]
		switch v := c.value(r); {
		case v.none:
			b = columnar.AppendNull(b)
		case c.kind == textRow && v.octets != nil:
			b = appendValue(b, v.octets)
		case c.kind == textRow:
			b = appendValue(b, v.word)
		default:
			b = columnar.AppendNumber(b, v.number)
		}
	}
	return b
}

func appendValue[T string | []byte](b []byte, text T) []byte {
	if !isPlain(&plain, text) {
		return columnar.AppendText(b, report.ToUTF8(string(text)))
	}
	return columnar.AppendText(b, text)
}

func (t columns[T]) beginParquet(w io.Writer) (io.WriteCloser, error) {
	kinds := map[rowKind]columnar.Kind{textRow: columnar.Text, integerRow: columnar.Int64, timeRow: columnar.Time,
		boolRow: columnar.Bool}
	fields := make([]columnar.Field, len(t))
	for i, c := range t {
		fields[i] = columnar.Field{Name: c.name, Kind: kinds[c.kind], Dictionary: !c.unlike && c.kind != boolRow}
	}
	return columnar.NewWriter(w, "rows", fields), nil
}
