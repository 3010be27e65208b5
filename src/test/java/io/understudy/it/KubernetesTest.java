package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.host.PluginTypes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * docs/kubernetes: the manifests agree with each other, with the configuration inside them, which passes the check, and
 * with the program's paths; the Dockerfile copies what the package has.
 */
class KubernetesTest {
    private static final Path FOLDER = DocsTest.ROOT.resolve("docs/kubernetes");
    private static final Path DIST = DocsTest.ROOT.resolve("proxy-cli/app/src/dist");

    private static List<Object> documents(String file) throws IOException {
        List<Object> documents = new ArrayList<>();
        new Load(LoadSettings.builder().build())
                .loadAllFromString(Files.readString(FOLDER.resolve(file)))
                .forEach(documents::add);
        return documents;
    }

    private static Object at(@Nullable Object from, Object... keys) {
        Object value = from;
        for (Object key : keys) {
            value = key instanceof Integer index
                    ? ((List<?>) Objects.requireNonNull(value)).get(index)
                    : ((Map<?, ?>) Objects.requireNonNull(value)).get(key);
        }
        return Objects.requireNonNull(value, () -> List.of(keys) + " in " + from);
    }

    private static Object only(String file, String kind) throws IOException {
        return documents(file).stream()
                .filter(one -> kind.equals(at(one, "kind")))
                .findFirst()
                .orElseThrow();
    }

    private static List<?> list(Object from, Object... keys) {
        return (List<?>) at(from, keys);
    }

    private static UnderstudyConfig config(String file, Set<String> variables) throws Exception {
        String yaml = String.valueOf(at(only(file, "ConfigMap"), "data", "understudy.yaml"));
        return ConfigLoader.load(yaml, file, PluginTypes.installed().records(), name -> {
                    variables.add(name);
                    return "a-secret-of-fair-length";
                })
                .config();
    }

    @ParameterizedTest
    @CsvSource({
        "configmap.yaml, deployment.yaml, containers, true",
        "sidecar.yaml, sidecar.yaml, initContainers, false",
    })
    void manifestsAgreeWithTheConfigurationAndTheProgram(
            String configFile, String file, String containers, boolean service) throws Exception {
        Set<String> variables = new TreeSet<>();
        UnderstudyConfig config = config(configFile, variables);
        Object secret = only("secret.yaml", "Secret");
        assertThat(((Map<?, ?>) at(secret, "stringData")).keySet()).isEqualTo(variables);

        Object deployment = only(file, "Deployment");
        Object pod = at(deployment, "spec", "template", "spec");
        Object container = at(pod, containers, 0);
        assertThat(at(container, "envFrom", 0, "secretRef", "name")).isEqualTo(at(secret, "metadata", "name"));
        assertThat(at(deployment, "spec", "selector", "matchLabels"))
                .isEqualTo(at(deployment, "spec", "template", "metadata", "labels"));

        // Ports and probes.
        int listens = config.listen().address().get(0).port();
        int admin = config.admin().address().port();
        List<Object> ports = new ArrayList<>();
        list(container, "ports").forEach(port -> ports.add(at(port, "name") + " " + at(port, "containerPort")));
        assertThat(ports)
                .isEqualTo(service ? List.of("mysql " + listens, "admin " + admin) : List.of("admin " + admin));
        assertThat(config.admin().address().isLoopback())
                .as("the kubelet reaches the probes")
                .isFalse();
        String paths = openApi();
        for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            if (service || !probe.equals("readinessProbe")) {
                assertThat(at(container, probe, "httpGet", "port")).isEqualTo("admin");
                assertThat(paths).contains("\n  " + at(container, probe, "httpGet", "path") + ":\n");
            }
        }

        // The pod lives as long as the drain.
        int pause = service
                ? Integer.parseInt(String.valueOf(at(container, "lifecycle", "preStop", "exec", "command", 1)))
                : 0;
        assertThat((Integer) at(pod, "terminationGracePeriodSeconds"))
                .isGreaterThan(pause + (int) config.limits().drainTimeout().toSeconds());

