package evidence

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// Compare compares the folder with one that was made again, which has the manifest m, not written
// yet. What differs is told in sentences. Files are compared by their bytes, compressed ones
// decompressed.
func (f *Folder) Compare(ctx context.Context, made *Writer, m Manifest) (failed []string, err error) {
	listed, again := map[string]File{}, map[string]bool{}
	for _, file := range f.Manifest.Files {
		listed[file.Name] = file
	}
	m.Schema, m.Files = Schema, []File{}
	for _, file := range made.files {
		again[file.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(again)) {
		if err := ctx.Err(); err != nil {
			return failed, err
		}
		file, is := listed[name]
		if !is {
			failed = append(failed, name+" is missing: what the folder rests on makes this file")
			continue
		}
		m.Files = append(m.Files, file)
		given, err := contentSum(f.path(name), compressed(name))
		if err != nil {
			return failed, err
		}
		sum, err := contentSum(made.Path(name), compressed(name))
		if err != nil {
			return failed, err
		}
		if given != sum {
			failed = append(failed, name+" is not the file that is made again of what the folder rests on")
		}
	}
	for _, file := range f.Manifest.Files {
		if !again[file.Name] {
			failed = append(failed, file.Name+" is one file more than what the folder rests on makes")
		}
	}
	manifest, err := m.marshal()
	if err != nil {
		return failed, err
	}
	if at := differentField(f.manifest, manifest); at != "" {
		failed = append(failed, fmt.Sprintf("%s: %s is not what is found again", manifestName, at))
	}
	return failed, nil
}

// contentSum returns the SHA-256 of a file, of a compressed one that of its content. It is empty if
// the file is not compressed as Create does it.
func contentSum(path string, compressed bool) (string, error) {
	file, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if !compressed {
		_, err := io.Copy(sum, file)
		return string(sum.Sum(nil)), err
	}
	r, err := gzip.NewReader(file)
	if err == nil && r.Name == "" && r.Comment == "" && len(r.Extra) == 0 {
		_, err = io.Copy(sum, r)
		if err == nil {
			return string(sum.Sum(nil)), nil
		}
	}
	return "", nil //nolint:nilerr // whatever it is, it is not the file that was written
}

// differentField names the first field of a manifest that is not as it was made again; empty if
// there is none. Blanks between values do not count, nor does the order of fields.
func differentField(given, made []byte) string {
	var a, b map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(given, &a), json.Unmarshal(made, &b)); err != nil {
		return err.Error()
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	size := len("{}") - len(",")
	for _, name := range slices.Compact(names) {
		if !bytes.Equal(canonical(a[name]), canonical(b[name])) {
			return name
		}
		size += len(`"":,`) + len(name) + len(canonical(a[name]))
	}
	var short bytes.Buffer
	if _ = json.Compact(&short, given); short.Len() != size {
		return "a field that it has twice"
	}
	return ""
}

// canonical returns a value with its fields in order; nil if it is none, or has a field twice.
func canonical(value json.RawMessage) []byte {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	var short bytes.Buffer
	err := errors.Join(d.Decode(&v), json.Compact(&short, value))
	if text, _ := json.Marshal(v); err == nil && len(text) == short.Len() {
		return text
	}
	return nil
}
