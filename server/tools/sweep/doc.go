// Package sweep plans and judges sweeps and hunts, which run a client with many cases of the same answers that must make
// no difference; it serves the command and the helper for tests, and may change in any version.
//
// The cases of a sweep are a fixed list: variants of the bytes on the wire, and answers
// that end too early. The package lists the cases, judges each run, and writes a scenario
// that reproduces a case. The caller, a test or a command, runs the cases and reports the
// verdicts.
//
// The cases of a [Hunt] are drawn from a seed. A case is data: scenarios whose replies are
// written as streams, and a list of [Change]s that are laid over one of them. A change has
// a name, places where it can be made, and numbers, drawn from the seed, that say which
// place and how much; the smaller its numbers, the simpler it is. So a case that fails is
// made smaller in one way, whatever its changes: first fewer changes, then smaller numbers,
// then a shorter answer.
package sweep
