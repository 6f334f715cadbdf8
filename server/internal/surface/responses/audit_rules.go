package responses

// The names of the rules about events.
const (
	ruleFirst    = "event-before-created"
	ruleOver     = "event-after-end"
	ruleUnknown  = "unknown-event"
	ruleNumber   = "sequence-number-wrong"
	ruleIndex    = "output-index-wrong"
	ruleItem     = "item-not-open"
	ruleItemLeft = "item-not-closed"
	ruleCourse   = "item-events-wrong"
	rulePart     = "part-not-open"
	rulePartLeft = "part-not-closed"
	ruleDone     = "done-differs"
	ruleOutput   = "output-differs"

	ruleOpensAgain    = "opening-repeated"
	ruleNotInProgress = "in-progress-missing"
	ruleResponseID    = "response-id-changes"
	ruleStatus        = "status-does-not-fit"
	ruleMember        = "event-incomplete"
	ruleNotDone       = "text-not-done"
	ruleAfterDone     = "text-after-done"
	ruleAnnotation    = "annotation-index-wrong"
)
