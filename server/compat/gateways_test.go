//go:build gateways

package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gateway is a program between a client and the server. What is installed for it is in the folder tools.
type gateway struct {
	name    string
	install string // install is a command for the shell.
	// start starts it at an address, as a gateway to another one: a command for the shell, with the variables
	// HERE, UPSTREAM and TOOLS.
	start   string
	headers string // headers are what the client must send beside its own, with $UPSTREAM.
}

var gateways = []gateway{
	{
		name: "Portkey 1.15.2",
		// With a newer @hono/node-server it fails at each stream: TypeError: immutable.
		install: `echo '{"private": true, "overrides": {"@hono/node-server": "1.3.3"}}' > "$TOOLS/package.json" &&
			npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$TOOLS" @portkey-ai/gateway@1.15.2`,
		start:   `exec node "$TOOLS/node_modules/@portkey-ai/gateway/build/start-server.js" --port="${HERE#*:}" --headless`,
		headers: "x-portkey-provider: openai\nx-portkey-custom-host: http://$UPSTREAM/v1",
	},
	{
		name:    "Caddy 2.11.4",
		install: `GOBIN="$TOOLS" go install github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.4`,
		start:   `XDG_DATA_HOME="$TOOLS" XDG_CONFIG_HOME="$TOOLS" exec "$TOOLS/caddy" reverse-proxy --from "http://$HERE" --to "$UPSTREAM"`,
	},
	{name: "nginx", install: nginxConfig(""), start: startNginx},
	{name: "nginx, unbuffered", install: nginxConfig(`proxy_buffering off; proxy_http_version 1.1; proxy_set_header Connection "";`), start: startNginx},
}

const startNginx = `sed "s/HERE/$HERE/; s/UPSTREAM/$UPSTREAM/; s|TOOLS|$TOOLS|g" "$TOOLS/nginx.template" > "$TOOLS/nginx.conf"; exec nginx -c "$TOOLS/nginx.conf" -e stderr`

// nginxConfig is a command that writes a configuration with more directives than a proxy needs.
func nginxConfig(more string) string {
	config := "daemon off; master_process off; pid TOOLS/pid; events {} http { access_log off; " + tempPaths("TOOLS") +
		"server { listen HERE; location / { proxy_pass http://UPSTREAM; " + more + " } } }"
	return `nginx -v && echo '` + config + `' > "$TOOLS/nginx.template"`
}

const gatewaysIntro = `# What gateways make of streams that broke real software

Each line is a specimen of [fixtures/zoo](../../fixtures/zoo), each column what openai for Node, with ` + "`for await`" + `, came to without a
gateway or [through one](../../cmd/conform.md#gateways). "Reads on" says that the server still sent, or waited, a second
after the client had left; "2 requests" that the gateway tried again. Lines in which no gateway changes anything are left
out. nginx is that of the machine: first with proxy_pass alone, which buffers and asks with HTTP/1.0, then with
proxy_buffering off and HTTP/1.1. The page is written by

    go -C server/compat test -tags gateways -run TestGateways -timeout 30m . -update

`

// What a client comes to through gateways is as GATEWAYS.md says.
func TestGatewaysMakeOfTheZooWhatThePageSays(t *testing.T) {
	requireNode(t)
	binary := filepath.Join(t.TempDir(), "fakeopenai") // the race detector would slow it down so that clients give up
	if err := goBuild("-o", binary); err != nil {
		t.Fatal(err)
	}
	direct := ask(t, exec.CommandContext(t.Context(), binary, "conform", "--parallel", "2"))
	results := make([][]passage, len(gateways))
	for i, g := range gateways {
		results[i] = g.ask(t, binary, direct)
	}
	page := []byte(gatewaysPage(direct, results))
	if *update {
		writeFile(t, "GATEWAYS.md", page)
	}
	if want, err := os.ReadFile("GATEWAYS.md"); err != nil || !bytes.Equal(page, want) {
		t.Errorf("GATEWAYS.md is not what the gateways make of the zoo: %v\n%s", err, page)
	}
}

// run installs and starts a gateway to an address, and returns its base URL.
func (g gateway) run(t *testing.T, upstream string) string {
	here, tools := freeAddress(t), t.TempDir()
	shell := func(ctx context.Context, script string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "sh", "-c", script)
		cmd.Env = append(os.Environ(), "HERE="+here, "UPSTREAM="+upstream, "TOOLS="+filepath.ToSlash(tools))
		return cmd
	}
	if out, err := shell(t.Context(), g.install).CombinedOutput(); err != nil {
		t.Fatalf("%s cannot be installed: %v\n%s", g.name, err, out)
	}
	listen(t, g.name, shell(context.Background(), g.start), here)
	return "http://" + here + "/v1"
}

// passage is what a client came to, and what the server saw.
type passage struct {
	Specimen          string `json:"case"`
	Verdict, Delivery string
}

// ask asks the client for the zoo, through the gateway. What it changes is asked for once more, alone:
// where the machine is busy, a client can give up.
func (g gateway) ask(t *testing.T, binary string, direct []passage) []passage {
	upstream := freeAddress(t)
	baseURL := g.run(t, upstream)
	through := func(args ...string) []passage {
		cmd := exec.CommandContext(t.Context(), binary, append(args, "--addr", upstream, "--through", baseURL)...)
		cmd.Env = append(os.Environ(), "OPENAI_CUSTOM_HEADERS="+strings.ReplaceAll(g.headers, "$UPSTREAM", upstream))
		return ask(t, cmd)
	}
	passages := through("conform", "--parallel", "2")
	var changed []string
	for i, p := range passages {
		if p.shown() != direct[i].shown() {
			changed = append(changed, p.Specimen)
		}
	}
	for _, p := range through("conform", "--parallel", "1", "--only", strings.Join(changed, ",")) {
		passages[slices.IndexFunc(passages, func(of passage) bool { return of.Specimen == p.Specimen })] = p
	}
	return passages
}

// ask runs a conform command with the client.
func ask(t *testing.T, cmd *exec.Cmd) []passage {
	cmd.Args = append(cmd.Args, "--format", "json", "--", "node", "node/adapters.mjs", "openai")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var report struct{ Results []passage }
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	return report.Results
}

func gatewaysPage(direct []passage, results [][]passage) string {
	var b strings.Builder
	b.WriteString(gatewaysIntro + "| specimen | without a gateway |")
	for _, g := range gateways {
		b.WriteString(" " + g.name + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(gateways)+2) + "\n")
	same := 0
	for i, p := range direct {
		row, changed := "| "+p.Specimen+" | "+p.shown()+" |", false
		for _, of := range results {
			row += " " + of[i].shown() + " |"
			changed = changed || of[i].shown() != p.shown()
		}
		if !changed {
			same++
			continue
		}
		b.WriteString(row + "\n")
	}
	fmt.Fprintf(&b, "\n%d of %d specimens come to the same through all.\n", same, len(direct))
	return b.String()
}

// shown is the verdict, and what the server saw of a gateway that asks again or does not cancel.
func (p passage) shown() string {
	text := p.Verdict
	if n, _, more := strings.Cut(p.Delivery, " requests, "); more {
		text += ", " + n + " requests"
	}
	if strings.HasSuffix(p.Delivery, ", open") {
		text += ", reads on"
	}
	return text
}
