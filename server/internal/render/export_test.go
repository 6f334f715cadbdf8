package render

// LimitIterations makes the bound of all loops a smaller one, until it is reset.
func LimitIterations(n int) (reset func()) {
	before := maxIterations
	maxIterations = n
	return func() { maxIterations = before }
}
