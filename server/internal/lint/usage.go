package lint

func usageWithChoices(t *Transcript, report func(Finding)) {
	for _, u := range t.Usages {
		if !u.alone {
			report(At(u.Group, "the chunk has both usage and a choice").
				Saying("make usage a step of its own, after finish, or list usage-with-choices under quirks"))
		}
	}
}

func usageNotLast(t *Transcript, report func(Finding)) {
	last := -1
	for _, u := range t.Usages {
		if u.alone {
			last = u.at
			break
		}
	}
	if last < 0 {
		return
	}
	for _, p := range t.Said {
		if p.at > last && !p.isAudio() && p.saysSomething() {
			report(At(p.Group, "a chunk with choice %d comes after the usage", p.Choice))
			return
		}
	}
}

func twoUsages(t *Transcript, report func(Finding)) {
	for i, u := range t.Usages {
		if i > 0 {
			report(At(u.Group, "there was a usage already"))
		}
	}
}
