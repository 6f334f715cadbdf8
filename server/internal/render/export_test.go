package render

// LimitIterations lowers the bound on the iterations of all loops, until reset is called.
func LimitIterations(n int) (reset func()) {
	before := maxIterations
	maxIterations = n
	return func() { maxIterations = before }
}
