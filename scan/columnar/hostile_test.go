package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// forged is a file with one column of one row group, in which a test may state anything.
type forged struct {
	rows   int64
	codec  format.CompressionCodec
	schema []format.SchemaElement
	pages  []forgedPage
	change func(*format.FileMetaData)
}

type forgedPage struct {
	header format.PageHeader
	body   []byte // with its header, if the other is empty
}

func marshal(t testing.TB, v any) []byte {
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func some[T any](v T) thrift.Null[T] { return thrift.Null[T]{V: v, Valid: true} }

// texts is the schema of a column of text.
var texts = []format.SchemaElement{
	{Name: "root", NumChildren: some(int32(1))},
	{Name: "url", Type: some(format.ByteArray), RepetitionType: some(format.Required)},
}

func (f forged) file(t testing.TB) []byte {
	b := []byte(magic)
	for i := range f.pages {
		if h := &f.pages[i].header; h.CompressedPageSize != 0 {
			b = append(b, marshal(t, h)...)
		}
		b = append(b, f.pages[i].body...)
	}
	meta := format.FileMetaData{Version: 1, Schema: f.schema, NumRows: f.rows,
		RowGroups: []format.RowGroup{{NumRows: f.rows, Columns: []format.ColumnChunk{{
			MetaData: format.ColumnMetaData{Type: format.ByteArray, Codec: f.codec, NumValues: f.rows, DataPageOffset: 4,
				TotalCompressedSize: int64(len(b) - 4), PathInSchema: []string{"url"}},
		}}}}}
	if f.schema == nil {
		meta.Schema = slices.Clone(texts)
	}
	if f.change != nil {
		f.change(&meta)
	}
	return finish(b, marshal(t, &meta))
}

// finish appends a footer.
func finish(b, footer []byte) []byte {
	b = append(b, footer...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), magic...)
}

// data is a page of plain values.
func data(values, size, stored int32, encoding format.Encoding, body []byte) forgedPage {
	return forgedPage{format.PageHeader{Type: format.DataPage, UncompressedPageSize: size, CompressedPageSize: stored,
		DataPageHeader: some(format.DataPageHeader{NumValues: values, Encoding: encoding,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})}, body}
}

