package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// archived is a file to be put into an archive.
type archived struct {
	name string
	data []byte
	kind byte // of a tar; 0 is a regular file
}

func tarOf(t testing.TB, files ...archived) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.data)), Typeflag: f.kind}
		if f.kind != 0 {
			h.Size, h.Linkname = 0, "elsewhere"
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			w.Write(f.data)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t testing.TB, method uint16, files ...archived) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		m, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		m.Write(f.data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archives are archives of some files, by their names.
func archives(t testing.TB, files ...archived) map[string][]byte {
	plain := tarOf(t, files...)
	return map[string][]byte{
		"a.tar": plain, "a.tar.gz": gz(t, plain), "a.tgz": gz(t, plain[:700], plain[700:]), "noname": gz(t, plain),
		"a.tar.zst": zst(t, plain), "a.tar.xz": xzs(t, plain),
		"stored.zip": zipOf(t, zip.Store, files...), "deflated.zip": zipOf(t, zip.Deflate, files...),
	}
}

func found(t testing.TB, name string) []*Input {
	t.Helper()
	ins, warnings, errs := Inputs(context.Background(), []string{name}, nil, Limits{})
	if len(warnings)+len(errs) > 0 {
		t.Fatalf("%s: warnings %q, errors %v", name, warnings, errs)
	}
	return ins
}

// TestMembersAreInputs checks that each member of each kind of archive has its own name, bytes,
// head and result.
func TestMembersAreInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	long := bytes.Repeat([]byte("a line of a log that is long enough\n"), 20_000)
	text := map[string][]byte{"logs/a.log": []byte("first\nsecond\n"), "logs/b.log": long, "logs/c.log": {},
		"d.log": []byte("no end"), "logs/b.log.2.gz": long[:1000], "logs/b.log.1": []byte("older\n")}
	files := []archived{
		{"logs/a.log", text["logs/a.log"], 0}, {"logs/b.log", long, 0}, {"logs/", nil, tar.TypeDir}, {"logs/c.log", nil,
			0},
		{"d.log", text["d.log"], 0}, {"logs/b.log.2.gz", gz(t, long[:1000]), 0}, {"logs/b.log.1", []byte("older\n"), 0},
		{"logs/._a.log", []byte("hidden"), 0}, {".git/log", []byte("hidden"), 0}, {"__MACOSX/logs/a.log",
			[]byte("hidden"), 0},
	}
	const want = "d.log logs/a.log logs/b.log.2.gz logs/b.log.1 logs/b.log logs/c.log"
	codecs := map[string]string{"a.tar": "plain", "a.tar.gz": "gzip", "a.tgz": "gzip", "noname": "gzip",
		"a.tar.zst": "zstd", "a.tar.xz": "xz", "stored.zip": "plain", "deflated.zip": "deflate"}
	all := archives(t, slices.DeleteFunc(slices.Clone(files), func(f archived) bool { return f.kind != 0 })...)
	all["a.tar"] = tarOf(t, files...)
	for name, data := range all {
		put(t, name, data)
		for _, inOrder := range []bool{false, true} {
			ins := found(t, name)
			if got := strings.ReplaceAll(names(ins), name+":", ""); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			for _, in := range ins {
				content := text[strings.TrimPrefix(in.Name, name+":")]
				head, err := in.Head(1000)
				if !bytes.Equal(head, content[:min(len(content), 1000)]) || err != nil {
					t.Errorf("%s: the head is %q, %v", in.Name, clip(head), err)
				}
				if sum, err := in.Sum(); sum != sha256.Sum256(content) || err != nil {
					t.Errorf("%s: sum %x, %v", in.Name, sum, err)
				}
				in.Hash = true
			}
			o := Options{ChunkSize: 4096, Workers: 2, InOrder: inOrder}
			got, res := readAll(t, ins, o, 2)
			for i, in := range ins {
				member := strings.TrimPrefix(in.Name, name+":")
				check(t, text[member], got[i], o)
				codec := codecs[name]
				if strings.HasSuffix(member, ".gz") {
					codec = strings.TrimPrefix(codec+"+gzip", "plain+")
				}
				if !res[i].Complete || res[i].Err != nil || res[i].Codec != codec || res[i].Disk != in.Size {
					t.Errorf("%s: %+v, of %d bytes", in.Name, res[i], in.Size)
				}
				k := slices.IndexFunc(files, func(f archived) bool { return f.name == member })
				if sum := sha256.Sum256(files[k].data); !bytes.Equal(res[i].Sum, sum[:]) {
					t.Errorf("%s: SHA-256 %x, not the member's", in.Name, res[i].Sum)
				}
			}
		}
	}
}

