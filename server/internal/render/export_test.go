package render

// LimitSteps lowers the bound on the steps of all templates, until reset is called.
func LimitSteps(n int) (reset func()) {
	before := maxSteps
	maxSteps = n
	return func() { maxSteps = before }
}
