package capture

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"github.com/robotsieve/robotsieve/scan/internal/spill"
)

// bodies sorts bodies by SHA-256 and removes duplicates. A record consists of the SHA-256, the
// number of a piece of the body, and the piece.
type bodies struct {
	sorted *spill.Records
	recent map[[sha256.Size]byte]struct{} // bodies that needn't be added again
	most   int                            // limit of recent
	record []byte
}

const (
	bodyPiece   = 16 << 10
	pieceHead   = sha256.Size + 4
	recentBytes = 4 * 80 // an entry takes 80 bytes in bodies.recent, which may use a quarter of a share
)

// errLostBody can't occur if sorting works.
var errLostBody = errors.New("capture: a body is missing in the temporary file")

// add adds a body and returns its SHA-256.
func (b *bodies) add(body []byte) (digest [sha256.Size]byte, err error) {
	digest = sha256.Sum256(body)
	if _, there := b.recent[digest]; there {
		return digest, nil
	}
	for n := uint32(0); n == 0 || len(body) > 0; n++ { // an empty body has one piece
		piece := body[:min(len(body), bodyPiece)]
		body = body[len(piece):]
		b.record = binary.BigEndian.AppendUint32(append(b.record[:0], digest[:]...), n)
		b.record = append(b.record, piece...)
		if err := b.sorted.Add(b.record); err != nil {
			return digest, err
		}
	}
	if len(b.recent) >= b.most {
		clear(b.recent)
	}
	b.recent[digest] = struct{}{}
	return digest, nil
}

type storedBody struct {
	digest [sha256.Size]byte
	bytes  []byte
}

// all yields all bodies, sorted by SHA-256. The caller owns them.
func (b *bodies) all() iter.Seq2[storedBody, error] {
	return func(yield func(storedBody, error) bool) {
		var body storedBody
		for r, err := range b.sorted.All() {
			if err != nil {
				yield(storedBody{}, err)
				return
			}
			if binary.BigEndian.Uint32(r[sha256.Size:]) == 0 {
				if body.bytes != nil && !yield(body, nil) {
					return
				}
				body.bytes = []byte{}
				copy(body.digest[:], r)
			}
			body.bytes = append(body.bytes, r[pieceHead:]...)
		}
		if body.bytes != nil {
			body.bytes = slices.Clip(body.bytes)
			yield(body, nil)
		}
	}
}
