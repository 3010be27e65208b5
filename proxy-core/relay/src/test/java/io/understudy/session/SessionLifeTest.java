package io.understudy.session;

import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a session ends, drains and is held. */
class SessionLifeTest extends SessionHarness {
    @Test
    void aClientsCloseEndsTheSession() {
        Scripted scripted = loggedIn();
        scripted.session.clientClosed(false);
        over(scripted, "client_closed");
    }

    /** Failures of either leg that are not input or output errors are reported to the client and counted by cause. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failuresBelowTheSessionAreCountedByCause(boolean ofServer) {
        failed(ofServer, new OutOfMemoryError("Cannot reserve 65536 bytes of direct buffer memory"), "out_of_memory");
        failed(ofServer, new IllegalStateException("as no code of the proxy should"), "internal_error");
        failed(ofServer, new SSLException("bad record"), ofServer ? "server_tls_failed" : "client_tls_failed");
    }

    private void failed(boolean ofServer, Throwable cause, String reason) {
        watcher.closings.clear();
        Scripted scripted = loggedIn();
        if (ofServer) {
            scripted.session.serverFailed(cause);
        } else {
            scripted.session.clientFailed(cause);
        }
        over(scripted, reason);
    }

    /** Logs in and opens a cursor, which keeps the session from its boundary. */
    private Scripted withCursor() {
        Scripted scripted = loggedIn();
        scripted.client(Bytes.command(CommandCode.STMT_PREPARE, "SELECT a FROM t"));
        scripted.server(packet(1, of(0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
        scripted.client(packet(0, Bytes.concat(of(CommandCode.STMT_EXECUTE), Bytes.int4(9), of(1), Bytes.int4(1))));
        scripted.server(
                packet(1, of(1)), packet(2, definition("a")), packet(3, Bytes.eof(AC | ServerStatus.CURSOR_EXISTS)));
        assertThat(scripted.model().atBoundary()).isFalse();
        scripted.server.take();
        return scripted;
    }

    private static final byte[] CLOSE = packet(0, Bytes.concat(of(CommandCode.STMT_CLOSE), Bytes.int4(9)));

    /** COM_STMT_CLOSE has no response that could show the boundary. */
    @Test
    void aSessionIsHeldWhenItsCursorIsClosed() {
        Scripted scripted = withCursor();
        scripted.environment.hold().begin();
        scripted.session.hold();
        assertThat(scripted.session.held()).isFalse();
        scripted.client(CLOSE);
        assertThat(scripted.server.take()).isEqualTo(CLOSE);
        assertThat(scripted.session.held()).isTrue();
        scripted.client(QUERY);
        assertThat(scripted.server.take()).isEmpty();
        scripted.environment.hold().end();
        scripted.session.release();
        assertThat(scripted.server.take()).isEqualTo(QUERY);
        scripted.finish();
    }

    @Test
    void aSessionIsClosedWhenItsCursorIsClosed() {
        Scripted draining = withCursor();
        draining.session.drain();
        assertThat(draining.session.ended()).isFalse();
        draining.client(CLOSE);
        over(draining, "drained");

        watcher.closings.clear();
        Scripted left = withCursor();
        left.primaryChanges();
        assertThat(left.session.ended()).isFalse();
        left.client(CLOSE);
        over(left, "primary_changed");
    }

    /** Its command never ends; on its next connection it goes on by its position. */
    @ParameterizedTest
    @ValueSource(ints = {CommandCode.BINLOG_DUMP, CommandCode.BINLOG_DUMP_GTID})
    void aStandbyThatReadsTheBinaryLogIsNotHeldAndEndsAtOnce(int code) {
        byte[] dump = packet(0, of(code, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0));
        Scripted draining = loggedIn();
        draining.client(dump);
        draining.environment.hold().begin();
        draining.session.hold();
        assertThat(draining.session.held()).isFalse();
        assertThat(draining.session.ended()).isFalse();
        draining.session.drain();
        over(draining, "drained");

        watcher.closings.clear();
        Scripted left = loggedIn();
        left.client(dump);
        left.primaryChanges();
        over(left, "primary_changed");
    }

    /** Others wait for a lock: a session that has one goes on until it has released it. */
    @ParameterizedTest
    @ValueSource(strings = {"LOCK TABLES t WRITE", "SET STATEMENT lock_wait_timeout=3 FOR LOCK TABLES t WRITE"})
    void aSessionWithALockIsClosedWhenItHasReleasedIt(String lock) {
        Scripted scripted = loggedIn();
        scripted.client(Bytes.command(CommandCode.QUERY, lock));
        scripted.server(packet(1, ok(0, AC)));
        scripted.session.drain();
        assertThat(scripted.session.ended()).isFalse();
        scripted.client(Bytes.command(CommandCode.QUERY, "UNLOCK TABLES"));
        scripted.server(packet(1, ok(0, AC)));
        over(scripted, "drained");
    }

    private static void query(Scripted scripted, String sql) {
        scripted.client(Bytes.command(CommandCode.QUERY, sql));
    }

    /** The statements before the failed one have had their effect. */
    @ParameterizedTest
    @ValueSource(strings = {"LOCK TABLES t WRITE; SELECT bad", "LOCK TABLES t WRITE; SELECT bad; UNLOCK TABLES"})
    void aLockOfATextThatFailsLaterIsKept(String text) {
        Scripted scripted = loggedIn();
        query(scripted, text);
        scripted.server(packet(1, ok(0, AC | ServerStatus.MORE_RESULTS_EXISTS)));
        scripted.server(packet(2, Bytes.err(1054, "Unknown column 'bad'")));
        scripted.session.drain();
        assertThat(scripted.session.ended()).isFalse();
        query(scripted, "UNLOCK TABLES");
        scripted.server(packet(1, ok(0, AC)));
        over(scripted, "drained");
    }

    @Test
    void aFailedLockTablesHasReleasedTheEarlierLocks() {
        Scripted scripted = loggedIn();
        query(scripted, "LOCK TABLES t WRITE");
        scripted.server(packet(1, ok(0, AC)));
        query(scripted, "LOCK TABLES missing WRITE");
        scripted.server(packet(1, Bytes.err(1146, "Table 's.missing' doesn't exist")));
        scripted.session.drain();
        over(scripted, "drained");
    }

    @Test
    void aLockTablesWithASyntaxErrorReleasesNothing() {
        Scripted scripted = loggedIn();
        query(scripted, "LOCK TABLES t WRITE");
        scripted.server(packet(1, ok(0, AC)));
        query(scripted, "LOCK TABLES t WRITTEN");
        scripted.server(packet(1, Bytes.err(1064, "You have an error in your SQL syntax")));
        scripted.session.drain();
        assertThat(scripted.session.ended()).isFalse();
    }

    /** BEGIN arrives before the lock is known to be taken. */
    @Test
    void aPipelinedTransactionReleasesTheLockBeforeIt() {
        Scripted scripted = loggedIn();
        query(scripted, "LOCK TABLES t WRITE");
        query(scripted, "BEGIN");
        query(scripted, "COMMIT");
        scripted.server(packet(1, ok(0, AC)));
        scripted.server(packet(1, ok(0, AC | ServerStatus.IN_TRANS)));
        scripted.server(packet(1, ok(0, AC)));
        scripted.session.drain();
        over(scripted, "drained");
    }

    @Test
    void aServersCloseEndsTheSession() {
        Scripted scripted = loggedIn();
        scripted.session.serverClosed();
        over(scripted, "server_closed");
    }

    @Test
    void drainsWhenIdle() {
        Scripted scripted = loggedIn();
        scripted.client(QUERY);
        scripted.session.drain();
        assertThat(scripted.session.ended()).isFalse();
        scripted.server(packet(1, ok(0, AC | ServerStatus.IN_TRANS)));
        assertThat(scripted.session.ended()).isFalse();
        scripted.client(QUERY);
        scripted.server(packet(1, ok(0, AC)));
        over(scripted, "drained");
    }

    @Test
    void drainTimesOut() {
        Scripted scripted = loggedIn();
        scripted.client(QUERY);
        scripted.session.drain();
        scripted.session.drainNow();
        over(scripted, "drain_timeout");
    }

    @Test
    void anUnreachablePrimaryIsReportedToTheClient() {
        Scripted scripted = new Scripted(Memory.heap());
        scripted.session.serverFailed(1042, "08S01", "no route");
        byte[] sent = scripted.client.take();
        assertThat(sent).isEqualTo(packet(0, Bytes.concat(of(0xFF), Bytes.int2(1042), Bytes.text("#08S01no route"))));
        assertThat(scripted.closed("primary_unreachable")).isEqualTo(1);
        scripted.finish();
        scripted.session.serverFailed(1042, "08S01", "no route");
        assertThat(scripted.client.take()).isEmpty();
    }

    @Test
    void aClientThatPipelinesTooFarHasToWait() {
        Scripted scripted = loggedIn();
        byte[] ping = Bytes.command(CommandCode.PING, "");
        for (int i = 0; i < 1024; i++) {
            assertThat(scripted.client.reading()).isTrue();
            scripted.client(ping);
        }
        assertThat(scripted.client.reading()).isFalse();
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.client.reading()).isTrue();
        scripted.finish();
    }

    @Test
    void anUnknownCommandInAPipelineDoesNotEndTheSession() {
        Scripted scripted = loggedIn();
        scripted.client(Bytes.command(0x77, ""), QUERY);
        byte[] responses =
                Bytes.concat(packet(1, Bytes.err(1047, "unknown")), packet(1, of(1)), packet(2, definition("a")));
        scripted.server(responses);
        assertThat(scripted.client.take()).isEqualTo(responses);
        assertThat(scripted.session.loggedIn()).isTrue();
        scripted.finish();
    }
}
