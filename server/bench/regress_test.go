package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary run as a reference server, as asReference describes.
func TestMain(m *testing.M) {
	if !asReference() {
		os.Exit(m.Run())
	}
}

// slack bounds the cost of an answer, relative to a reference that is measured beside it:
// it may be this many times the relative cost in results.json. A busy machine makes both
// dearer, but never one of them alone this much.
const slack = 2

// enoughCPU is the least CPU time from which a cost is computed: the system counts CPU
// time in hundredths of a second.
const enoughCPU = 200 * time.Millisecond

// TestNoAnswerCostsFarMore measures each work of results.json again for a moment: the CPU
// time of an answer as a multiple of that of a reference. It looks at no elapsed time. It is
// not parallel, because it would then measure the other tests, too.
func TestNoAnswerCostsFarMore(t *testing.T) {
	src, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	var before table
	if err := json.Unmarshal(src, &before); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := settings{binary: dir + "/fakeopenai"}
	if err := build(s.binary); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, w := range works(usual, []int{1000}, time.Second) {
		i := slices.IndexFunc(before.Works, func(r row) bool { return r.Work == w.name })
		if i < 0 || strings.HasPrefix(w.name, "idle") { // these works are about elapsed time, and use little CPU time
			continue
		}
		compared++
		t.Run(w.name, func(t *testing.T) {
			reference := referenceOf(w.name)
			allowed := slack * before.Works[i].cost("fakeopenai", reference).median
			got := costs(t, &s, &w, dir, reference)
			t.Logf("an answer costs %.2f × %s, at most %.2f are allowed", got, reference, allowed)
			if got > allowed {
				t.Errorf("an answer costs %.2f times the CPU time of %s, at most %.2f are allowed: %d times what results.json has. Profile it, or measure anew if it is meant", got, reference, allowed, slack)
			}
		})
	}
	if compared < 6 {
		t.Errorf("results.json has only %d of the works", compared)
	}
}

// referenceOf is the reference that writes as often as fakeopenai does in this work.
func referenceOf(work string) string {
	if work == "short-per-frame" || strings.HasPrefix(work, "paced") {
		return barePlus
	}
	return patchedPlus
}

// cost is the CPU time of an answer of a target as a multiple of that of another target.
func (w *row) cost(target, other string) spread {
	var list []float64
	of, by := w.result(target), w.result(other)
	for i := range min(len(of.Rounds), len(by.Rounds)) {
		list = append(list, of.Rounds[i].cost()/by.Rounds[i].cost())
	}
	return spreadOf(list)
}

// costs is the CPU time of an answer of fakeopenai as a multiple of the reference's: the
// median of three rounds.
func costs(t *testing.T, s *settings, w *work, dir, reference string) float64 {
	list, err := s.open(w, dir)
	for i := range list {
		defer list[i].stop()
	}
	if err != nil {
		t.Fatal(err)
	}
	other := slices.IndexFunc(list, func(t target) bool { return t.name == reference })
	var ratios []float64
	for round := range 4 {
		ours, theirs := costOf(t, &list[0], w), costOf(t, &list[other], w)
		if round > 0 { // the first warms up
			ratios = append(ratios, ours/theirs)
		}
	}
	return spreadOf(ratios).median
}

// costOf sends requests of the work w to a target until it has used enoughCPU, and returns
// the CPU seconds of one answer.
func costOf(t *testing.T, on *target, w *work) float64 {
	var cpu, answers float64
	for range 100 { // on a busy machine a server gets little CPU time in one try
		began := time.Now()
		f, err := on.measure(w, 100*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if f.Errors > 0 || f.Answers == 0 {
			t.Fatalf("%s: %d answers failed", on.name, f.Errors)
		}
		took := time.Since(began).Seconds()
		cpu += f.CPU * took
		answers += f.Answers * took
		if cpu >= enoughCPU.Seconds() {
			return cpu / answers
		}
	}
	t.Fatalf("%s computes for %.3f s of 100 tries", on.name, cpu)
	return 0
}
