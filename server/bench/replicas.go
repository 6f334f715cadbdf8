package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// balancers are the programs of -balancer: the file of server/deploy with their configuration, where that says
// that they listen, and the arguments before the name of the file.
var balancers = map[string]struct {
	file, listens string
	args          []string
}{
	"haproxy": {"haproxy.cfg", "bind :8080", []string{"-db", "-f"}},
	"nginx":   {"nginx.conf", "listen 8080", []string{"-g", "daemon off; master_process off;", "-c"}},
}

// mostReplicas is how many replicas the configurations have.
const mostReplicas = 3

// openReplicas starts one, two and three replicas, and as many again behind each balancer. The caller stops the
// targets in list, also when err is not nil.
func (s *settings) openReplicas(w *work, dir, file string) (list []target, err error) {
	for balancer := range strings.SplitSeq(","+s.balancer, ",") {
		for n := 1; n <= mostReplicas; n++ {
			t := target{name: strings.TrimSpace(fmt.Sprintf("%d × fakeopenai %s", n, balancer)), process: &process{stop: func() {}}}
			for range n {
				one, err := start(serverCore, s.binary, "serve", "--addr", "127.0.0.1:0", file)
				if err != nil {
					return append(list, t), err
				}
				t.add(one)
			}
			if balancer != "" {
				err = t.putBehind(balancer, dir)
			}
			list = append(list, t)
			if err == nil {
				_, err = list[len(list)-1].probe(w)
			}
			if err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

// add adds another replica to the process.
func (p *process) add(one *process) {
	stop := p.stop
	p.stop = func() { stop(); one.stop() }
	p.pids, p.urls = append(p.pids, one.pids...), append(p.urls, one.url)
	p.url = p.urls[0]
}

// putBehind starts a balancer before the replicas of the target, which are then reached through it.
func (t *target) putBehind(name, dir string) error {
	b := balancers[name]
	src, err := os.ReadFile(filepath.Join("..", "deploy", b.file))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	here := l.Addr().String()
	_ = l.Close()
	config := filepath.Join(dir, t.name)
	if err := writeFile(config, balancing(string(src), b.listens, here, t.urls)); err != nil {
		return err
	}
	running := exec.Command("taskset", append(append([]string{"-c", serverCore, name}, b.args...), config)...)
	running.Stderr = os.Stderr
	if err := running.Start(); err != nil {
		return err
	}
	stop, pids := t.stop, t.pids
	t.stop = func() { _ = running.Process.Kill(); _ = running.Wait(); stop() }
	t.url, t.urls = "http://"+here, nil
	for range 100 {
		if err = t.join(); err == nil {
			t.pids = append(t.pids, pids...)
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("%s does not listen: %w", name, err)
}

// balancing is a configuration of server/deploy for a balancer that listens here, with these replicas in place
// of its own. The lines of further replicas are left out.
func balancing(config, listens, here string, replicas []string) string {
	directive, _, _ := strings.Cut(listens, " ")
	config = strings.Replace(config, listens, directive+" "+here, 1)
	for i := range mostReplicas {
		server := fmt.Sprintf("fakeopenai-%d:8080", i)
		if i < len(replicas) {
			config = strings.Replace(config, server, strings.TrimPrefix(replicas[i], "http://"), 1)
			continue
		}
		config = regexp.MustCompile("(?m)^.*"+server+".*\n").ReplaceAllString(config, "")
	}
	return config
}

// urlFor is the URL for a connection with this number: that of one replica after the other.
func (p *process) urlFor(i int) string {
	if p.urls == nil {
		return p.url
	}
	return p.urls[i%len(p.urls)]
}
