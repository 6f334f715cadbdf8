package cli

// nearest is the known word that a mistyped one is likely to mean, or "". Of two
// that are as near, it is the one that starts more like it.
func nearest(word string, known []string) string {
	best, least := "", 2+len(word)/4
	for _, candidate := range known {
		d := distance(word, candidate)
		if d < least || d == least && best != "" && prefix(word, candidate) > prefix(word, best) {
			best, least = candidate, d
		}
	}
	return best
}

// prefix is how many bytes a and b start with in common.
func prefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// distance is the number of characters to insert, delete or replace to get from
// a to b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
