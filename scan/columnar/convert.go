package columnar

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"
)

const (
	daySeconds = 24 * 60 * 60
	// julianEpoch is the Julian day of 1970-01-01, for INT96.
	julianEpoch = 2440588
)

// whole decodes a stored number.
func whole(raw []byte) int64 {
	if len(raw) == 4 {
		return int64(int32(binary.LittleEndian.Uint32(raw)))
	}
	return int64(binary.LittleEndian.Uint64(raw))
}

// moment returns the time of a value of a time type.
func (m meaning) moment(raw []byte) time.Time {
	switch m {
	case days:
		return time.Unix(whole(raw)*daySeconds, 0)
	case milliseconds:
		return time.UnixMilli(whole(raw))
	case microseconds:
		return time.UnixMicro(whole(raw))
	case nanoseconds:
		return time.Unix(0, whole(raw))
	}
	day := int64(binary.LittleEndian.Uint32(raw[8:])) - julianEpoch
	return time.Unix(day*daySeconds, whole(raw[:8]))
}

// appendText appends a value as text: numbers in decimal, times as RFC 3339 in UTC. It returns
// false for an invalid number.
func (m meaning) appendText(b, raw []byte) ([]byte, bool) {
	switch m {
	case text:
		return append(b, raw...), true
	case integer:
		return strconv.AppendInt(b, whole(raw), 10), true
	case unsigned:
		n := uint64(whole(raw))
		if len(raw) == 4 {
			n &= math.MaxUint32
		}
		return strconv.AppendUint(b, n, 10), true
	case float:
		n := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		if len(raw) == 8 {
			n = math.Float64frombits(binary.LittleEndian.Uint64(raw))
		}
		return strconv.AppendFloat(b, n, 'f', -1, 64), !math.IsNaN(n)
	}
	return m.moment(raw).UTC().AppendFormat(b, time.RFC3339Nano), true
}