// allocated returns how many bytes a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostile checks that files with false claims give an error, and use little memory.
func TestHostile(t *testing.T) {
	url := []byte("\x08\x00\x00\x00http://a")
	n := int32(len(url))
	bomb, _ := zstd.NewWriter(nil)
	zeros := bomb.EncodeAll(make([]byte, 64<<20), nil)
	good := forged{rows: 1, pages: []forgedPage{data(1, n, n, format.Plain, url)}}
	if got, err := readLines(t, open(t, good.file(t)), Options{URL: "url"}); got != "http://a\n" || err != nil {
		t.Fatal(got, err)
	}
	whole := good.file(t)
	inCodec := func(codec format.CompressionCodec, page forgedPage, before ...forgedPage) []byte {
		rows := max(int64(page.header.DataPageHeader.V.NumValues), 1)
		return forged{rows: rows, codec: codec, pages: append(before, page)}.file(t)
	}
	pageOf := func(page forgedPage, before ...forgedPage) []byte {
		return inCodec(format.Uncompressed, page, before...)
	}
	with := func(change func(*format.FileMetaData)) []byte {
		f := good
		f.change = change
		return f.file(t)
	}
	chunk := func(change func(*format.ColumnMetaData)) []byte {
		return with(func(m *format.FileMetaData) { change(&m.RowGroups[0].Columns[0].MetaData) })
	}
	deep := []format.SchemaElement{}
	for range 1000 {
		deep = append(deep, format.SchemaElement{Name: "a", NumChildren: some(int32(1)),
			RepetitionType: some(format.Optional)})
	}
	wide := []format.SchemaElement{{Name: "root", NumChildren: some(int32(100_000))}}
	for range 100_000 {
		wide = append(wide, format.SchemaElement{Name: "a", Type: some(format.Int32), RepetitionType: some(format.Required)})
	}
	names := []format.SchemaElement{{Name: "root", NumChildren: some(int32(60))}}
	for range 60 {
		names = append(names, format.SchemaElement{Name: strings.Repeat("a", 400_000), NumChildren: some(int32(1)),
			RepetitionType: some(format.Required)})
	}
	// A page of version 2 whose levels have so many bytes each, in fields of a type: the sum is negative in so many bits.
	levels := func(kind byte, size int64) []byte {
		b := []byte{0x15, 6, 0x15, 8, 0x15, 8, 0x5c, 0x15, 2, 0x15, 0, 0x15, 2, 0x15, 0}
		for range 2 {
			b = binary.AppendVarint(append(b, 0x10|kind), size)
		}
		return append(b, 0, 0, 1, 2, 3, 4)
	}
	dict := dictionaryOf(url[4:])
	one := data(1, 3, 3, format.RLEDictionary, []byte{1, 2, 0})
	nulls := []format.SchemaElement{texts[0],
		{Name: "url", Type: some(format.ByteArray), RepetitionType: some(format.Optional)}}
	levelsOfNulls := binary.LittleEndian.AppendUint32(nil, 7)
	levelsOfNulls = append(binary.AppendUvarint(levelsOfNulls, 1<<41), 0)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a trillion nulls": {forged{rows: 1 << 40, schema: nulls,
			pages: []forgedPage{data(1, 11, 11, format.Plain, levelsOfNulls)}}.file(t),
			"1099511627776 rows are more than the 67"},
		"two dictionaries": {pageOf(one, dict, dict), "two dictionaries"},
		"row groups over the same bytes": {with(func(m *format.FileMetaData) {
			m.RowGroups = append(m.RowGroups, m.RowGroups[0])
			m.NumRows = 2
		}), "two row groups have the same bytes, from 4 on"},
		"row groups that overlap": {with(func(m *format.FileMetaData) {
			second := m.RowGroups[0]
			second.Columns = slices.Clone(second.Columns)
			second.Columns[0].MetaData.DataPageOffset++
			m.RowGroups, m.NumRows = append(m.RowGroups, second), 2
		}), "two row groups have the same bytes, from 5 on"},
		"levels without end": {pageOf(forgedPage{body: levels(5, math.MaxInt32)}),
			"the levels of a page are longer than the page"},
		"levels of 64 bits":       {pageOf(forgedPage{body: levels(6, 1<<62)}), "the header of a page is damaged"},
		"levels of too many bits": {pageOf(forgedPage{body: levels(5, 1<<62)}), "the header of a page is damaged"},
		"empty":                   {nil, "0 bytes are no whole file"},
		"another kind":            {bytes.Repeat([]byte("a"), 100), "does not begin with PAR1"},
		"cut off":                 {whole[:len(whole)-1], "does not end with PAR1: it is cut off"},
		"encrypted":               {append(whole[:len(whole)-4:len(whole)-4], "PARE"...), "the file is encrypted"},
		"footer longer than file": {append(binary.LittleEndian.AppendUint32([]byte(magic), 100), magic...),
			"longer than the file"},
		"footer of zeros": {finish([]byte(magic), make([]byte, 100)), "the schema is incomplete"},
		"footer of a huge list": {finish([]byte(magic), []byte{0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f}),
			"the footer is damaged"},
		"footer of deep structs": {finish([]byte(magic), bytes.Repeat([]byte{0x9c}, 1<<20)), "the footer is damaged"},
		"deep schema":            {with(func(m *format.FileMetaData) { m.Schema = deep }), "more than 64 levels deep"},
		"wide schema":            {with(func(m *format.FileMetaData) { m.Schema = wide }), "more than 65536 columns"},
		"long names":             {with(func(m *format.FileMetaData) { m.Schema = names }), "bytes of names"},
		"schema without end": {with(func(m *format.FileMetaData) {
			m.Schema[0].NumChildren = some(int32(math.MaxInt32))
		}), "the schema is incomplete"},
		"two roots": {with(func(m *format.FileMetaData) { m.Schema = append(texts[:2:2], texts[1]) }),
			"more than one root"},
		"negative rows": {with(func(m *format.FileMetaData) { m.NumRows = -1 }), "-1 rows"},
		"more rows than groups": {with(func(m *format.FileMetaData) { m.NumRows = 2 }),
			"the file has 2 rows, and its row groups 1"},
		"fewer rows than groups": {with(func(m *format.FileMetaData) { m.NumRows = 0 }), "more rows than the file"},
		"no columns in the group": {with(func(m *format.FileMetaData) { m.RowGroups[0].Columns = nil }),
			"the column is missing"},
		"column in another file": {with(func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].FilePath = "/etc/passwd"
		}), "the column is in another file"},
		"another type": {chunk(func(m *format.ColumnMetaData) { m.Type = format.Int96 }),
			"another type than the schema"},
		"more values than rows": {chunk(func(m *format.ColumnMetaData) { m.NumValues = 1 << 60 }),
			"1 rows have 1152921504606846976 values"},
		"column behind the end": {chunk(func(m *format.ColumnMetaData) { m.DataPageOffset = 1 << 60 }),
			"not within the file"},
		"column before the file": {chunk(func(m *format.ColumnMetaData) { m.DataPageOffset = -8 }), "not within the file"},
		"column of negative size": {chunk(func(m *format.ColumnMetaData) { m.TotalCompressedSize = -1 }),
			"not within the file"},
		"column of no bytes": {chunk(func(m *format.ColumnMetaData) { m.TotalCompressedSize = 0 }), "unexpected EOF"},
		"unknown codec":      {chunk(func(m *format.ColumnMetaData) { m.Codec = 77 }), "the codec 77 is not known"},
		"codec of Hadoop":    {chunk(func(m *format.ColumnMetaData) { m.Codec = format.Lz4 }), "LZ4 is deprecated"},
		"page of a gigabyte": {pageOf(data(1, 1<<30, n, format.Plain, url)),
			"a page of 1073741824 bytes is larger than 134217728"},
		"page that claims 100 MB": {inCodec(format.Snappy, data(1, 100e6, n, format.Plain, url)),
			"another size than its header says"},
		"page stored in 100 MB":  {pageOf(data(1, 100e6, 100e6, format.Plain, url)), "unexpected EOF"},
		"page of negative size":  {pageOf(data(1, -1, n, format.Plain, url)), "the header of a page is damaged"},
		"zstd bomb":              {inCodec(format.Zstd, data(1, 1000, int32(len(zeros)), format.Plain, zeros)), "size"},
		"more values than bytes": {pageOf(data(1e6, n, n, format.Plain, url)), "a page is damaged"},
		"text longer than page": {pageOf(data(1, 8, 8, format.Plain, []byte("\xff\xff\xff\xffhttp"))),
			"a page is damaged"},
		"dictionary is missing": {pageOf(one), "dictionary that is missing"},
		"encoding of another type": {pageOf(data(1, n, n, format.ByteStreamSplit, url)),
			"an encoding that is not known for its type"},
		"delta without blocks": {pageOf(data(9, 5, 5, format.DeltaLengthByteArray, []byte{0x80, 1, 0, 9, 0})),
			"a page is damaged"},
		"delta of a huge count": {pageOf(data(9, 14, 14, format.DeltaLengthByteArray,
			append(binary.AppendUvarint([]byte{0x80, 1, 4}, math.MaxUint64>>1), 0, 0))), "a page is damaged"},
		"delta of too many counts": {pageOf(equalDeltas(maxDelta + 1)), "a page is damaged"},
		"footer of many elements": {finish([]byte(magic), append(binary.AppendUvarint([]byte{0x49, 0xfc}, maxElements+1),
			make([]byte, maxElements+2)...)), "more than 1048576 elements"},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			took := allocated(func() {
				var f *File
				if f, err = Open(bytes.NewReader(c.file), int64(len(c.file))); err == nil {
					_, err = readLines(t, f, Options{URL: "url"})
				}
			})
			if err == nil || !strings.HasPrefix(err.Error(), "Parquet: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if took > 160<<20 {
				t.Errorf("%d bytes were allocated", took)
			}
		})
	}
}

