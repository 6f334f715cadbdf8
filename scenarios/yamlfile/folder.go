package yamlfile

import (
	"io/fs"
	"os"
)

// Folder is the file system of a directory, for [Source.Beside]. Unlike in that of [os.DirFS], symbolic
// links lead to nothing outside the directory.
type Folder string

// Open implements [fs.FS].
func (f Folder) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.FS().Open(name)
}

// Stat implements [fs.StatFS]: without it, [fs.Stat] would open the file, and wait where that is a pipe.
func (f Folder) Stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return fs.Stat(root.FS(), name)
}