// put writes a file into the current directory.
func put(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCompressedTarIsReadOnce checks that its members are found in one pass, and read from the
// spool.
func TestCompressedTarIsReadOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	var files []archived
	for i := range 100 {
		files = append(files, archived{fmt.Sprintf("%03d.log", i), bytes.Repeat([]byte("line\n"), i*1000), 0})
	}
	put(t, "a.tar.gz", gz(t, tarOf(t, files...)))
	for _, inOrder := range []bool{false, true} {
		opened := 0
		restore := disk.Inject(func(op disk.Op, name string) error {
			if op == disk.OpOpen && strings.HasSuffix(name, "a.tar.gz") {
				opened++
			}
			return nil
		})
		ins := found(t, "a.tar.gz")
		if head, err := ins[99].Head(300_000); len(head) != 300_000 || err != nil {
			t.Error(len(head), err)
		}
		ins = slices.Delete(ins, 10, 30) // members may be left out
		got, res := readAll(t, ins, Options{Workers: 2, InOrder: inOrder}, 2)
		if opened != 2 { // once to see what it is
			t.Errorf("opened %d times", opened)
		}
		for i, in := range ins {
			k := slices.IndexFunc(files, func(f archived) bool { return strings.HasSuffix(in.Name, f.name) })
			if !res[i].Complete || !bytes.Equal(joined(got[i]), files[k].data) {
				t.Errorf("%+v", res[i])
			}
		}
		restore()
	}
}

// TestSpoolsHaveTheirRoom checks that the members of a compressed tar beyond the spool's budget are
// an error with advice, and that those before are read.
func TestSpoolsHaveTheirRoom(t *testing.T) {
	t.Chdir(t.TempDir())
	random := []byte(randomText(1 << 20))
	put(t, "a.tar.gz", gz(t, tarOf(t, archived{"a", []byte("a\n"), 0}, archived{"b", random, 0},
		archived{"c", nil, 0})))
	in := file(t, "a.tar.gz")
	in.codec.Store(int32(sniff.Gzip))
	var left atomic.Int64
	left.Store(100_000 - spoolFactor*in.Size)
	c := in.contents(t.Context(), newRoom(0), &spool{left: &left})
	if len(c.members) != 1 || left.Load() > 100_000-20 || !errors.Is(c.err, errSpool) {
		t.Fatal(len(c.members), c.err)
	}
	restore := disk.Inject(func(_ disk.Op, name string) error {
		if name == os.TempDir() || filepath.Dir(name) == os.TempDir() {
			return fs.ErrPermission
		}
		return nil
	})
	defer restore()
	ins, _, errs := Inputs(t.Context(), []string{"a.tar.gz"}, nil, Limits{})
	if len(errs) != 1 || !errors.Is(errs[0], errSpool) || !strings.HasSuffix(errs[0].Error(), "permission denied)") {
		t.Error(names(ins), errs)
	}
}

