package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.statement.Commands;
import io.understudy.plugins.mirror.statement.RefusedForms;
import io.understudy.plugins.mirror.statement.StatementSetting;
import io.understudy.plugins.mirror.tables.StandbyError;
import io.understudy.protocol.CommandCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Statements of which the standby is to return no rows, when it refuses that form. */
@SuppressWarnings("NullAway") // absent keys are null
class RowlessTest {
    private static final StatementSetting UTF8 = new StatementSetting("shop", 45, null, null, null, null);
    private static final StatementSetting OTHER = new StatementSetting("shop", 45, null, "'+01:00'", null, null);

    private long timeoutNanos = Long.MAX_VALUE;
    private final FakeStandby standby = new FakeStandby();
    private final FakeStandby.Connection connection =
            (FakeStandby.Connection) ((CompletableFuture<?>) standby.connect()).join();
    private final List<String> outcomes = new ArrayList<>();
    private final RefusedForms refused = new RefusedForms();
    private final Playback playback = new Playback(
            connection,
            Map.of(45, "NAMES utf8mb4"),
            new Playback.Probes() {
                @Override
                public @Nullable Probe probe(MirroredStatement statement, ServerFlavor flavor) {
                    return null;
                }

                @Override
                public boolean discardsRows(MirroredStatement statement) {
                    return !refused.contains(statement.digest(), 0);
                }

                @Override
                public void refusedForm(MirroredStatement statement) {
                    refused.add(statement.digest(), 0);
                }
            },
            new Playback.Listener() {
                @Override
                public void step(Runnable step) {
                    try {
                        step.run();
                    } catch (IllegalStateException e) {
                        outcomes.add(String.valueOf(e.getMessage()));
                    }
                }

                @Override
                public void executed(
                        MirroredStatement statement, String outcome, @Nullable StandbyError error, long nanos) {
                    outcomes.add(outcome);
                }

                @Override
                public void notReproducible(MirroredStatement statement, @Nullable StandbyError error) {
                    outcomes.add("not reproducible");
                }

                @Override
                public boolean failed(MirroredStatement statement, String reason) {
                    outcomes.add("failed");
                    return false;
                }

                @Override
                public long timeoutNanos() {
                    return timeoutNanos;
                }
            });

    private void play(String sql, StatementSetting setting, long digest) {
        ByteBuf packet = Commands.text(UnpooledByteBufAllocator.DEFAULT, CommandCode.QUERY, sql);
        MirrorRules.Bound rule =
                new MirrorRules.Bound(new MirrorConfig.Rule("all", null, null, null, null, null), List.of());
        playback.play(new MirroredStatement(
                packet, null, null, null, setting, List.of(), rule, 1, null, null, false, digest, 1000, 0));
    }

    private List<String> sent() {
        return connection.texts.stream()
                .filter(text -> !text.startsWith("SET ") && !text.startsWith("#"))
                .toList();
    }

    private void respond(int errorCode) {
        standby.errorCode = errorCode;
        connection.respondOne();
        standby.errorCode = 0;
    }

    private void adopt(String sql, StatementSetting setting, long digest) {
        standby.responding = false;
        play(sql, setting, digest);
        while (playback.awaitsStep()) {
            connection.respondOne();
        }
    }

    @Test
    void statementsArePipelinedInTheFormWithoutRows() {
        adopt("SELECT 1", UTF8, 1);
        play("SELECT 2", UTF8, 2);
        assertThat(playback.awaitsStep()).isFalse();
        assertThat(sent()).containsExactly("ANALYZE SELECT 1", "ANALYZE SELECT 2");
        respond(0);
        respond(0);
        assertThat(outcomes).containsExactly("ok", "ok");
    }

    /** The connection, which brings the response, would only log it. */
    @Test
    void aFaultInWhatFollowsAResponseIsReported() {
        adopt("SELECT 1", UTF8, 1);
        standby.commandFault = new IllegalStateException("no memory");
        respond(1345);
        assertThat(outcomes).containsExactly("no memory");
    }

    @Test
    void aRefusedFormIsSentPlainAndSoAreLaterOnesOfItsDigest() {
        adopt("SELECT 1", UTF8, 1);
        play("SELECT 2", UTF8, 2);
        respond(1345);
        assertThat(sent()).containsExactly("ANALYZE SELECT 1", "ANALYZE SELECT 2", "SELECT 1");
        respond(0);
        respond(0);
        assertThat(outcomes).containsExactly("ok", "ok");
        play("SELECT 3", UTF8, 1);
        assertThat(sent()).last().isEqualTo("SELECT 3");
    }

    /** The next statement has other settings already: the refused one gets its own back. */
    @Test
    void aRefusedFormIsSentAgainUnderItsOwnSettings() {
        adopt("SELECT 1", UTF8, 1);
        play("SELECT 2", OTHER, 2);
        assertThat(playback.awaitsStep()).isTrue();
        respond(1345);
        assertThat(outcomes).as("the settings of the other are on their way").containsExactly("not reproducible");
        while (playback.awaitsStep()) {
            connection.respondOne();
        }
        play("SELECT 3", UTF8, 3);
        while (playback.awaitsStep()) {
            connection.respondOne();
        }
        respond(1345);
        assertThat(sent()).endsWith("ANALYZE SELECT 3", "SELECT 3");
    }

    /** MySQL responds to an EXPLAIN ANALYZE that it has interrupted as to one that it has executed. */
    @Test
    void onMySqlAStatementThatWasInterruptedIsATimeout() {
        standby.flavor = ServerFlavor.MYSQL;
        adopt("SELECT 1", UTF8, 1);
        respond(0);
        timeoutNanos = 0;
        play("SELECT 2", UTF8, 2);
        respond(0);
        standby.flavor = ServerFlavor.MARIADB;
        play("SELECT 3", UTF8, 3);
        respond(0);
        assertThat(sent()).containsExactly("EXPLAIN ANALYZE SELECT 1", "EXPLAIN ANALYZE SELECT 2", "ANALYZE SELECT 3");
        assertThat(outcomes).containsExactly("ok", "timeout", "ok");
    }

    @Test
    void aStatementThatTookTooLongIsNotRepeated() {
        adopt("SELECT 1", UTF8, 1);
        respond(1969);
        assertThat(sent()).containsExactly("ANALYZE SELECT 1");
        assertThat(outcomes).containsExactly("timeout");
    }

    @Test
    void refusalsAreForgottenAndBounded() {
        RefusedForms forms = new RefusedForms();
        forms.add(1, 0);
        assertThat(forms.contains(1, 599_000_000_000L)).isTrue();
        assertThat(forms.contains(1, 600_000_000_000L)).isFalse();
        for (int i = 0; i < 1001; i++) {
            forms.add(i, 0);
        }
        assertThat(forms.contains(0, 1)).isFalse();
        assertThat(forms.contains(1000, 1)).isTrue();
    }
}
