package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The same lines make the same bytes, whatever worker reads which of them, in whatever order and with however
// little memory: of crawlers whose counts are equal in two workers, whose names are spelt in several ways, and
// of more lines and names than are kept.
func TestStateOfAnyWorkersHasTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 4))
	lines := stateLog(rng, 3000)
	for n := range 6000 {
		name := fmt.Sprintf("Name%dBot", rng.IntN(700))
		if rng.IntN(3) == 0 {
			name = strings.ToUpper(name)
		}
		lines = append(lines, entry{vhost: fmt.Sprintf("h%d.example", n%1500), addr: fmt.Sprintf("192.0.2.%d", n%200),
			time: at(rng.IntN(20 * day0)), agent: name + "/1.0 (+http://bots.example/)",
			target: fmt.Sprintf("/archive/%d", rng.IntN(300))}.String())
	}
	twice := strings.ReplaceAll(lines[len(lines)-1], "Bot/1.0", "TwinBot/1.0")
	lines = append(lines, twice, twice, twice)
	var want []byte
	for i, workers := range []int{1, 1, 2, 3, 7} {
		a := stateAuditor(t)
		if i > 0 {
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			a.config.Memory = 1 << 20
		}
		run := begin(t, a)
		var list []*Worker
		for range workers {
			list = append(list, run.Worker())
		}
		for chunk := range slices.Chunk(lines, 250) {
			list[rng.IntN(workers)].Chunk(byName(t, "vhost_combined"), nil, []byte(strings.Join(chunk, "\n")))
		}
		var b bytes.Buffer
		if err := run.WriteState(&b, []byte("head")); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = b.Bytes()
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%d workers: %d bytes that differ from the %d of one", workers, b.Len(), len(want))
		}
	}
}