// TestDamagedArchives checks that everything before the damage is read, that an error names the
// archive or the member, and that each member that isn't an input is named.
func TestDamagedArchives(t *testing.T) {
	t.Chdir(t.TempDir())
	random := []byte(randomText(50_000))
	log := archived{"a.log", []byte("a\n"), 0}
	files := []archived{log, {"b.log", random, 0}, {"c.log", []byte("a\n"), 0}}
	plain := tarOf(t, files...)
	flipped := slices.Clone(zipOf(t, zip.Deflate, files...))
	flipped[20_000] ^= 1
	header := slices.Clone(plain)
	copy(header[len(plain)-2048:], "damaged") // the name in the header of c.log
	broken, inner := gz(t, plain), tarOf(t, log)
	encrypted := zipOf(t, zip.Store, archived{"secret.log", []byte("x\n"), 0}, log)
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1 // in the entry of the directory
	strange := zipOf(t, zip.Store, archived{"strange.log", []byte("x\n"), 0}, log)
	strange[bytes.Index(strange, []byte("PK\x01\x02"))+10] = 14 // LZMA
	const all, after = "a.log b.log c.log", "data after the end of the "
	const cut, missing = "in or after the member b.log: unexpected EOF", "unexpected EOF"
	for name, c := range map[string]struct {
		data []byte
		// names of members, a warning and an error of Inputs, and what the error of b.log ends in; "" is none
		found, warns, errs, ends string
	}{
		"cut.tar":      {plain[:20_000], "a.log b.log", "", "cut.tar: " + cut, missing},
		"cut.tar.gz":   {broken[:20_000], "a.log b.log", "", "cut.tar.gz: " + cut, missing},
		"header.tar":   {header, "a.log b.log", "", "in or after the member b.log: archive/tar: invalid tar header", ""},
		"two.tar":      {slices.Concat(plain, plain), all, "", "two.tar: " + after + "archive", ""},
		"two.tar.gz":   {gz(t, plain, plain), all, "", "two.tar.gz: " + after + "archive", ""},
		"rest.tar.gz":  {append(gz(t, plain), "text"...), all, "", after + "compressed data", ""},
		"flipped.zip":  {flipped, all, "", "", "checksum error"},
		"cut.zip":      {flipped[:20_000], "", "", "a zip archive without a sound directory, which is at its end: it may be", ""},
		"empty.tar.gz": {gz(t, tarOf(t, archived{"folder/", nil, tar.TypeDir})), "", "", "no files in this tar archive", ""},
		"empty.zip":    {zipOf(t, zip.Store), "", "", "no files in this zip archive", ""},
		"links.tar": {tarOf(t, log, archived{"s", nil, tar.TypeSymlink}, archived{"h", nil, tar.TypeLink},
			archived{"p", nil, tar.TypeFifo}, archived{"c", nil, tar.TypeChar}, archived{"d/", nil, tar.TypeDir}),
			"a.log", "links.tar: s, h, p and 1 more: a link or a device, so its bytes are not in the archive", "", ""},
		"twice.tar": {tarOf(t, archived{"a.log", []byte("old\n"), 0}, log), "a.log",
			"twice.tar: a.log: replaced by a later member of that name, as unpacking does", "", ""},
		"noend.tar": {inner[:1024], "a.log",
			"noend.tar: the end mark: missing, so the archive may have been cut off between two members", "", ""},
		"encrypted.zip": {encrypted, "a.log", "", "encrypted.zip: secret.log: encrypted: unpack it", ""},
		"strange.zip": {strange, "a.log", "",
			"strange.zip: strange.log: compressed by LZMA, which is not supported in a zip: unpack it", ""},
		"names.tar": {tarOf(t, archived{"../../etc/passwd", []byte("a\n"), 0}, archived{"/abs", []byte("a\n"), 0},
			archived{"./x", []byte("a\n"), 0}, archived{"new\nline", []byte("a\n"), 0},
			archived{strings.Repeat("n", 5000), nil, 0}),
			"../../etc/passwd /abs new\nline x", "", "a name of more than 4096 bytes", ""},
	} {
		put(t, name, c.data)
		ins, warnings, errs := Inputs(t.Context(), []string{name}, nil, Limits{})
		want := strings.Split(c.found, " ")
		slices.SortFunc(want, compareNames)
		if got := strings.ReplaceAll(names(ins), name+":", ""); got != strings.Join(want, " ") ||
			strings.Join(warnings, "\n") != c.warns {
			t.Errorf("%s: %q, want %q; %q", name, got, want, warnings)
		}
		if text := fmt.Sprint(errs); (len(errs) > 0) != (c.errs != "") || !strings.Contains(text, c.errs) {
			t.Errorf("%s: errors %v, want %s", name, errs, c.errs)
		}
		if len(ins) == 0 {
			continue
		}
		got, res := readAll(t, ins, Options{}, 2)
		for i, r := range res {
			content := []byte("a\n")
			if strings.HasSuffix(r.Name, "b.log") {
				content = random
			}
			b := joined(got[i])
			switch {
			case &content[0] != &random[0] || c.ends == "":
				if !r.Complete || !bytes.Equal(b, content) {
					t.Errorf("%s: %+v", r.Name, r)
				}
			case r.Err == nil || !strings.HasPrefix(r.Err.Error(), r.Name) || !strings.HasSuffix(r.Err.Error(), c.ends) ||
				r.Complete:
				t.Errorf("%s: error %v, want one of %s", r.Name, r.Err, c.ends)
			case len(b) < 10_000 || c.ends == missing && !bytes.HasPrefix(content, b):
				t.Errorf("%s: %d bytes before the damage", r.Name, len(b))
			}
		}
	}
}

