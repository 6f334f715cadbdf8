package ojson_test

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// A value is written exactly as it was read, and a new member comes last.
func Example() {
	v, err := ojson.Parse([]byte(`{"b":1.0,"a":null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	v.Set("c", ojson.String("x"))
	fmt.Println(string(v.Append(nil)))
	// Output: {"b":1.0,"a":null,"c":"x"}
}
