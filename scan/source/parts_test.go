package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// members returns texts as members of gzip, and each member.
func members(t testing.TB, texts ...string) (all []byte, each [][]byte) {
	for _, text := range texts {
		each = append(each, gz(t, []byte(text)))
	}
	return bytes.Join(each, nil), each
}

// asFile and asPipe are the two ways in which an input may come.
func asFile(t testing.TB, data []byte) *Input { return file(t, write(t, "input", data)) }

func asPipe(_ testing.TB, data []byte) *Input { return NewInput("-", bytes.NewReader(data), -1) }

// randomText returns bytes that cannot be compressed.
func randomText(n int) string {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b)
	return string(b)
}

// readParts returns the decoded bytes of each part, and what Member returns; "?" stands for a
// member that is not known.
func readParts(p *Parts) (texts, raw []string, err error) {
	for {
		if err := p.Next(); err != nil {
			if isEOF(err) {
				err = nil
			}
			return texts, raw, err
		}
		text, err := io.ReadAll(p)
		texts = append(texts, string(text))
		if err != nil {
			return texts, raw, err
		}
		member, ok := p.Member()
		if !ok {
			raw = append(raw, "?")
			continue
		}
		data, err := io.ReadAll(member)
		if err != nil {
			return texts, raw, err
		}
		raw = append(raw, string(data))
	}
}

// TestPartsAreTheMembersOfGzip checks that the parts have the bytes of the input, even if they are
// long and if Head has read the first.
func TestPartsAreTheMembersOfGzip(t *testing.T) {
	texts := []string{"first\nline\n", "", "b", strings.Repeat("long ", 300_000), randomText(600_000), "last"}
	data, each := members(t, texts...)
	for name, open := range map[string]func(testing.TB, []byte) *Input{"file": asFile, "pipe": asPipe} {
		for _, head := range []int{0, 1, 6} {
			t.Run(fmt.Sprintf("%s/head=%d", name, head), func(t *testing.T) {
				in := open(t, data)
				if _, err := in.Head(head); err != nil && head > 0 {
					t.Fatal(err)
				}
				p, err := in.OpenParts(1 << 20)
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				got, raw, err := readParts(p)
				if err != nil || !p.Compressed() || len(got) != len(texts) {
					t.Fatalf("%d parts of %d, error %v", len(got), len(texts), err)
				}
				for i := range texts {
					if got[i] != texts[i] || raw[i] != string(each[i]) {
						t.Errorf("part %d: %d bytes of %d, member of %d bytes of %d", i, len(got[i]), len(texts[i]),
							len(raw[i]), len(each[i]))
					}
				}
			})
		}
	}
}

// TestAMemberThatIsTooLongToKeep checks that such a member is read again from a file, and
// unavailable from a pipe, and that the next one is available.
func TestAMemberThatIsTooLongToKeep(t *testing.T) {
	data, each := members(t, "a", randomText(2<<20), "z")
	for name, c := range map[string]struct {
		open func(testing.TB, []byte) *Input
		want string
	}{"file": {asFile, string(each[1])}, "pipe": {asPipe, "?"}} {
		p, err := c.open(t, data).OpenParts(1000)
		if err != nil {
			t.Fatal(err)
		}
		_, raw, err := readParts(p)
		if err != nil || len(raw) != 3 || raw[0] != string(each[0]) || raw[1] != c.want || raw[2] != string(each[2]) {
			t.Errorf("%s: %d members, error %v", name, len(raw), err)
		}
		if kept := cap(p.stream.raw.tape.bytes); kept > 4*rawBuffer {
			t.Errorf("%s: %d bytes are held", name, kept)
		}
		p.Close()
	}
}