// TestArchivesThatAreRefused has an archive inside an archive, in a pipe, and a compressed zip, for
// Head and the Reader.
func TestArchivesThatAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	inner := tarOf(t, archived{"x.log", []byte("x\n"), 0})
	zipped := zipOf(t, zip.Deflate, archived{"x.log", []byte("x\n"), 0})
	files := []archived{{"a.log", []byte("a\n"), 0}, {"in.tar", inner, 0}, {"in.tar.gz", gz(t, inner), 0},
		{"in.zip", zipped, 0}}
	var refused []func() []*Input
	for name, data := range archives(t, files...) {
		put(t, name, data)
		refused = append(refused, func() []*Input {
			return slices.DeleteFunc(found(t, name), func(in *Input) bool {
				return strings.HasSuffix(in.Name, "a.log")
			})
		})
	}
	put(t, "zip.gz", gz(t, zipped))
	refused = append(refused, func() []*Input { return found(t, "zip.gz") })
	for _, data := range [][]byte{inner, gz(t, inner), zipped} {
		refused = append(refused, func() []*Input {
			ins, _, _ := Inputs(t.Context(), []string{"-"}, bytes.NewReader(data), Limits{})
			return ins
		})
	}
	for _, inputs := range refused {
		for _, in := range inputs() {
			if _, err := in.Head(10); err == nil || !strings.HasPrefix(err.Error(), in.Name+": a ") ||
				!strings.Contains(err.Error(), " archive") {
				t.Errorf("%s: error %v", in.Name, err)
			}
		}
		ins := inputs()
		got, res := readAll(t, ins, Options{}, 2)
		for i, r := range res {
			if len(joined(got[i])) > 0 || r.Complete || r.Err == nil ||
				!strings.HasPrefix(r.Err.Error(), r.Name+": a ") {
				t.Errorf("%+v", r)
			}
		}
	}
	// Without Inputs, and with Limits.Closed, an archive is the bytes that it is.
	closed, _, _ := Inputs(t.Context(), []string{"a.tar"}, nil, Limits{Closed: true})
	for _, in := range []*Input{NewInput("-", bytes.NewReader(inner), -1), file(t, "a.tar"), closed[0]} {
		if head, err := in.Head(5); err != nil || len(head) != 5 {
			t.Errorf("%q, %v", head, err)
		}
	}
}

