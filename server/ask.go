package server

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/chat"
)

// AskOf is what the selection's request wants to have in its answer, and in
// which layout: with it [scenarios.Selection.AsStream] writes the stream that
// the server would send.
func AskOf(sel *scenarios.Selection) scenarios.Ask {
	req, layout := sel.Request, sel.Manner.Envelope.Layout
	if layout == "" {
		layout = chat.LayoutFor(req.Model)
	}
	return scenarios.Ask{
		Layout:      layout,
		N:           req.N,
		Usage:       req.IncludeUsage,
		Logprobs:    req.Logprobs,
		TopLogprobs: req.TopLogprobs,
		Fold:        !req.Stream,
	}
}
