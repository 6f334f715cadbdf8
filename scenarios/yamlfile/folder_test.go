package yamlfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// The bytes that a scenario sends come from the directory of its file, wherever symbolic links lead.
func TestBodiesAreReadFromTheFolderAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	beside, outside := filepath.Join(dir, "beside"), filepath.Join(dir, "outside.txt")
	err := errors.Join(os.MkdirAll(filepath.Join(beside, "sub"), 0o700), os.WriteFile(outside, []byte("secret"), 0o600),
		os.WriteFile(filepath.Join(beside, "sub", "a.txt"), []byte("Hi"), 0o600))
	for name, target := range map[string]string{"inside": "sub/a.txt", "above": "../outside.txt", "absolute": outside, "folder": "..", "loop": "loop"} {
		err = errors.Join(err, os.Symlink(target, filepath.Join(beside, name)))
	}
	if err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for file, isRead := range map[string]bool{
		"sub/a.txt": true, "inside": true, "above": false, "absolute": false, "folder/outside.txt": false, "loop": false, "none": false, "sub": false,
	} {
		src := "name: a\nwhen: { path: /a }\nwire: { body: { file: " + file + " } }\n"
		set, problems := yamlfile.Check(nil, yamlfile.Source{Name: "a.yaml", Data: []byte(src), Beside: yamlfile.Folder(beside)})
		if (len(problems) == 0) != isRead {
			t.Errorf("%s: %v", file, problems)
		}
		if isRead && set.Scenarios()[0].Wire.Body.Text.Source != "Hi" {
			t.Errorf("%s is read as %q", file, set.Scenarios()[0].Wire.Body.Text.Source)
		}
	}
}
