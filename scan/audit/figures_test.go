package audit

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// Versions have their robots.txt and its hash.
func TestVersionsHaveTheirFile(t *testing.T) {
	r := auditEntries(t, stateAuditor(t), entry{vhost: "example.com:443"})
	files := 0
	for _, v := range r.Policy.Versions {
		want := ""
		if v.Status == 200 {
			want = fmt.Sprintf("%x", sha256.Sum256(v.Body))
			files++
		}
		if v.SHA256 != want || int64(len(v.Body)) != max(v.Bytes, 0) || (v.Body == nil) != (want == "") {
			t.Errorf("%+v", v)
		}
	}
	if files == 0 {
		t.Error("no version has a file")
	}
}
