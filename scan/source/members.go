package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/scan/sniff"
)

// openArchives puts the members of each archive in its place. The archives are looked into at the
// same time, since those that are compressed must be decompressed for it.
func (v *resolver) openArchives(ctx context.Context) {
	files := v.ins
	opened := make([]*contents, len(files))
	var spoolLeft atomic.Int64
	spoolLeft.Store(spoolRoom)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(v.limits.Workers, 1), len(files)) {
		wg.Go(func() {
			spool := &spool{left: &spoolLeft}
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				opened[i] = files[i].look(ctx, v.room, spool)
			}
		})
	}
	wg.Wait()
	v.ins = nil
	for i, in := range files {
		in.lines = true
		if opened[i] == nil {
			v.ins = append(v.ins, in)
		} else {
			v.members(in, opened[i])
		}
	}
}

// look returns the contents of an archive; nil if the input is none.
func (in *Input) look(ctx context.Context, r *room, s *spool) *contents {
	kind := in.archiveKind()
	if kind == "" {
		return nil
	}
	a := &archive{
		name: in.Name, path: in.path, info: in.info, windows: in.Windows,
		kind: kind, codec: sniff.Codec(in.codec.Load()),
	}
	return a.find(ctx, r, s)
}

// members adds the members of an archive, and tells what is no input.
func (v *resolver) members(in *Input, c *contents) {
	for _, o := range c.others {
		if o.lost {
			v.fail(in.Name, errors.New(o.String()))
		} else {
			v.warn("%s: %s", in.Name, o)
		}
	}
	for _, m := range c.members {
		v.ins = append(v.ins, m.input(in))
	}
	switch {
	case c.err != nil:
		v.failFull(in.Name, c.err)
	case len(c.members)+len(c.others) == 0:
		v.fail(in.Name, fmt.Errorf("no files in this %s archive", c.of.kind))
	}
}

// input returns a member of an archive as an input.
func (m *member) input(of *Input) *Input {
	in := &Input{
		Name: m.inputName(), Size: m.size, Windows: of.Windows,
		member: m, lines: true, path: of.path, info: of.info, regular: true,
	}
	if m.cut {
		in.Size = -1
	}
	return in
}
