package io.understudy.session;

import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of observers, and the cost of a session without any. */
class SessionObserversTest extends SessionHarness {
    /** Throws in the callback of the given name. */
    private static final class Faulty extends Watcher {
        private final String where;
        private int faults;

        Faulty(String where) {
            super(ALL | Interest.BOUNDARY);
            this.where = where;
            next = new InjectedStatement("SET @a=1", "test");
        }

        private void maybe(String callback) {
            if (callback.equals(where)) {
                faults++;
                throw new StackOverflowError("as the test wants, in " + callback);
            }
        }

        @Override
        public int interests() {
            maybe("interests");
            return super.interests();
        }

        @Override
        public void onCommand(CommandView command) {
            maybe("onCommand");
        }

        @Override
        public void onResponse(CommandView command, ResponseView response) {
            maybe("onResponse");
        }

        @Override
        public @Nullable InjectedStatement beforeCommand(CommandView command) {
            maybe("beforeCommand");
            return super.beforeCommand(command);
        }

        @Override
        public void onInjected(InjectedStatement statement, InjectionResult result) {
            maybe("onInjected");
        }

        @Override
        public void onReset() {
            maybe("onReset");
        }

        @Override
        public void onClose(String reason) {
            maybe("onClose");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"interests", "onCommand", "onResponse", "beforeCommand", "onInjected", "onReset", "onClose"})
    void aThrowingObserverIsRetiredWithoutAffectingOthers(String where) {
        Faulty faulty = new Faulty(where);
        Scripted scripted = new Scripted(Memory.direct(), faulty, watcher).loggedIn(Scripted.CLASSIC);
        for (int i = 0; i < 3; i++) {
            scripted.client(QUERY);
            if (scripted.server.take().length > QUERY.length) {
                scripted.server(packet(1, ok(0, AC)));
            }
            scripted.server(packet(1, ok(i, AC)));
            assertThat(scripted.client.take()).isEqualTo(packet(1, ok(i, AC)));
        }
        scripted.client(Bytes.command(CommandCode.RESET_CONNECTION, ""));
        scripted.server(packet(1, ok(0, AC)));
        scripted.finish();
        assertThat(faulty.faults).isEqualTo(1);
        assertThat(scripted.meters
                        .find("understudy.observer.faults")
                        .tag("plugin", "p0")
                        .counter())
                .isNotNull()
                .satisfies(counter -> assertThat(counter.count()).isEqualTo(1));
        assertThat(watcher.responses).hasSize(4);
        assertThat(watcher.resets).isEqualTo(1);
        assertThat(watcher.closings).containsExactly("client_closed");
    }

    @Test
    void requestingTextTooLateIsNoFault() {
        SessionObserver late = new SessionObserver() {
            @Override
            public int interests() {
                return Watcher.ALL;
            }

            @Override
            public void onResponse(CommandView command, ResponseView response) {
                assertThat(command.text()).isNull();
                assertThat(command.normalizedText()).isNull();
            }
        };
        Scripted scripted = new Scripted(Memory.heap(), late).loggedIn(Scripted.CLASSIC);
        scripted.client(QUERY);
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.meters.find("understudy.observer.faults").counter()).isNull();
        scripted.finish();
    }

    @Test
    void withoutObserversACommandAllocatesNothing() {
        Scripted scripted = new Scripted(Memory.heap()).loggedIn(Scripted.CLASSIC);
        scripted.client.countOnly();
        scripted.server.countOnly();
        ByteBuf command = Bytes.buffer(scripted.memory.alloc(), QUERY);
        ByteBuf response = Bytes.buffer(
                scripted.memory.alloc(),
                Bytes.concat(
                        packet(1, of(1)),
                        packet(2, definition("a")),
                        packet(3, Bytes.eof(AC)),
                        packet(4, of(1, 65)),
                        packet(5, Bytes.eof(AC))));
        run(scripted, command, response, 20_000);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        run(scripted, command, response, 20_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).as("bytes allocated by 20,000 commands").isLessThan(20_000);
        command.release();
        response.release();
        scripted.finish();
    }

    private static void run(Scripted scripted, ByteBuf command, ByteBuf response, int times) {
        for (int i = 0; i < times; i++) {
            scripted.session.fromClient(command.retain());
            scripted.session.clientReadComplete();
            scripted.session.fromServer(response.retain());
            scripted.session.serverReadComplete();
        }
    }
}
