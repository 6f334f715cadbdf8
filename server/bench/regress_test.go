package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The references are served by this program, too.
func TestMain(m *testing.M) {
	if !asReference() {
		os.Exit(m.Run())
	}
}

// slack is how many times as much CPU time as in results.json an answer may cost,
// compared with a reference that is measured beside it. A machine that is busy makes both
// dearer, and never one of them this much.
const slack = 2

// enoughCPU is for how long a server must have computed, so that the clock of the system,
// which ticks a hundred times a second, tells it well enough.
const enoughCPU = 200 * time.Millisecond

// TestNoAnswerCostsFarMore measures each work of results.json again, for a moment: what
// an answer costs the server in CPU time, as a multiple of what it costs a handler that
// only writes. It does not look at how fast anything is. Not parallel: it would measure
// the other tests.
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
		if i < 0 || strings.HasPrefix(w.name, "idle") { // one connection is about time, and hardly computes
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

// referenceOf is what a work is compared with: what writes as often as it does.
func referenceOf(work string) string {
	if work == "short-per-frame" || strings.HasPrefix(work, "paced") {
		return barePlus
	}
	return patchedPlus
}

// cost is what an answer of a target costs, as a multiple of what it costs another.
func (w *row) cost(target, other string) spread {
	var list []float64
	of, by := w.result(target), w.result(other)
	for i := range min(len(of.Rounds), len(by.Rounds)) {
		list = append(list, of.Rounds[i].cost()/by.Rounds[i].cost())
	}
	return spreadOf(list)
}

// costs is the median of what an answer of fakeopenai costs as a multiple of what it costs
// the reference, of three rounds by turns.
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

// costOf puts the work on a target until it has computed enough, and is the CPU time that
// an answer takes.
func costOf(t *testing.T, on *target, w *work) float64 {
	var cpu, answers float64
	for range 100 { // a busy machine lets a server compute little at a time
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
