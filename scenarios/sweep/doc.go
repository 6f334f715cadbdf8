// Package sweep plans and judges sweeps. A sweep runs a client with many cases of the
// same answers: with variants of the bytes on the wire that must make no difference, and
// with answers that end too early. The package lists the cases, judges each run, and
// writes a scenario that reproduces a case. The caller, a test or a command, runs the
// cases and reports the verdicts.
//
//	cases, err := sweep.Cases(also, without)
//	if err != nil {
//		return err
//	}
//	for _, c := range cases {
//		manner, err := c.Variant.Manner()
//		if err != nil {
//			return err
//		}
//		complained, answers := run(set.With(manner, c.Plays)) // the runner's own
//		if verdict := c.Judge(complained, answers); verdict.Bad() {
//			fmt.Printf("%s: %s\n%s\n", c.Name, verdict, c.Reproduction(server.Check, set, answers))
//		}
//	}
package sweep