// dictionaryOf is a page of one value, and allTheFirst a page of n values that are this one.
func dictionaryOf(value []byte) forgedPage {
	body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(value))), value...)
	return forgedPage{format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: int32(len(body)),
		CompressedPageSize:   int32(len(body)),
		DictionaryPageHeader: some(format.DictionaryPageHeader{NumValues: 1, Encoding: format.Plain})}, body}
}

func allTheFirst(n int32) forgedPage {
	body := append(binary.AppendUvarint([]byte{1}, uint64(n)<<1), 0)
	return data(n, int32(len(body)), int32(len(body)), format.RLEDictionary, body)
}

// equalDeltas is a page of n lengths of texts, in blocks of 65,536 equal ones that have two bytes.
func equalDeltas(n int) forgedPage {
	body := append(binary.AppendUvarint([]byte{0x80, 0x80, 4, 1}, uint64(n)), 0)
	body = append(body, make([]byte, n>>16*2+2)...)
	return data(int32(n), int32(len(body)), int32(len(body)), format.DeltaLengthByteArray, body)
}

// TestManyValues reads millions of values from files of a few kilobytes: files of 16 MB up to a
// limit, in the memory of a page.
func TestManyValues(t *testing.T) {
	compressed, _ := zstd.NewWriter(nil)
	zipped := func(p forgedPage) forgedPage {
		p.body = compressed.EncodeAll(p.body, nil)
		p.header.CompressedPageSize = int32(len(p.body))
		return p
	}
	for name, c := range map[string]struct {
		forged
		size, memory int64
		want         string // the error
	}{
		"equal values": {forged{rows: 20e6, pages: []forgedPage{dictionaryOf([]byte("a")), allTheFirst(20e6)}},
			40e6, 4 << 20, ""},
		"as many equal lengths as may be decoded at once": {
			forged{rows: maxDelta, pages: []forgedPage{equalDeltas(maxDelta)}}, maxDelta, maxPage, ""},
		"long values": {forged{rows: 1e7, codec: format.Zstd,
			pages: []forgedPage{zipped(dictionaryOf(make([]byte, 1<<24))), zipped(allTheFirst(1e7))}},
			0, 1 << 30, "it becomes more than 107"},
	} {
		file, size, err := open(t, c.file(t)), int64(0), error(nil)
		took := allocated(func() {
			r, e := file.Lines(context.Background(), Options{URL: "url"})
			if err = e; e == nil {
				size, err = io.Copy(io.Discard, r)
			}
		})
		if c.want == "" && (size != c.size || err != nil) || c.want != "" && (size > 1<<31 || err == nil ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %d bytes, error %v", name, size, err)
		}
		if took > uint64(c.memory) {
			t.Errorf("%s: %d bytes were allocated", name, took)
		}
	}
}