        // The file is where the image looks for it; user and mounts are those of the image.
        assertThat(dockerfile()).contains("\"" + at(container, "volumeMounts", 0, "mountPath") + "/understudy.yaml\"");
        assertThat(at(container, "volumeMounts", 1, "mountPath")).isEqualTo("/tmp");
        Object user = service ? at(pod, "securityContext", "runAsUser") : at(container, "securityContext", "runAsUser");
        assertThat(dockerfile()).contains("USER " + user + ":" + user);
        for (int i = 0; i < 2; i++) {
            assertThat(at(container, "volumeMounts", i, "name")).isEqualTo(at(pod, "volumes", i, "name"));
        }
        assertThat(at(pod, "volumes", 0, "configMap", "name"))
                .isEqualTo(at(only(configFile, "ConfigMap"), "metadata", "name"));
        assertThat(Files.readString(DIST.resolve("bin/understudy"))).contains("UNDERSTUDY_OPTS");
    }

    @Test
    void everySelectorSelectsThePods() throws IOException {
        Object labels = at(only("deployment.yaml", "Deployment"), "spec", "template", "metadata", "labels");
        for (Object service : documents("service.yaml")) {
            assertThat(at(service, "spec", "selector")).isEqualTo(labels);
            assertThat(at(service, "spec", "ports", 0, "targetPort")).isIn("mysql", "admin");
        }
        assertThat(at(only("poddisruptionbudget.yaml", "PodDisruptionBudget"), "spec", "selector", "matchLabels"))
                .isEqualTo(labels);
        assertThat(at(only("networkpolicy.yaml", "NetworkPolicy"), "spec", "podSelector", "matchLabels"))
                .isEqualTo(labels);
        assertThat(at(
                        only("deployment.yaml", "Deployment"),
                        "spec",
                        "template",
                        "spec",
                        "affinity",
                        "podAntiAffinity",
                        "preferredDuringSchedulingIgnoredDuringExecution",
                        0,
                        "podAffinityTerm",
                        "labelSelector",
                        "matchLabels"))
                .isEqualTo(labels);
    }

    /** A command in one pod reads the black boxes of all ({@code peers}), so the pods admit each other. */
    @Test
    void thePodsReachEachOthersAdminEndpoint() throws IOException {
        Object policy = only("networkpolicy.yaml", "NetworkPolicy");
        Object pods = at(policy, "spec", "podSelector");
        Object admitted = list(policy, "spec", "ingress").stream()
                .filter(rule -> at(rule, "ports", 0, "port").equals("admin"))
                .map(rule -> at(rule, "from"))
                .findFirst()
                .orElseThrow();
        assertThat(String.valueOf(admitted)).contains("podSelector=" + pods);
    }

    /** The page on tools has the command for the manifests: a service has the port, and the endpoint takes its name. */
    @Test
    void theGatesAddressIsThatOfAService() throws Exception {
        String page = Files.readString(DocsTest.ROOT.resolve("docs/failover-tools.md"));
        Matcher address = Pattern.compile("--admin ([a-z-]+):(\\d+)").matcher(page);
        assertThat(address.find()).isTrue();
        Object service = documents("service.yaml").stream()
                .filter(one -> address.group(1).equals(at(one, "metadata", "name")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no service " + address.group(1)));
        assertThat(at(service, "spec", "ports", 0, "port")).hasToString(address.group(2));
        assertThat(config("configmap.yaml", new TreeSet<>()).admin().hosts()).contains(address.group(1));
    }

    /** The kernel would end the larger process, the proxy. docs/capacity.md has the proxy's need. */
    @ParameterizedTest
    @ValueSource(strings = {"deployment.yaml", "helm/understudy/values.yaml"})
    void aCommandInThePodHasMemoryBesideTheProxy(String file) throws IOException {
        String text = Files.readString(FOLDER.resolve(file));
        Matcher share = Pattern.compile("MaxRAMPercentage=(\\d+)").matcher(text);
        Matcher limit = Pattern.compile("limits: \\{ memory: (\\d+)Mi }").matcher(text);
        assertThat(share.find() && limit.find()).isTrue();
        int mebibytes = Integer.parseInt(limit.group(1));
        int heap = mebibytes * Integer.parseInt(share.group(1)) / 100;
        assertThat(2 * heap + 100 + 150).isLessThanOrEqualTo(mebibytes);
        assertThat(heap).as("for 1,000 sessions").isGreaterThanOrEqualTo(256);
    }

    @Test
    void theDockerfileCopiesWhatThePackageHas() throws IOException {
        String assembly = Files.readString(DIST.resolve("assembly.xml"));
        int copied = 0;
        for (String line : dockerfile().lines().toList()) {
            if (line.startsWith("COPY ")) {
                String[] words = line.split(" ");
                for (int i = 1; i < words.length - 1; i++) {
                    assertThat(assembly)
                            .containsPattern("[>/]" + Pattern.quote(words[i].replaceAll("[\\[\\]]", "")) + "<");
                    copied++;
                }
            }
        }
        assertThat(copied).isEqualTo(6);
        assertThat(assembly).contains("<outputDirectory>docker</outputDirectory>");
        Matcher exposed = Pattern.compile("EXPOSE (\\d+) (\\d+)").matcher(dockerfile());
        assertThat(exposed.find()).isTrue();
        assertThat(Files.readString(FOLDER.resolve("deployment.yaml")))
                .contains("containerPort: " + exposed.group(1), "containerPort: " + exposed.group(2));
    }

    /** jib's image ({@code -Pimage}) has the files, the user, the ports and the command of the Dockerfile's. */
    @Test
    void theImageOfTheBuildIsThatOfTheDockerfile() throws IOException {
        String pom = Files.readString(DocsTest.ROOT.resolve("proxy-cli/app/pom.xml"));
        String docker = dockerfile();
        List<String> instructions = List.of(
                "FROM " + element(pom, "image.base"),
                "USER " + element(pom, "user"),
                "ENTRYPOINT [\"" + element(pom, "entrypoint") + "\"]",
                "CMD [\"" + element(pom, "args").replace(",", "\", \"") + "\"]");
        for (String instruction : instructions) {
            assertThat(docker.lines()).contains(instruction);
        }
        Set<String> copied = new TreeSet<>();
        docker.lines().filter(line -> line.startsWith("COPY ")).forEach(line -> {
            String[] words = line.split(" ");
            for (int i = 1; i < words.length - 1; i++) {
                copied.add(words[i].replaceAll("[\\[\\]]", ""));
            }
        });
        assertThat(new TreeSet<>(
                        List.of(element(pom, "includes").replace("/**", "").split(","))))
                .isEqualTo(copied);
        assertThat(docker).contains("/opt/understudy/lib", element(pom, "into"));
    }

    private static String element(String pom, String name) {
        Matcher found = Pattern.compile("<" + Pattern.quote(name) + ">([^<]+)</")
                .matcher(pom.substring(pom.indexOf("<id>image<")));
        assertThat(found.find()).as(name).isTrue();
        return found.group(1);
    }

    @Test
    void kubectlAcceptsTheFolder() throws Exception {
        assumeTrue(
                new ProcessBuilder("sh", "-c", "command -v kubectl").start().waitFor() == 0,
                "kubectl is not installed");
        Process kubectl = new ProcessBuilder("kubectl", "kustomize", FOLDER.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(kubectl.waitFor()).as(output).isZero();
        assertThat(output.lines().filter(line -> line.startsWith("kind: "))).hasSize(7);
    }

    private static String dockerfile() throws IOException {
        return Files.readString(DIST.resolve("docker/Dockerfile"));
    }

    private static String openApi() throws IOException {
        try (InputStream in = KubernetesTest.class.getResourceAsStream("/io/understudy/admin/openapi.yaml")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
