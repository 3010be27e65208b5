package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.testkit.CapturedLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A file that names the primary of before a switch. */
@Tag("long")
class OldFileTest extends SwitchoverHarness {
    @Test
    void theProgramSaysThatTheFileNamesAnotherPrimary() throws Exception {
        EmbeddedServer old = primary();
        EmbeddedServer chosen = standby();
        assertThat(restartPending()).isZero();
        Said said = switchTo(chosen);
        assertThat(said.outcome()).as(said.text()).isEqualTo(ChangeOutcome.DONE);
        assertThat(restartPending()).isEqualTo(1);
        assertThat(admin.view("config").toString())
                .contains("path=primary.address", "running=" + text(chosen), "file=" + text(old));
        proxy.close();

        try (CapturedLog log = new CapturedLog()) {
            start("address: \"" + text(old) + "\"");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(proxy.proxy().notReady())
                            .singleElement()
                            .asString()
                            .contains(text(old) + " is read-only", "standby " + name(chosen) + " is writable"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(log.text())
                            .contains(
                                    "standby " + name(chosen) + " is writable: read_only is off, and the primary is"
                                            + " read-only",
                                    "Do not make it read-only"));
            assertThat(proxy.proxy().standbysView().toString()).doesNotContain("SET GLOBAL read_only=1");
        }
        admin.act("primary?address=" + text(chosen));
        await().atMost(PATIENCE).until(() -> proxy.proxy().notReady().isEmpty());
        makeStandby(old, said);
    }

    private double restartPending() {
        return proxy.registry().get("understudy.config.restart.pending").gauge().value();
    }

    /** As a switchover does, which may undo it. */
    @Test
    void aPrimaryThatIsReadOnlyForAHoldIsReady() throws Exception {
        EmbeddedServer server = primary();
        await().atMost(PATIENCE).until(() -> proxy.proxy().notReady().isEmpty());
        proxy.proxy().hold(Duration.ofSeconds(9), new CompletableFuture<>());
        server.execute("SET GLOBAL read_only=1");
        await().atMost(PATIENCE)
                .until(() -> Boolean.TRUE.equals(proxy.proxy().primaryView().get("readOnly")));
        assertThat(proxy.proxy().notReady()).isEmpty();
        server.execute("SET GLOBAL read_only=0");
        proxy.proxy().release();
        assertThat(proxy.proxy().notReady()).isEmpty();
        server.execute("SET GLOBAL read_only=1");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(proxy.proxy().notReady())
                        .singleElement()
                        .asString()
                        .contains("is read-only, so clients cannot write")
                        .contains("if no other server has been promoted since, and it replicates from none"));
        server.execute("SET GLOBAL read_only=0");
        await().atMost(PATIENCE).until(() -> proxy.proxy().notReady().isEmpty());
    }
}
