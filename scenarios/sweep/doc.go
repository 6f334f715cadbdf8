// Package sweep plans and judges sweeps: it knows the variants of the wire that
// must not matter to a client and the places where an answer can end too early,
// says what to think of a run, and how to see a case again. Whoever sweeps runs
// the cases, in a test or as a command, and reports.
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
