package io.understudy.jmh;

import io.netty.buffer.ByteBuf;
import io.understudy.session.ClientSession;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What plugins add to a statement on the session's event loop: the proxy's own plugins observe a session with scripted
 * ends. Their other threads run, but have no server to work with.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PluginBenchmark {
    /** Statements of a read-write transaction of sysbench. */
    private static final int TRANSACTION = 20;

    private static final int HEADER = 4;
    private static final int AUTOCOMMIT = 2;
    private static final int IN_TRANSACTION = 1;

    private final ByteBuf query = query("SELECT c FROM sbtest1 WHERE id=4711");
    private final ByteBuf update = query("UPDATE sbtest1 SET k=k+1 WHERE id=4711");
    private final ByteBuf begin = query("BEGIN");
    private final ByteBuf commit = query("COMMIT");
    private final ByteBuf[] executions = new ByteBuf[TRANSACTION - 2];
    private final ByteBuf row = oneRow(AUTOCOMMIT);
    private final ByteBuf rowInTransaction = oneRow(AUTOCOMMIT | IN_TRANSACTION);
    private final ByteBuf ok = ok(1, AUTOCOMMIT | IN_TRANSACTION);
    /** The proxy cuts the GTID off in place, for a client that did not ask for it. */
    private final ByteBuf committed = Ends.okWith("last_gtid", "0-1-4711");

    private ClientSession session;

    @Setup
    public void open(RunningPlugins plugins) {
        session = Ends.observed(plugins.environment());
        prepareAll();
    }

    /** Prepares the statements of sysbench's transaction, whose ids are 1 to 9. */
    private void prepareAll() {
        String range = "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?";
        List<String> texts = List.of(
                "SELECT c FROM sbtest1 WHERE id=?",
                range,
                "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
                range + " ORDER BY c",
                "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
                "UPDATE sbtest1 SET k=k+1 WHERE id=?",
                "UPDATE sbtest1 SET c=? WHERE id=?",
                "DELETE FROM sbtest1 WHERE id=?",
                "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)");
        for (int i = 0; i < texts.size(); i++) {
            ByteBuf prepare = command(CommandCode.STMT_PREPARE, texts.get(i));
            // Without parameters in the response, so that no definitions follow it.
            ByteBuf prepared = Ends.packet(1, Ends.bytes(12).writeByte(0).writeIntLE(i + 1).writeZero(7));
            exchange(prepare, prepared);
        }
        int next = 0;
        for (int i = 0; i < 10; i++) {
            executions[next++] = execution(1);
        }
        for (int id = 2; id <= 9; id++) {
            executions[next++] = execution(id);
        }
    }

    private static ByteBuf execution(int id) {
        return Ends.packet(
                0,
                Ends.bytes(20)
                        .writeByte(CommandCode.STMT_EXECUTE)
                        .writeIntLE(id)
                        .writeByte(0)
                        .writeIntLE(1));
    }

    private static ByteBuf query(String sql) {
        return command(CommandCode.QUERY, sql);
    }

    private static ByteBuf command(int code, String sql) {
        ByteBuf payload = Ends.bytes(200).writeByte(code);
        payload.writeCharSequence(sql, StandardCharsets.US_ASCII);
        return Ends.packet(0, payload);
    }

    private static ByteBuf ok(int affected, int status) {
        return Ends.packet(
                1,
                Ends.bytes(7)
                        .writeByte(0)
                        .writeByte(affected)
                        .writeByte(0)
                        .writeShortLE(status)
                        .writeZero(2));
    }

    /** Returns one column and one row with EOF packets, for clients without CLIENT_DEPRECATE_EOF. */
    private static ByteBuf oneRow(int status) {
        ByteBuf out = Ends.bytes(512);
        out.writeMediumLE(1).writeByte(1).writeByte(1);
        out.writeMediumLE(60).writeByte(2).writeByte(3).writeZero(59);
        out.writeMediumLE(5).writeByte(3).writeByte(0xFE).writeShortLE(0).writeShortLE(status);
        out.writeMediumLE(120).writeByte(4).writeByte(119).writeZero(119);
        return out.writeMediumLE(5).writeByte(5).writeByte(0xFE).writeShortLE(0).writeShortLE(status);
    }

    @Benchmark
    public void textSelect() {
        exchange(query, row);
    }

    @Benchmark
    public void preparedSelect() {
        exchange(executions[0], row);
    }

    /** A write that is a transaction by itself: its response has a GTID. */
    @Benchmark
    public void commit() {
        exchange(update, uncut());
    }

    /** sysbench's transaction: per statement. */
    @Benchmark
    @OperationsPerInvocation(TRANSACTION)
    public void readWrite() {
        exchange(begin, ok);
        for (int i = 0; i < executions.length; i++) {
            exchange(executions[i], i < 14 ? rowInTransaction : ok);
        }
        exchange(commit, uncut());
    }

    private ByteBuf uncut() {
        committed.setMediumLE(0, committed.readableBytes() - HEADER);
        return committed.setShortLE(HEADER + 3, AUTOCOMMIT | ServerStatus.SESSION_STATE_CHANGED);
    }

    private void exchange(ByteBuf command, ByteBuf response) {
        session.fromClient(command.retain());
        session.clientReadComplete();
        session.fromServer(response.retain());
        session.serverReadComplete();
    }
}
