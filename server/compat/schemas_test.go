//go:build schemas

package compat

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bootstrap "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/retry/host/previous_hosts/v3"
	"google.golang.org/protobuf/encoding/protojson"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// The schemas of Envoy and Kubernetes take a minute to compile, and the files that they check rarely change:
//
//	go -C server/compat test -tags schemas -run TestConfigurations .

func deployed(t *testing.T, name string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// envoy.yaml is a configuration of Envoy, with the values that its rules allow.
func TestConfigurationsEnvoy(t *testing.T) {
	t.Parallel()
	src, err := yaml.YAMLToJSONStrict(deployed(t, "envoy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config bootstrap.Bootstrap
	if err := protojson.Unmarshal(src, &config); err != nil {
		t.Fatal(err)
	}
	filter, err := config.StaticResources.Listeners[0].FilterChains[0].Filters[0].GetTypedConfig().UnmarshalNew()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []any{&config, filter} {
		if err := part.(interface{ ValidateAll() error }).ValidateAll(); err != nil {
			t.Error(err)
		}
	}
}

// kubernetes.yaml has objects of Kubernetes, and what these name is there.
func TestConfigurationsKubernetes(t *testing.T) {
	t.Parallel()
	manifest := deployed(t, "kubernetes.yaml")
	var kustomization struct {
		ConfigMapGenerator []struct{ Name string }
	}
	if err := yaml.Unmarshal(deployed(t, "kustomization.yaml"), &kustomization); err != nil {
		t.Fatal(err)
	}
	var services, made, wanted []string
	for _, m := range kustomization.ConfigMapGenerator {
		made = append(made, m.Name)
	}
	var pods []core.PodTemplateSpec
	for doc := range bytes.SplitSeq(manifest, []byte("\n---\n")) {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal(doc, &kind); err != nil {
			t.Fatal(err)
		}
		var secret core.Secret
		var service core.Service
		var set apps.StatefulSet
		var deployment apps.Deployment
		var budget policy.PodDisruptionBudget
		object := map[string]any{"Secret": &secret, "Service": &service, "StatefulSet": &set, "Deployment": &deployment, "PodDisruptionBudget": &budget}[kind.Kind]
		if object == nil {
			t.Fatalf("the test does not know the kind %s", kind.Kind)
		}
		if err := yaml.UnmarshalStrict(doc, object); err != nil {
			t.Errorf("%s: %v", kind.Kind, err)
		}
		switch kind.Kind {
		case "Secret":
			made = append(made, secret.Name)
		case "Service":
			services = append(services, service.Name)
		case "StatefulSet":
			pods, wanted = append(pods, set.Spec.Template), append(wanted, set.Spec.ServiceName)
			if *set.Spec.Replicas != replicas || set.Spec.Selector.MatchLabels["app"] != set.Spec.Template.Labels["app"] {
				t.Errorf("the StatefulSet is %+v", set.Spec)
			}
		case "Deployment":
			pods = append(pods, deployment.Spec.Template)
		case "PodDisruptionBudget":
			if budget.Spec.Selector.MatchLabels["app"] != "fakeopenai" || budget.Spec.MaxUnavailable.IntValue() != 1 {
				t.Errorf("the PodDisruptionBudget is %+v", budget.Spec)
			}
		}
	}
	for i := range replicas {
		wanted = append(wanted, fmt.Sprintf("fakeopenai-%d", i))
	}
	for _, name := range wanted {
		if !slices.Contains(services, name) {
			t.Errorf("there is no Service %s, only %v", name, services)
		}
	}
	for _, pod := range pods {
		for _, v := range pod.Spec.Volumes {
			if !slices.Contains(made, v.ConfigMap.Name) {
				t.Errorf("nothing makes the ConfigMap %s", v.ConfigMap.Name)
			}
		}
		for _, e := range pod.Spec.Containers[0].Env {
			if e.ValueFrom != nil && !slices.Contains(made, e.ValueFrom.SecretKeyRef.Name) {
				t.Errorf("nothing makes the Secret of %s", e.Name)
			}
		}
		checkRestricted(t, pod)
		if probe := pod.Spec.Containers[0].ReadinessProbe; probe == nil || !strings.Contains(probe.String(), "http") {
			t.Errorf("the pods of %v have no readiness probe", pod.Labels)
		}
	}
}

// checkRestricted checks a pod by the rules of namespaces with the restricted Pod Security Standard.
func checkRestricted(t *testing.T, pod core.PodTemplateSpec) {
	t.Helper()
	of, own := pod.Spec.SecurityContext, pod.Spec.Containers[0].SecurityContext
	if of == nil || own == nil {
		t.Fatalf("the pods of %v have no security context", pod.Labels)
	}
	if !*of.RunAsNonRoot || of.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault ||
		*own.AllowPrivilegeEscalation || !slices.Contains(own.Capabilities.Drop, "ALL") {
		t.Errorf("the pods of %v are not restricted: %+v, %+v", pod.Labels, of, own)
	}
}
