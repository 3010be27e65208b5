package io.understudy.session;

import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionRefusal;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A plugin refuses a login, or ends a session at a boundary, with an error of its own. */
@ExtendWith(LeakCheck.class)
class PluginRefusalTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final byte[] OK = packet(1, ok(0, AC));
    private static final SessionRefusal REFUSAL =
            new SessionRefusal("p0", "limit", 1226, "42000", "too many of you; close some");

    /** Refuses at the statement that names the callback. */
    private static final class Refusing extends Watcher {
        private @Nullable Scripted scripted;

        Refusing() {
            super(ALL | Interest.BOUNDARY);
        }

        private void refuse(String where, CommandView command) {
            if (Objects.requireNonNull(command.text()).equals(where)) {
                Objects.requireNonNull(Objects.requireNonNull(scripted).session.model())
                        .refuse(REFUSAL);
            }
        }

        @Override
        public void onCommand(CommandView command) {
            refuse("onCommand", command);
        }

        @Override
        public @Nullable InjectedStatement beforeCommand(CommandView command) {
            refuse("beforeCommand", command);
            refuse("SHOW WARNINGS", command);
            return null;
        }
    }

    private final Refusing observer = new Refusing();
    private final Scripted scripted = new Scripted(Memory.direct(), observer);

    private void logIn() {
        scripted.loggedIn(Scripted.CLASSIC);
        observer.scripted = scripted;
    }

    private static byte[] query(String sql) {
        return Bytes.command(CommandCode.QUERY, sql);
    }

    private static byte[] error(int number) {
        byte[] text = "#42000too many of you; close some".getBytes(StandardCharsets.UTF_8);
        return packet(number, Bytes.concat(Bytes.of(0xFF), Bytes.int2(1226), text));
    }

    private void ended() {
        assertThat(scripted.closed("refused_by_plugin")).isEqualTo(1);
        assertThat(observer.closings).containsExactly("refused_by_plugin");
        assertThat(scripted.meters
                        .get("understudy.plugin.refusals")
                        .tags("plugin", "p0", "reason", "limit")
                        .counter()
                        .count())
                .isEqualTo(1);
        scripted.finish();
    }

    @Test
    void aLoginIsRefusedInPlaceOfTheServersOk() {
        Scripted refused = new Scripted(Memory.direct(), session -> {
            session.refuse(REFUSAL);
            session.refuse(new SessionRefusal("p0", "second", 1, "HY000", "not the first"));
            assertThat(session.attributes()).isEmpty();
            assertThat(session.isTls()).isFalse();
            assertThat(session.certificateSubject()).isNull();
            return observer;
        });
        refused.connectServer();
        refused.server(packet(0, Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0")));
        refused.client(packet(1, Scripted.handshakeResponse(Scripted.CLASSIC, "app", null)));
        refused.client.take();
        refused.server(packet(2, ok(0, AC)));

        assertThat(refused.client.take()).isEqualTo(error(2));
        assertThat(refused.meters
                        .get("understudy.connections")
                        .tag("outcome", "refused_by_plugin")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(refused.closed("refused_by_plugin")).isEqualTo(1);
        assertThat(observer.closings).containsExactly("refused_by_plugin");
        refused.finish();
    }

    @Test
    void aCommandAtABoundaryIsNotSent() {
        logIn();
        aCommandIsNotSent();
    }

    private void aCommandIsNotSent() {
        scripted.client(query("beforeCommand"), query("SELECT 1"));
        assertThat(scripted.server.take()).isEmpty();
        assertThat(scripted.client.take()).isEqualTo(error(1));
        ended();
    }

    /** Injecting would use up their queries, refusing does not. */
    @Test
    void aLimitedAccountsCommandIsNotSent() {
        scripted.environment.limitedAccounts().tell(Set.of("app"));
        aCommandAtABoundaryIsNotSent();
    }

    @Test
    void aCommandThatReadsDiagnosticsIsNotSent() {
        logIn();
        scripted.client(query("SHOW WARNINGS"));
        assertThat(scripted.server.take()).isEmpty();
        assertThat(scripted.client.take()).isEqualTo(error(1));
        ended();
    }

    @Test
    void aCommandAfterAnErrorThatMayHaveLeftATransactionOpenIsNotSent() {
        logIn();
        byte[] failed = packet(1, Bytes.err(1062, "duplicate"));
        scripted.client(query("CALL p()"));
        scripted.server.take();
        scripted.server(failed);
        assertThat(scripted.client.take()).isEqualTo(failed);
        aCommandIsNotSent();
    }

    @Test
    void aCommandThatWasSentGetsItsResponseFirst() {
        logIn();
        scripted.client(query("onCommand"));
        assertThat(scripted.server.take()).isEqualTo(query("onCommand"));
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(Bytes.concat(OK, error(1)));
        ended();
    }

    @Test
    void aTransactionIsNotCutOff() {
        logIn();
        byte[] inTransaction = packet(1, ok(0, AC | ServerStatus.IN_TRANS));
        for (String sql : new String[] {"BEGIN", "onCommand"}) {
            scripted.client(query(sql));
            scripted.server(inTransaction);
            assertThat(scripted.client.take()).isEqualTo(inTransaction);
        }
        scripted.client(query("COMMIT"));
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(Bytes.concat(OK, error(1)));
        ended();
    }

    @Test
    void anIdleSessionEndsAtOnce() {
        logIn();
        Objects.requireNonNull(scripted.session.model()).refuse(REFUSAL);
        assertThat(scripted.client.take()).isEqualTo(error(1));
        ended();
    }
}