// TestChangedArchive checks that members of a replaced file aren't read from the new one.
func TestChangedArchive(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.tar", "deflated.zip"} {
		put(t, name, archives(t, archived{"a.log", []byte("a\n"), 0})[name])
		ins := found(t, name)
		put(t, name, archives(t, archived{"b.log", []byte("another\n"), 0},
			archived{"c.log", nil, 0})[name])
		if err := os.Chtimes(name, time.Now(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, res := readAll(t, ins, Options{}, 1); !errors.Is(res[0].Err, errChanged) {
			t.Errorf("%s: %v", name, res[0].Err)
		}
	}
}

// TestHostileZips has members with shared bytes, false sizes, and a directory that exceeds the
// memory.
func TestHostileZips(t *testing.T) {
	t.Chdir(t.TempDir())
	text := bytes.Repeat([]byte("a line\n"), 1000)
	data := zipOf(t, zip.Deflate, archived{"a.log", text, 0}, archived{"b.log", text, 0})
	entry := func(n int) []byte { // of the directory
		at := 0
		for range n + 1 {
			at += bytes.Index(data[at+1:], []byte("PK\x01\x02")) + 1
		}
		return data[at:]
	}
	copy(entry(1)[42:46], entry(0)[42:46]) // where its header is
	put(t, "overlap.zip", data)
	ins, _, errs := Inputs(t.Context(), []string{"overlap.zip"}, nil, Limits{})
	if names(ins) != "overlap.zip:a.log" ||
		!strings.Contains(fmt.Sprint(errs), "b.log: it shares its bytes with another member") {
		t.Error(names(ins), errs)
	}
	for _, size := range []byte{10, 0xff} {
		data = zipOf(t, zip.Deflate, archived{"a.log", text, 0})
		entry(0)[24] = size
		put(t, "size.zip", data)
		if _, res := readAll(t, found(t, "size.zip"), Options{}, 1); res[0].Complete ||
			!strings.Contains(fmt.Sprint(res[0].Err), "another size") {
			t.Errorf("%+v", res[0])
		}
	}
	var many []archived
	for i := range 20_000 {
		many = append(many, archived{fmt.Sprint(i), nil, 0})
	}
	put(t, "many.zip", zipOf(t, zip.Store, many...))
	if ins, _, errs := Inputs(t.Context(), []string{"many.zip"}, nil, Limits{Memory: 1 << 20}); len(ins) > 0 ||
		len(errs) != 1 || !errors.Is(errs[0], ErrRoom) {
		t.Error(len(ins), errs)
	}
}

// TestManyMembersStayInTheRoom checks that hundreds of thousands of empty members in a small
// archive stay within the list's budget.
func TestManyMembersStayInTheRoom(t *testing.T) {
	t.Chdir(t.TempDir())
	header := tarOf(t, archived{"empty.log", nil, 0})[:tarBlock]
	var zipped bytes.Buffer
	block := bytes.Repeat(header, 1000)
	w := gzip.NewWriter(&zipped)
	for range 300 {
		w.Write(block)
	}
	w.Close()
	put(t, "many.tar.gz", zipped.Bytes())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const memory = 10 << 20
	ins, _, errs := Inputs(t.Context(), []string{"many.tar.gz", "many.tar.gz"}, nil, Limits{Memory: memory})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(errs) != 1 || !errors.Is(errs[0], ErrRoom) {
		t.Error(errs)
	}
	if got := int64(after.HeapAlloc) - int64(before.HeapAlloc); got > memory {
		t.Errorf("%d bytes", got)
	}
	runtime.KeepAlive(ins)
}

// TestFindingMembersEndsWithItsContext checks cancellation, because decompressing a tar may take
// minutes.
func TestFindingMembersEndsWithItsContext(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, data := range archives(t, archived{"a.log", bytes.Repeat([]byte("a\n"), 1000), 0}) {
		put(t, name, data)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if ins, _, errs := Inputs(ctx, []string{name}, nil, Limits{}); len(ins) != 0 || len(errs) != 1 ||
			!errors.Is(errs[0], context.Canceled) {
			t.Error(names(ins), errs)
		}
	}
}

// FuzzArchives checks that no bytes cause a panic, a hang or an unreported loss of a member.
func FuzzArchives(f *testing.F) {
	files := []archived{{"a.log", []byte("a line\n"), 0}, {"b.gz", gz(f, []byte("b\n")), 0},
		{"l", nil, tar.TypeSymlink}}
	for _, data := range archives(f, files[:2]...) {
		f.Add(data)
	}
	f.Add(tarOf(f, files...))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := write(t, "archive", data)
		ins, warnings, errs := Inputs(t.Context(), []string{name}, nil, Limits{Memory: 1 << 20})
		if len(ins)+len(warnings)+len(errs) == 0 {
			t.Error("neither inputs nor errors")
		}
		for _, in := range ins {
			_, _ = in.Head(100)
		}
		if len(ins) == 0 {
			return
		}
		_, res := readAll(t, ins, Options{ChunkSize: 512, MaxLine: 1024}, 2)
		for _, r := range res {
			if r.Complete == (r.Err != nil) {
				t.Errorf("%+v", r)
			}
		}
	})
}
