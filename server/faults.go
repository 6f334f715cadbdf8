package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// faultHeader is the field of a request that names faults for this request alone.
const faultHeader = "X-Fakeopenai-Fault"

// faultLayer is documents of faults from one place. A request can be struck by those of several layers,
// of which the first fault that is drawn counts.
type faultLayer struct {
	from  string // from tells the layer's counts from those of others.
	docs  []*scenarios.Faults
	since time.Time // since is when the faults began to hold.
}

// countsOf is the name under which a document's requests, and the times of its faults, are counted.
func (l *faultLayer) countsOf(doc *scenarios.Faults) string {
	return "faults of " + l.from + ": " + doc.Name
}

// PutFaults lays faults over the answers to the requests of one API key, or of all keys if it is "". They
// replace those of an earlier call, are tried before the server's own, and are counted anew; without files
// there are none. A file holds documents of faults, or what [yamlfile.ParseFaults] reads in place of one.
//
// The error is a [diag.List] if the faults have problems. After an error nothing has changed.
// [Server.Reset] and [Server.ResetKey] remove the faults.
func (s *Server) PutFaults(apiKey string, files ...yamlfile.Source) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	docs, err := readFaults(files, s.catalogOf(apiKey).set)
	if err != nil {
		return err
	}
	return s.storeOverlay(apiKey, overlay{set: s.catalogs.Load().overlays[apiKey].set, faults: putLayer(apiKey, docs)})
}

// putLayer is the layer of faults that were put for an API key, or for all if it is "".
func putLayer(apiKey string, docs []*scenarios.Faults) faultLayer {
	from := "key"
	if apiKey == "" {
		from = "all"
	}
	return faultLayer{from, docs, time.Now()}
}

// storeOverlay plays another overlay to an API key, or to all if it is "", if there is room for it. The
// counts of faults that are replaced are forgotten.
func (s *Server) storeOverlay(apiKey string, next overlay) error {
	all := s.catalogs.Load()
	old := all.overlays[apiKey].faults
	size := next.measure()
	if err := all.checkRoom(apiKey, size); err != nil {
		return err
	}
	next.size = size
	s.catalogs.Store(all.with(apiKey, next))
	for _, doc := range old.docs {
		if old.since != next.faults.since {
			s.counters.Forget(apiKey, old.countsOf(doc))
		}
	}
	return nil
}

// Faults returns the documents of faults that hold for an API key, in the order in which they are tried.
func (s *Server) Faults(apiKey string) (docs []*scenarios.Faults) {
	for _, layer := range s.catalogOf(apiKey).faults {
		docs = append(docs, layer.docs...)
	}
	return docs
}

// readFaults reads files of faults, and checks them as [answer.CheckFaults] does.
func readFaults(files []yamlfile.Source, set *scenarios.Set) ([]*scenarios.Faults, error) {
	var all []*scenarios.Scenario
	var problems diag.List
	for _, f := range files {
		list, found := yamlfile.ParseFaults(f.Name, f.Data)
		all, problems = append(all, list...), append(problems, found...)
	}
	docs, found := scenarios.PrepareFaults(all...)
	if len(problems) == 0 {
		problems = found
	}
	if len(problems) == 0 {
		problems = answer.CheckFaults(docs, set)
	}
	return docs, problems.Err()
}

// headerFaults remembers the faults that requests have named in their header.
type headerFaults struct {
	mu   sync.Mutex
	read map[string][]*scenarios.Faults
}

// maxHeaderFaults is how many values of the header field are remembered.
const maxHeaderFaults = 256

// of returns the faults that a text in the header field names.
func (h *headerFaults) of(text string) ([]*scenarios.Faults, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if docs := h.read[text]; docs != nil {
		return docs, nil
	}
	docs, err := readFaults([]yamlfile.Source{{Name: faultHeader, Data: []byte(text)}}, nil)
	if err != nil {
		return nil, err
	}
	if h.read == nil || len(h.read) >= maxHeaderFaults {
		h.read = map[string][]*scenarios.Faults{}
	}
	h.read[strings.Clone(text)] = docs
	return docs, nil
}

// striking looks for the fault that strikes the answer to a request. It is the [scenarios.Counter] of the
// faults' conditions.
type striking struct {
	*exchange
	from    *catalog
	layers  []faultLayer
	plain   bool                      // plain says that no scenario gives the answer.
	numbers map[*scenarios.Faults]int // numbers are those of the request among the requests of its API key.

	asked *answer.Asked
	layer *faultLayer
	doc   *scenarios.Faults

	fault  *scenarios.Fault // fault is the one that strikes; nil if there is none.
	index  int              // index is the position of the fault in its document.
	struck *answer.Asked    // struck is asked with the fault laid over the reply.
}

// faultsFor returns what looks for the fault of a request; nil if there are no faults.
func (x *exchange) faultsFor(from *catalog, req *scenarios.Request) (*striking, *apiError) {
	values, layers := x.r.Header[faultHeader], from.faults
	if len(values) == 0 && len(layers) == 0 {
		return nil, nil
	}
	if len(values) > 0 {
		text := strings.Join(values, "\n---\n")
		docs, err := x.server.headerFaults.of(text)
		if err != nil {
			return nil, refusal(http.StatusBadRequest, apierror.CodeFaults, fmt.Sprintf("The header %s is wrong: %v", faultHeader, err))
		}
		from := fmt.Sprintf("%s %x", faultHeader, limits.SumOf(text)) // so that each text has counts of its own
		layers = slices.Concat([]faultLayer{{from, docs, x.entry.Time}}, layers)
	}
	k := &striking{exchange: x, from: from, layers: layers, numbers: map[*scenarios.Faults]int{}}
	for i := range layers {
		for _, doc := range layers[i].docs {
			k.numbers[doc] = x.server.counters.Draw(x.key, limits.SumOf(layers[i].countsOf(doc)), false)
		}
	}
	return k, nil
}

