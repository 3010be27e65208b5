package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.host.PluginTypes;
import java.io.IOException;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * docs/kubernetes/helm: the values are complete and their configuration passes the check; where helm is installed (on
 * the path, or {@code -Dunderstudy.it.helm}), the chart renders what the plain manifests say. Without helm no template
 * is rendered.
 */
class HelmChartTest {
    private static final Path CHART = DocsTest.ROOT.resolve("docs/kubernetes/helm/understudy");
    private static final String HELM = System.getProperty("understudy.it.helm", "helm");

    @TempDir
    private Path folder;

    private static List<Object> documents(String yaml) {
        List<Object> documents = new ArrayList<>();
        new Load(LoadSettings.builder().build()).loadAllFromString(yaml).forEach(document -> {
            if (document != null) {
                documents.add(document);
            }
        });
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

    private static Object only(List<Object> documents, String kind) {
        return documents.stream()
                .filter(one -> kind.equals(at(one, "kind")))
                .findFirst()
                .orElseThrow();
    }

    private static Object values() throws IOException {
        return documents(Files.readString(CHART.resolve("values.yaml"))).get(0);
    }

    private static UnderstudyConfig load(String yaml, Set<String> variables) throws Exception {
        return ConfigLoader.load(
                        yaml, "understudy.yaml", PluginTypes.installed().records(), name -> {
                            variables.add(name);
                            return "a-secret-of-fair-length";
                        })
                .config();
    }

    private static void agrees(Object values, UnderstudyConfig config, Set<String> variables) {
        assertThat(((Map<?, ?>) at(values, "secret", "values")).keySet()).isEqualTo(variables);
        assertThat(config.listen().address().get(0).port()).isEqualTo(at(values, "ports", "mysql"));
        assertThat(config.admin().address().port()).isEqualTo(at(values, "ports", "admin"));
        assertThat((Integer) at(values, "terminationGracePeriodSeconds"))
                .isGreaterThan((Integer) at(values, "preStopSeconds")
                        + (int) config.limits().drainTimeout().toSeconds());
    }

    @Test
    void theValuesAgreeWithTheirConfiguration() throws Exception {
        Set<String> variables = new TreeSet<>();
        String yaml = new Dump(DumpSettings.builder().build()).dumpToString(at(values(), "config"));
        agrees(values(), load(yaml, variables), variables);
    }

    private static String templates() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(CHART.resolve("templates"))) {
            for (Path file : files.sorted().toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }

    private static void collect(Object value, String path, Set<String> leaves) {
        // What goes into the output as it is.
        boolean whole = Set.of("config", "resources", "secret.values").contains(path);
        if (value instanceof Map<?, ?> map && !map.isEmpty() && !whole) {
            map.forEach((key, inner) -> collect(
                    Objects.requireNonNull(inner), path.isEmpty() ? String.valueOf(key) : path + "." + key, leaves));
        } else {
            leaves.add(path);
        }
    }

    /** A template reads an unknown value as nothing, and says nothing. */
    @Test
    void templatesUseExactlyTheValues() throws IOException {
        Set<String> leaves = new TreeSet<>();
        collect(values(), "", leaves);
        Set<String> used = new TreeSet<>();
        Matcher value = Pattern.compile("\\.Values\\.([A-Za-z.]+)").matcher(templates());
        while (value.find()) {
            used.add(value.group(1));
        }
        // Compared with the ports.
        used.removeIf(name -> name.startsWith("config."));
        assertThat(used).isEqualTo(leaves);
        Map<?, ?> schema = (Map<?, ?>) at(
                documents(Files.readString(CHART.resolve("values.schema.json"))).get(0), "properties");
        Set<Object> keys = new TreeSet<>(schema.keySet());
        keys.remove("global");
        assertThat(keys).isEqualTo(new TreeSet<Object>(((Map<?, ?>) values()).keySet()));
    }

    private static String helm(String... words) throws IOException, InterruptedException {
        return helm(true, words);
    }

    private static String helm(boolean succeeds, String... words) throws IOException, InterruptedException {
        assumeTrue(
                new ProcessBuilder("sh", "-c", "command -v '" + HELM + "'")
                                .start()
                                .waitFor()
                        == 0,
                "helm is not installed");
        List<String> command = new ArrayList<>(List.of(HELM));
        command.addAll(List.of(words));
        Process helm = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(helm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(helm.waitFor() == 0).as(output).isEqualTo(succeeds);
        return output;
    }

    private static List<Object> template(String release, Path chart, String... options)
            throws IOException, InterruptedException {
        List<String> words = words(release, chart, options);
        String within = chart.equals(CHART) ? "" : "understudy.";
        words.addAll(List.of(
                "--set", within + "secret.values.UNDERSTUDY_PASSWORD=one",
                "--set", within + "secret.values.UNDERSTUDY_MIRROR_PASSWORD=two",
                "--set", within + "secret.values.UNDERSTUDY_ADMIN_TOKEN=0123456789abcdef"));
        return documents(helm(words.toArray(String[]::new)));
    }

    private static List<String> words(String release, Path chart, String... options) {
        List<String> words =
                new ArrayList<>(List.of("template", release, chart.toString(), "--kube-version", "1.29.0"));
        words.addAll(List.of(options));
        return words;
    }

    @Test
    void helmFindsNoFault() throws Exception {
        assertThat(helm("lint", "--strict", CHART.toString())).contains("0 chart(s) failed");
    }

    @Test
    void theDeploymentIsThatOfTheManifests() throws Exception {
        List<Object> rendered = template("understudy", CHART, "--set", "image.tag=latest");
        List<Object> kinds = rendered.stream().map(one -> at(one, "kind")).toList();
        assertThat(kinds)
                .containsExactlyInAnyOrder(
                        "ConfigMap",
                        "Secret",
                        "Deployment",
                        "Service",
                        "Service",
                        "NetworkPolicy",
                        "PodDisruptionBudget");
        Set<String> variables = new TreeSet<>();
        UnderstudyConfig config =
                load(String.valueOf(at(only(rendered, "ConfigMap"), "data", "understudy.yaml")), variables);
        agrees(values(), config, variables);

        Object pod = at(only(rendered, "Deployment"), "spec", "template", "spec");
        Object plain = at(
                documents(Files.readString(CHART.resolve("../../deployment.yaml")))
                        .get(0),
                "spec",
                "template",
                "spec");
        Object container = at(pod, "containers", 0);
        Object expected = at(plain, "containers", 0);
        for (String key : List.of("ports", "envFrom", "env", "lifecycle", "resources", "image", "imagePullPolicy")) {
            assertThat(at(container, key)).as(key).isEqualTo(at(expected, key));
        }
        for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            assertThat(String.valueOf(at(container, probe)).replace(", scheme=HTTP", ""))
                    .isEqualTo(String.valueOf(at(expected, probe)));
        }
        assertThat(at(pod, "terminationGracePeriodSeconds")).isEqualTo(at(plain, "terminationGracePeriodSeconds"));
        assertThat(at(container, "securityContext", "runAsUser")).isEqualTo(at(plain, "securityContext", "runAsUser"));
        for (int i = 0; i < 2; i++) {
            assertThat(at(container, "volumeMounts", i, "name")).isEqualTo(at(pod, "volumes", i, "name"));
            assertThat(at(container, "volumeMounts", i, "mountPath"))
                    .isEqualTo(at(expected, "volumeMounts", i, "mountPath"));
        }

        Object labels = at(only(rendered, "Deployment"), "spec", "template", "metadata", "labels");
        assertThat(at(only(rendered, "Deployment"), "spec", "selector", "matchLabels"))
                .isEqualTo(labels);
        assertThat(at(only(rendered, "PodDisruptionBudget"), "spec", "selector", "matchLabels"))
                .isEqualTo(labels);
        assertThat(at(only(rendered, "NetworkPolicy"), "spec", "podSelector", "matchLabels"))
                .isEqualTo(labels);
        assertThat(String.valueOf(at(only(rendered, "NetworkPolicy"), "spec", "ingress", 1, "from")))
                .contains("podSelector={matchLabels=" + labels + "}");
        assertThat(at(only(rendered, "Service"), "spec", "selector")).isEqualTo(labels);
        assertThat(String.valueOf(at(pod, "affinity", "podAntiAffinity")))
                .contains("preferred", String.valueOf(labels));
        assertThat(String.valueOf(at(
                        only(template("understudy", CHART, "--set", "antiAffinity=required"), "Deployment"),
                        "spec",
                        "template",
                        "spec",
                        "affinity",
                        "podAntiAffinity")))
                .contains("required", String.valueOf(labels));
    }

    /** Helm merges maps: a secret that has a value in the chart would stay in force where only others are set. */
    @Test
    void aSecretLeftOutIsAnError() throws Exception {
        assertThat(((Map<?, ?>) at(values(), "secret", "values")).values()).allMatch(""::equals);
        assertThat(Files.readString(CHART.resolve("templates/secret.yaml"))).contains("required");
        assertThat(helm(
                        false,
                        words("understudy", CHART, "--set", "secret.values.UNDERSTUDY_PASSWORD=one")
                                .toArray(String[]::new)))
                .contains("secret.values.UNDERSTUDY_ADMIN_TOKEN is empty");
    }

    @Test
    void aPortWhereNobodyListensIsAnError() throws Exception {
        assertThat(helm(
                        false,
                        words(
                                        "understudy",
                                        CHART,
                                        "--set",
                                        "config.listen.address=0.0.0.0:3306",
                                        "--set",
                                        "secret.existing=mine")
                                .toArray(String[]::new)))
                .contains("ports.mysql is 3307, and config.listen.address is 0.0.0.0:3306");
    }

    @Test
    void onePodAloneHasNoDisruptionBudget() throws Exception {
        assertThat(template("understudy", CHART, "--set", "replicas=1"))
                .noneMatch(one -> at(one, "kind").equals("PodDisruptionBudget"));
    }

    @Test
    void aFileOfItsOwnTakesThePlaceOfTheValues() throws Exception {
        Path file = Files.writeString(folder.resolve("understudy.yaml"), """
                listen: { address: "0.0.0.0:3307" }
                primary: { address: "db:3306", monitor: { user: u, password: "${env:UNDERSTUDY_PASSWORD}" } }
                plugins: { commit-latency: { serverId: 4000000001 } }
                """);
        List<Object> rendered = template("understudy", CHART, "--set-file", "configFile=" + file);
        assertThat(at(only(rendered, "ConfigMap"), "data", "understudy.yaml")).isEqualTo(Files.readString(file));
    }

    /** The root is read-only, and certificates of the configuration are files. */
    @Test
    void furtherVolumesAreMounted() throws Exception {
        List<Object> rendered = template(
                "understudy",
                CHART,
                "--set-json",
                "volumes=[{\"name\":\"tls\",\"secret\":{\"secretName\":\"db-tls\"}}]",
                "--set-json",
                "volumeMounts=[{\"name\":\"tls\",\"mountPath\":\"/tls\",\"readOnly\":true}]");
        Object pod = at(only(rendered, "Deployment"), "spec", "template", "spec");
        assertThat(at(pod, "volumes", 2, "secret", "secretName")).isEqualTo("db-tls");
        assertThat(at(pod, "containers", 0, "volumeMounts", 2, "mountPath")).isEqualTo("/tls");
    }

    @Test
    void anExistingSecretTakesThePlaceOfTheCharts() throws Exception {
        List<Object> rendered = template("shop", CHART, "--set", "secret.existing=from-vault");
        assertThat(rendered).noneMatch(one -> at(one, "kind").equals("Secret"));
        Object deployment = only(rendered, "Deployment");
        assertThat(at(deployment, "metadata", "name")).isEqualTo("shop-understudy");
        assertThat(at(deployment, "spec", "template", "spec", "containers", 0, "envFrom", 0, "secretRef", "name"))
                .isEqualTo("from-vault");
    }

    /** The example of docs/kubernetes/README.md, as a chart of an application. */
    @Test
    void anApplicationsChartIncludesTheSidecar() throws Exception {
        Path shop = Files.createDirectories(folder.resolve("shop"));
        Path inner = shop.resolve("charts/understudy");
        try (Stream<Path> files = Files.walk(CHART)) {
            for (Path file : files.toList()) {
                Path copy = inner.resolve(CHART.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
        String page = Files.readString(DocsTest.ROOT.resolve("docs/kubernetes/README.md"));
        Files.writeString(shop.resolve("Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
        Files.writeString(shop.resolve("values.yaml"), block(page, "# fragment of the values"));
        Files.createDirectories(shop.resolve("templates"));
        Files.writeString(
                shop.resolve("templates/deployment.yaml"),
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: shop }\n"
                        + block(page, "# fragment of its Deployment"));
        List<Object> rendered = template("shop", shop);
        List<Object> kinds = rendered.stream().map(one -> at(one, "kind")).toList();
        assertThat(kinds).containsExactlyInAnyOrder("ConfigMap", "Secret", "Deployment");
        Object pod = at(only(rendered, "Deployment"), "spec", "template", "spec");
        Object sidecar = at(pod, "initContainers", 0);
        assertThat(at(sidecar, "restartPolicy")).isEqualTo("Always");
        assertThat(((Map<?, ?>) sidecar).containsKey("readinessProbe")).isFalse();
        assertThat(at(sidecar, "volumeMounts", 0, "name")).isEqualTo(at(pod, "volumes", 0, "name"));
        Object map = only(rendered, "ConfigMap");
        assertThat(at(pod, "volumes", 0, "configMap", "name")).isEqualTo(at(map, "metadata", "name"));
        assertThat(at(sidecar, "envFrom", 0, "secretRef", "name"))
                .isEqualTo(at(only(rendered, "Secret"), "metadata", "name"));
        UnderstudyConfig config = load(String.valueOf(at(map, "data", "understudy.yaml")), new TreeSet<>());
        assertThat(config.listen().address().get(0)).hasToString("127.0.0.1:3306");
        assertThat((Integer) at(pod, "terminationGracePeriodSeconds"))
                .isGreaterThan((int) config.limits().drainTimeout().toSeconds());
    }

    /** Returns the block of code that begins with this line. */
    private static String block(String page, String first) {
        int from = page.indexOf("\n" + first);
        assertThat(from).as(first).isPositive();
        return page.substring(from + 1, page.indexOf("```", from));
    }
}
