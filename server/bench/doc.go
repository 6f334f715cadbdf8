// Command bench measures how fast fakeopenai answers. It measures HTTP handlers that do
// nothing but write, and any server given by its base URL, in the same run. README.md
// explains the works and each figure.
package main