// strike returns what is asked with the first fault laid over it that is drawn for it, or as it is.
func (k *striking) strike(asked *answer.Asked) *answer.Asked {
	k.asked, k.fault = asked, nil
	req := *asked.Request
	if req.Path == "" { // the conditions of faults see the paths of the APIs, too
		_ = request.SetPath(&req, k.r.Method, k.r.URL.EscapedPath()) // package net/http has decoded it
	}
	for i := range k.layers {
		k.layer = &k.layers[i]
		for _, k.doc = range k.layer.docs {
			if k.doc.Match(k.ctx, &req, k, k.server.config.Seed) != nil {
				return k.struck
			}
		}
	}
	return asked
}

// Available reports whether a fault is not used up for the API key.
func (k *striking) Available(_ string, fault, limit int) bool {
	return k.server.counters.Available(k.key, k.layer.countsOf(k.doc), fault, limit)
}

// Drawn reports whether the fault strikes the answer, and notes it for the journal. What is drawn follows
// from the API key, and from the number of the request among those of the key.
func (k *striking) Drawn(sel *scenarios.Selection) bool {
	f, number := &k.doc.List[sel.Index], k.numbers[k.doc]
	if !f.IsOpen(k.entry.Time.Sub(k.layer.since), number) {
		return false
	}
	purpose := fmt.Sprintf("%s, fault %d, request %d of %s", k.layer.countsOf(k.doc), sel.Index, number, sel.Request.APIKey)
	if invent.Rand(sel, purpose).Float64() >= *sel.Reply.Chance {
		return false
	}
	var struck *answer.Asked
	why := k.cannotHave(f)
	if why == "" {
		struck, why = k.from.maker.Strike(f, k.asked, func(sel *scenarios.Selection) *answer.Asked { return k.ask(k.asked.Surface, sel) })
	}
	note := fmt.Sprintf("fault %d (%s): ", sel.Index+1, k.doc.Describe(sel.Index))
	if why != "" {
		k.entry.Chance = append(k.entry.Chance, note+"not drawn: "+why)
		return false
	}
	k.entry.Chance = append(k.entry.Chance, note+"drawn")
	k.fault, k.index, k.struck = f, sel.Index, struck
	return true
}

// cannotHave returns why the answer cannot have a fault that a reply of its kind could have; "" if it can.
func (k *striking) cannotHave(f *scenarios.Fault) string {
	switch {
	case f.Error != nil:
		return ""
	case k.plain:
		return "no scenario gives the answer, which can have an error alone"
	case f.What() != "pace" && k.asked.Surface == upgradable && responses.InBackground(k.asked.Request) && !k.asked.Request.Stream:
		return "it is answered as queued, and the response is made in the background"
	}
	return ""
}

// unscripted is what answers at an endpoint where no scenario is asked: answer, unless an error strikes.
func unscripted(answer func(*Server, *exchange)) func(*Server, *exchange) {
	return func(s *Server, x *exchange) {
		switch struck, wrong := s.struckPlainly(x); {
		case wrong != nil:
			x.fail(wrong)
		case struck != nil:
			x.makeAnswer(s.catalogOf(x.entry.APIKey), struck)
		default:
			answer(s, x)
		}
	}
}

// struckPlainly returns the error that strikes a request for which no scenario is asked; nil if none does.
func (s *Server) struckPlainly(x *exchange) (*answer.Asked, *apiError) {
	if wrong := s.authorize(x.r); wrong != nil {
		return nil, wrong
	}
	req := &scenarios.Request{Surface: scenarios.SurfaceOther, APIKey: x.entry.APIKey, Header: x.r.Header, Time: x.entry.Time}
	faults, wrong := x.faultsFor(s.catalogOf(req.APIKey), req)
	if faults == nil {
		return nil, wrong
	}
	faults.plain = true
	req.Attempt = s.counters.Attempt(x.key, limits.SumOf(x.entry.Method+" "+x.entry.Path))
	for {
		x.entry.Chance, x.entry.Injected = nil, ""
		asked := faults.strike(x.ask(answer.Other, s.withoutOutput(req)))
		if faults.fault == nil {
			return nil, nil
		}
		if faults.take() {
			x.entry.Body, _ = x.readBody()
			asked.Selection.Context = x.ctx
			return asked, nil
		}
	}
}

// take uses up one of the times of the fault that strikes, and reports whether there was one left.
func (k *striking) take() bool {
	if k == nil || k.fault == nil {
		return true
	}
	if !k.server.counters.Take(k.key, k.layer.countsOf(k.doc), k.index, k.fault.Times) {
		return false
	}
	k.entry.Injected = k.doc.Describe(k.index)
	return true
}

// withholds reports whether a fault strikes that leaves the reply below to a later request.
func (k *striking) withholds() bool { return k != nil && k.fault != nil && k.fault.Withholds() }
