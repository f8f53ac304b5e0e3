// Package list is a stub.
package list

type Kind uint8

const (
	Unknown Kind = iota
	URLs
	CSV
	TSV
	JSON
	CDX
	CDXJ
	Sitemap
	WARC
	Parquet
)

type State uint8

const (
	Good State = iota
	Header
	Blank
	NoURL
	BadRow
	BadTime
)

type Row struct {
	Line, Text, URL []byte
	Time            int64
	HasTime         bool
	State           State
	End             int
}

type Layout struct{}

func (l *Layout) Kind() Kind         { return URLs }
func (l *Layout) Delimiter() byte    { return ',' }
func (l *Layout) NewReader() *Reader { return &Reader{} }

type Reader struct{}

func (r *Reader) Reset(chunk []byte, first bool) {}
func (r *Reader) Next(row *Row) bool             { return false }
