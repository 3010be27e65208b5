package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.plugins.gtiddomain.ownership.Conflict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * docs/monitoring uses metrics that docs/metrics.md lists (which {@link ReferencePagesTest} compares with a running
 * proxy), and promtool accepts its rules and their tests.
 */
class MonitoringTest {
    private static final Path FOLDER = DocsTest.ROOT.resolve("docs/monitoring");

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yaml", "alerts_test.yaml", "grafana.json"})
    void everyMetricIsDocumented(String file) throws IOException {
        Set<String> documented = new TreeSet<>();
        for (String name :
                names(Files.readString(DocsTest.ROOT.resolve("docs/metrics.md")), "`(understudy_[a-z_]+)`")) {
            documented.add(name);
            for (String suffix : new String[] {"_bucket", "_sum", "_count"}) {
                documented.add(name + suffix);
            }
        }
        Set<String> used = names(Files.readString(FOLDER.resolve(file)), "(understudy_[a-z_]+)[{\\[ )]");
        assertThat(used).hasSizeGreaterThan(10);
        assertThat(documented).containsAll(used);
    }

    @Test
    void everyAlertHasItsRunbookAndItsTest() throws IOException {
        String runbooks = Files.readString(FOLDER.resolve("README.md"));
        String tests = Files.readString(FOLDER.resolve("alerts_test.yaml"));
        Set<String> alerts = names(Files.readString(FOLDER.resolve("alerts.yaml")), "alert: (\\w+)");
        assertThat(alerts).hasSizeGreaterThan(10);
        for (String alert : alerts) {
            assertThat(runbooks).contains("\n### " + alert + "\n");
            assertThat(tests).contains("name: " + alert + " fires").contains("name: " + alert + " stays quiet");
        }
        // An anchor of GitHub's, GitLab's and MkDocs' kind: the heading in lower case.
        assertThat(names(Files.readString(FOLDER.resolve("alerts.yaml")), "runbook_url: (\\S+)"))
                .isEqualTo(alerts.stream()
                        .map(alert -> "docs/monitoring/README.md#" + alert.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Prometheus does not see the first event of a series that appears with it. */
    @Test
    void whatAlertsCountIsThereFromTheStart() throws IOException {
        String alerts = Files.readString(FOLDER.resolve("alerts.yaml"));
        Set<String> counted = names(alerts, "increase\\((understudy_[a-z_]+?)(?:_count)?[{\\[]");
        assertThat(counted).hasSizeGreaterThan(4);
        Set<String> later =
                names(Files.readString(DocsTest.ROOT.resolve("docs/metrics.md")), "(?m)^\\| `(understudy_[a-z_]+)` †");
        later.remove("understudy_mirror_verified_total"); // where results are compared, with the alert's outcome
        assertThat(counted).doesNotContainAnyElementsOf(later);
    }

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yaml", "alerts_test.yaml", "grafana.json", "README.md"})
    void everyKindOfConflictExists(String file) throws IOException {
        Set<String> kinds = names(
                Files.readString(FOLDER.resolve(file)),
                "understudy_gtid_domain_conflicts_total\\{[^}]*\\bkind!?=~?\\\\?\"([^\"\\\\]*)");
        assertThat(file.equals("alerts_test.yaml") && kinds.isEmpty()).isFalse();
        assertThat(Arrays.stream(Conflict.values()).map(Conflict::label)).containsAll(kinds);
    }

    @Test
    void promtoolRunsTheTestsOfTheRules() throws Exception {
        assumeTrue(
                new ProcessBuilder("sh", "-c", "command -v promtool").start().waitFor() == 0,
                "promtool (Debian: prometheus) is not installed");
        Process process = new ProcessBuilder("promtool", "test", "rules", "alerts_test.yaml")
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    private static Set<String> names(String text, String pattern) {
        Set<String> all = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            all.add(matcher.group(1));
        }
        return all;
    }
}
