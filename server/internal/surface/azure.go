package surface

import "github.com/fakeopenai/fakeopenai/scenarios/ojson"

// Unfiltered returns the results of Azure's content filter for a text in which it found nothing.
func Unfiltered() ojson.Value {
	safe := ojson.Object(ojson.M("filtered", ojson.Bool(false)), ojson.M("severity", ojson.String("safe")))
	return ojson.Object(ojson.M("hate", safe), ojson.M("self_harm", safe), ojson.M("sexual", safe), ojson.M("violence", safe))
}

// UnfilteredPrompt is [Unfiltered] for a prompt, in which the filter also looks for jailbreaks.
func UnfilteredPrompt() ojson.Value {
	v := Unfiltered()
	v.Set("jailbreak", ojson.Object(ojson.M("detected", ojson.Bool(false)), ojson.M("filtered", ojson.Bool(false))))
	return v
}
