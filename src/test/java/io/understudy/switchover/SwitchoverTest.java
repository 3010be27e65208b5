package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.cli.switchover.SwitchoverCommand;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.testkit.CapturedLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Planned changes of the primary that succeed, or are refused before they begin. {@code -Dunderstudy.it.switchovers=20}
 * sets how many in a row are measured.
 */
class SwitchoverTest extends SwitchoverHarness {
    private static final int SESSIONS = 8;
    private static final int TIMES = Integer.getInteger("understudy.it.switchovers", 3);
    private static final Pattern HELD = Pattern.compile("held for (\\d+) ms");
    private static final Pattern STEP = Pattern.compile("(?m)^[\\d:.]+  (\\S+ \\S+ \\S+).* \\((\\d+) ms\\) - ");
    private static final Pattern LAG = Pattern.compile("lag (\\d+) ms");

    @Test
    void nothingIsLostInAPlannedSwitchUnderLoad() throws Exception {
        List<Long> excess = new ArrayList<>();
        List<Long> held = new ArrayList<>();
        Map<String, Long> failures = new TreeMap<>();
        Map<String, List<Long>> took = new LinkedHashMap<>();
        CapturedLog log = new CapturedLog();
        try (log;
                WriteLoad load = new WriteLoad(address(), SESSIONS)) {
            for (int i = 0; i < TIMES; i++) {
                EmbeddedServer old = primary();
                EmbeddedServer chosen = standby();
                awaitGrowth(load);
                Said said = switchTo(chosen);
                steps(said.text())
                        .forEach((step, millis) -> took.computeIfAbsent(step, none -> new ArrayList<>())
                                .add(millis));
                assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.DONE);
                assertThat(said.text().strip()).endsWith("  done: " + name(chosen) + " is the primary");
                assertThat(readOnly(old)).isTrue();
                assertThat(readOnly(chosen)).isFalse();
                held.add(said.number(HELD));
                excess.add(said.number(HELD) - said.number(LAG));
                awaitGrowth(load);
                makeStandby(old, said);
            }
            load.close();
            assertThat(rows(primary()) - before).isEqualTo(load.committed());
            failures.putAll(load.failures());
        }
        Collections.sort(held);
        Collections.sort(excess);
        System.out.println("held ms " + held + ", without the lag " + excess + ", failed " + failures);
        took.forEach((step, millis) -> {
            Collections.sort(millis);
            System.out.println("  " + step + ": " + millis.get(millis.size() / 2) + " ms, at most "
                    + millis.get(millis.size() - 1));
        });
        assertThat(log.text().lines().filter(line -> line.contains(" WARN ")))
                .as("all of it was planned")
                .isEmpty();
        // Whatever failed had not begun.
        assertThat(failures.keySet()).isSubsetOf("begin 1053", "autocommit 1053", "login 1053");
        assertThat(failures).isNotEmpty();
        EmbeddedServer chosen = standby();
        String last = primary().query("SELECT @@GLOBAL.gtid_binlog_pos");
        assertThat(chosen.query("SELECT MASTER_GTID_WAIT('" + last + "', 20)")).isEqualTo("0");
        assertThat(chosen.query("CHECKSUM TABLE shop.t")).isEqualTo(primary().query("CHECKSUM TABLE shop.t"));
    }

    @Test
    void candidatesAreFollowedToo() throws Exception {
        proxy.close();
        start("candidates: [\"" + text(pair.primary()) + "\", \"" + text(pair.standby()) + "\"]");
        try (WriteLoad load = new WriteLoad(address(), 4)) {
            awaitGrowth(load);
            EmbeddedServer old = primary();
            Said said = switchTo(standby());
            assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.DONE);
            awaitGrowth(load);
            load.close();
            assertThat(rows(primary()) - before).isEqualTo(load.committed());
            makeStandby(old, said);
        }
    }

    /** Returns the time of each step by its first three words. */
    private static Map<String, Long> steps(String said) {
        Map<String, Long> steps = new LinkedHashMap<>();
        Matcher matcher = STEP.matcher(said);
        while (matcher.find()) {
            steps.put(matcher.group(1), Long.parseLong(matcher.group(2)));
        }
        return steps;
    }

    private int command(StringWriter out, String... arguments) {
        CommandLine line = new CommandLine(new SwitchoverCommand());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        return line.execute(arguments);
    }

    @Test
    void aDryRunChangesNothing() throws Exception {
        StringWriter out = new StringWriter();
        String file = folder.resolve("switchover.yaml").toString();
        String position = primary().query("SELECT @@GLOBAL.gtid_binlog_pos");
        assertThat(command(out, "--to", name(standby()), "-c", file, "--dry-run"))
                .as(out.toString())
                .isZero();
        assertThat(out.toString()).contains("15. print the statements", "lag ", "replicates from", "readiness gate");
        assertThat(readOnly(standby())).isTrue();
        assertThat(primary().query("SELECT @@GLOBAL.gtid_binlog_pos")).isEqualTo(position);
        assertThat(proxy.proxy().holdView()).containsEntry("held", false);

        assertThat(command(out, "--to", name(standby()), "-c", file, "--dry-run", "--max", "11s"))
                .isEqualTo(2);
        assertThat(out.toString()).contains("--max: expected at most limits.handshakeTimeout (10s), but found 11s");
        String without = folder.resolve("without-token.yaml").toString();
        Files.writeString(
                Path.of(without), Files.readString(Path.of(file)).replace(", token: a-token-of-fair-length", ""));
        StringWriter line = new StringWriter();
        assertThat(command(line, "--to", name(standby()), "-c", without)).isEqualTo(2);
        assertThat(line.toString().lines().findFirst().orElse(""))
                .contains("for holders of its token alone: add admin: { token");
        assertThat(command(out, "--to", "nobody", "-c", file)).isEqualTo(2);
        assertThat(out.toString()).contains("there is no standby 'nobody'");
        StringWriter already = new StringWriter();
        assertThat(command(already, "--to", name(primary()), "-c", file)).isZero();
        assertThat(already.toString())
                .contains("is the primary already; nothing")
                .doesNotContain("Usage");
    }

    @Tag("long")
    @Test
    void theReadinessGateIsQueried() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        old.execute("REVOKE SLAVE MONITOR ON *.* FROM monitor");
        pair.awaitCaughtUp(PATIENCE);
        Said unknown = switchTo(chosen);
        old.execute("GRANT SLAVE MONITOR ON *.* TO monitor");
        assertThat(unknown.outcome()).as(unknown.text()).isEqualTo(ChangeOutcome.NOT_PROMOTED);
        assertThat(unknown.text())
                .contains("the readiness gate says unknown", "GRANT SLAVE MONITOR ON *.* TO 'monitor'");
        assertThat(readOnly(old)).isFalse();
        String connections = chosen.query("SELECT @@GLOBAL.max_connections");
        chosen.execute("SET GLOBAL max_connections = 100");
        try {
            // The proxy keeps a report for two seconds.
            await().atMost(PATIENCE).untilAsserted(() -> {
                StringWriter out = new StringWriter();
                String file = folder.resolve("switchover.yaml").toString();
                assertThat(command(out, "--to", name(chosen), "-c", file, "--dry-run"))
                        .isZero();
                assertThat(out.toString()).contains("warns settings: max_connections is '100'", "lag ");
            });
        } finally {
            chosen.execute("SET GLOBAL max_connections = " + connections);
        }
    }

    @Test
    void missingPrivilegesAreNamedBeforeAnythingIsChanged() {
        EmbeddedServer old = primary();
        old.execute("REVOKE RELOAD, READ_ONLY ADMIN ON *.* FROM switcher");
        assertThatThrownBy(() -> switchTo(standby()))
                .hasMessageContaining("the account of section switchover may do too little: on the old primary it lacks"
                        + " READ_ONLY ADMIN, RELOAD; ")
                .hasMessageContaining("GRANT READ_ONLY ADMIN, RELOAD ON *.* TO 'switcher'@'%'");
        old.execute("GRANT RELOAD, READ_ONLY ADMIN ON *.* TO switcher");
        assertThat(readOnly(old)).isFalse();
    }
}
