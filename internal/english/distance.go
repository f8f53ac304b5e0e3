package english

// Distance returns how many bytes must be inserted, deleted, replaced or swapped with their
// neighbours to turn a into b, which has less than 70 bytes. Beyond most it returns more than most.
func Distance(a, b string, most int) int {
	var rows [3][70]int
	before, last, next := rows[0][:len(b)+1], rows[1][:len(b)+1], rows[2][:len(b)+1]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			n := min(last[j], next[j-1], last[j-1]) + 1
			if a[i-1] == b[j-1] {
				n = min(n, last[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				n = min(n, before[j-2]+1)
			}
			next[j], least = n, min(least, n)
		}
		if least > most {
			return least
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
