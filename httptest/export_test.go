package fakeopenai

// HuntResult is [Hunt], but it returns what it has found.
var HuntResult = hunt
