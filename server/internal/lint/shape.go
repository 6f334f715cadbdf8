package lint

import (
	"fmt"
	"slices"
)

func choiceIndexGap(t *Transcript, report func(Finding)) {
	choices := t.choices()
	slices.Sort(choices)
	for i, choice := range choices {
		if choice == i {
			continue
		}
		for _, p := range t.Said {
			if p.Choice == choice {
				report(At(p.Group, "there is a choice %d, but no choice %d", choice, i))
				return
			}
		}
	}
}

func twoChoicesInOneChunk(t *Transcript, report func(Finding)) {
	for i := range t.Said {
		if i > 0 && t.Said[i].at == t.Said[i-1].at {
			report(At(t.Said[i].Group, "the chunk holds more than one choice"))
		}
	}
}

func statusNotAnError(t *Transcript, report func(Finding)) {
	if e := t.Reply.Error; e != nil && e.Status != 0 && e.Status < 400 {
		report(Finding{pos: e.Pos, message: fmt.Sprintf("the status of the error is %d", e.Status)})
	}
}

// codeStatus is the status with which the real service sends an error code.
var codeStatus = map[string]int{
	"invalid_api_key":                      401,
	"mismatched_organization":              401,
	"no_organization":                      401,
	"unsupported_country_region_territory": 403,
	"model_not_found":                      404,
	"unknown_url":                          404,
	"method_not_supported":                 405,
	"context_length_exceeded":              400,
	"missing_required_parameter":           400,
	"unsupported_parameter":                400,
	"unsupported_value":                    400,
	"invalid_type":                         400,
	"invalid_value":                        400,
	"rate_limit_exceeded":                  429,
	"insufficient_quota":                   429,
}

func errorStatusMismatch(t *Transcript, report func(Finding)) {
	e := t.Reply.Error
	if e == nil {
		return
	}
	status := e.Status
	if status == 0 {
		status = 500
	}
	if want := codeStatus[e.Code.Value.Source]; want != 0 && want != status {
		report(Finding{pos: e.Pos, message: fmt.Sprintf("the code %s comes with status %d, not %d", e.Code.Value.Source, want, status)})
	}
}