// TestAnyOtherInputIsOnePart checks that other inputs have one part and no members; a plain file
// has sections.
func TestAnyOtherInputIsOnePart(t *testing.T) {
	p, err := asFile(t, []byte("0123456789")).OpenParts(100)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	texts, raw, err := readParts(p)
	if err != nil || len(texts) != 1 || texts[0] != "0123456789" || raw[0] != "?" || p.Compressed() {
		t.Fatalf("%q, %q, error %v", texts, raw, err)
	}
	part, ok := p.Section(3, 7)
	if text, err := io.ReadAll(part); !ok || err != nil || string(text) != "3456" {
		t.Errorf("%q, error %v", text, err)
	}
	pipe, err := asPipe(t, []byte("0123")).OpenParts(100)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := pipe.Section(0, 1); ok {
		t.Error("a pipe has a section")
	}
}

// TestDamagedMembers checks that everything before the damage is read, and that the error has its
// offset.
func TestDamagedMembers(t *testing.T) {
	data, each := members(t, "first", strings.Repeat("second ", 100), "third")
	for n := len(each[0]) + 1; n < len(each[0])+len(each[1]); n++ {
		p, err := asFile(t, data[:n]).OpenParts(1000)
		if err != nil {
			t.Fatal(err)
		}
		texts, raw, err := readParts(p)
		var where *Error
		if len(raw) != 1 || raw[0] != string(each[0]) || texts[0] != "first" || !errors.As(err, &where) ||
			where.Offset > int64(n) {
			t.Errorf("cut at %d: %q, error %v", n, texts, err)
		}
		p.Close()
	}
}

func TestOpenSaysWhereItBroke(t *testing.T) {
	r, err := NewInput("disk", failing([]byte("abc")), -1).Open()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); string(got) != "abc" || !errors.Is(err, errDisk) ||
		!strings.Contains(err.Error(), "disk: at byte 3") {
		t.Errorf("%q, error %v", got, err)
	}
	if _, err := (&Input{Name: "none", path: t.TempDir() + "/none", regular: true}).Open(); err == nil {
		t.Error("a file that is not there can be opened")
	}
}

// TestFirstErrorStays checks that an error after the first bytes, such as a connection reset,
// doesn't count as the end.
func TestFirstErrorStays(t *testing.T) {
	for _, text := range []string{"", "a", "a line\n", strings.Repeat("a line\n", 1000)} {
		for _, name := range []string{"-", "x.gz"} {
			once := io.MultiReader(strings.NewReader(text),
				iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab"))))
			in := NewInput(name, once, -1)
			head, failed := in.Head(10)
			r, err := in.Open()
			if err == nil {
				_, err = io.ReadAll(r)
				r.Close()
			}
			if !errors.Is(err, iotest.ErrTimeout) && !errors.Is(failed, iotest.ErrTimeout) {
				t.Errorf("%s, %d bytes: %q, %v, %v", name, len(text), head, failed, err)
			}
		}
	}
}

// TestNoHashOfAPart checks that inputs not read to the end, or without Hash and Check, have neither.
func TestNoHashOfAPart(t *testing.T) {
	whole := gz(t, []byte(strings.Repeat("line\n", 10_000)))
	broken := NewInput("-", failing([]byte("line\n")), -1)
	ins := []*Input{asFile(t, whole[:len(whole)-4]), asFile(t, []byte("line\n")), broken}
	for _, in := range []*Input{ins[0], ins[2]} {
		in.Hash, in.Check = true, true
	}
	_, res := readAll(t, ins, Options{}, 2)
	for i, r := range res {
		if r.Sum != nil || r.Check != nil {
			t.Errorf("%s: %x, %x", ins[i].Name, r.Sum, r.Check)
		}
	}
	shrunk := asFile(t, bytes.Repeat([]byte("line\n"), 1<<18))
	shrunk.Hash, shrunk.Check = true, true
	r := NewReader([]*Input{shrunk}, Options{Workers: 1, ChunkSize: 4096})
	for c, ok := r.Next(); ok; c, ok = r.Next() {
		if err := os.Truncate(shrunk.path, 5000); err != nil {
			t.Fatal(err)
		}
		r.Release(c)
	}
	if res := r.Result(0); res.Complete || res.Sum != nil || res.Check != nil {
		t.Errorf("%+v", res)
	}
}