// TestDamage flips a bit of every byte of a file, and of some bytes of compressed files. The file
// must be read completely or give an error.
func TestDamage(t *testing.T) {
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			file, step := small(t, codec, 2), 17
			if name == "plain" {
				step = 2
			}
			for i := 0; i < len(file); i += step {
				damaged := bytes.Clone(file)
				damaged[i] ^= 1 << (i % 8)
				readAll(t, damaged)
			}
		})
	}
}

// readAll reads all columns of a file in all ways, up to 100,000 bytes, and checks what it can.
func readAll(t testing.TB, file []byte) {
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return
	}
	var names []string
	for _, c := range f.Columns() {
		r, err := f.Lines(context.Background(), Options{URL: c.Name, Date: c.Name})
		if err != nil {
			continue
		}
		names = append(names, c.Name)
		text, err := io.ReadAll(io.LimitReader(r, 1e5))
		if lines := int64(bytes.Count(text, []byte("\n"))); err == nil && len(text) < 1e5 && lines != f.rows {
			t.Fatalf("%s: %d lines of %d rows", c.Name, lines, f.rows)
		}
		r.Close()
	}
	rows, err := f.Select(context.Background(), names...)
	if err != nil {
		return
	}
	left := 1000
	for row, err := range rows {
		if left--; left == 0 || err != nil {
			break
		}
		if len(row) != len(names) {
			t.Fatal(row)
		}
	}
}

// FuzzColumnar changes the pages and the footer of files separately.
func FuzzColumnar(f *testing.F) {
	for _, codec := range codecs {
		for version := 1; version <= 2; version++ {
			file := small(f, codec, version)
			footer := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
			f.Add(file[:footer], file[footer:len(file)-8])
		}
	}
	f.Fuzz(func(t *testing.T, pages, footer []byte) { readAll(t, finish(bytes.Clone(pages), footer)) })
}

// failing is a file of which the bytes from a place to the footer cannot be read.
type failing struct {
	*bytes.Reader
	from, footer int64
}

var errDisk = errors.New("the disk is broken")

func (f failing) ReadAt(b []byte, at int64) (int, error) {
	if at >= f.footer || at+int64(len(b)) <= f.from {
		return f.Reader.ReadAt(b, at)
	}
	n, _ := f.Reader.ReadAt(b[:max(f.from-at, 0)], at)
	return n, errDisk
}

// panicking is a file in which everything before the footer makes the reader panic.
type panicking struct{ failing }

func (p panicking) ReadAt(b []byte, at int64) (int, error) {
	if n, err := p.failing.ReadAt(b, at); err == nil {
		return n, nil
	}
	panic("a count is wrong")
}

// TestPanic checks that a panic in the library becomes an error.
func TestPanic(t *testing.T) {
	file := small(t, codecs["plain"], 2)
	footer := int64(len(file)-8) - int64(binary.LittleEndian.Uint32(file[len(file)-8:]))
	f, err := Open(panicking{failing{bytes.NewReader(file), 4, footer}}, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = readLines(t, f, Options{URL: "url"}); err == nil ||
		err.Error() != `Parquet: column "url", row group 1: it cannot be decoded: a count is wrong` {
		t.Error(err)
	}
}

// TestReadErrors makes reads fail at places of a file, and expects the disk's error from at least one column.
func TestReadErrors(t *testing.T) {
	file := write(t, pagesOf(500), parquet.PageBufferSize(4<<10))
	footer := int64(len(file)-8) - int64(binary.LittleEndian.Uint32(file[len(file)-8:]))
	for from := int64(4); from < footer/2; from += 1999 {
		f, err := Open(failing{bytes.NewReader(file), from, footer}, int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		failures := 0
		for _, c := range f.Columns() {
			_, err := readLines(t, f, Options{URL: c.Name})
			if errors.Is(err, errDisk) {
				failures++
			} else if err != nil && !c.List && c.Name != "bool" {
				t.Errorf("from %d: %s: %v", from, c.Name, err)
			}
		}
		if failures == 0 {
			t.Errorf("from %d: no error", from)
		}
	}
}

func TestContext(t *testing.T) {
	f := open(t, write(t, pagesOf(20_000)))
	ctx, cancel := context.WithCancel(context.Background())
	r, err := f.Lines(ctx, Options{URL: "plain"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if rest, err := io.ReadAll(r); !errors.Is(err, context.Canceled) || len(rest) > batch+100 {
		t.Error(len(rest), err)
	}
	rows, err := f.Select(ctx, "plain")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range rows {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}
