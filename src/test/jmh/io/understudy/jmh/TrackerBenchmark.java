package io.understudy.jmh;

import io.netty.buffer.ByteBuf;
import io.understudy.session.ClientSession;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Relays a complete command and its response in a session without observers: both scanners, the tracker, the relay's
 * metrics.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TrackerBenchmark {
    private final ClientSession session = Ends.loggedIn();
    private final ByteBuf query = query("SELECT c FROM sbtest1 WHERE id=4711");
    private final ByteBuf oneRow = oneRow();
    private final ByteBuf rows = rows600();
    private final ByteBuf execute = Ends.packet(
            0,
            Ends.bytes(20)
                    .writeByte(0x17)
                    .writeIntLE(1)
                    .writeByte(0)
                    .writeIntLE(1)
                    .writeByte(0)
                    .writeByte(0)
                    .writeIntLE(4711));
    private final ByteBuf update = query("UPDATE sbtest1 SET k=k+1 WHERE id=4711");
    private final ByteBuf ok = Ends.packet(
            1, Ends.bytes(7).writeByte(0).writeByte(1).writeByte(0).writeShortLE(2).writeZero(2));

    /** Returns a result of 600 rows of 100 bytes. */
    private static ByteBuf rows600() {
        ByteBuf out = Ends.bytes(64 * 1024);
        out.writeMediumLE(1).writeByte(1).writeByte(1);
        out.writeMediumLE(60).writeByte(2).writeByte(3).writeZero(59);
        out.writeMediumLE(5).writeByte(3).writeByte(0xFE).writeShortLE(0).writeShortLE(2);
        for (int row = 0; row < 600; row++) {
            out.writeMediumLE(100).writeByte(4 + row).writeByte(99).writeZero(99);
        }
        return out.writeMediumLE(5).writeByte(604).writeByte(0xFE).writeShortLE(0).writeShortLE(2);
    }

    private static ByteBuf query(String sql) {
        ByteBuf payload = Ends.bytes(200).writeByte(3);
        payload.writeCharSequence(sql, StandardCharsets.US_ASCII);
        return Ends.packet(0, payload);
    }

    /** Returns one column and one row with EOF packets, for clients without CLIENT_DEPRECATE_EOF. */
    private static ByteBuf oneRow() {
        ByteBuf out = Ends.bytes(512);
        out.writeMediumLE(1).writeByte(1).writeByte(1);
        out.writeMediumLE(60).writeByte(2).writeByte(3).writeZero(59);
        out.writeMediumLE(5).writeByte(3).writeByte(0xFE).writeShortLE(0).writeShortLE(2);
        out.writeMediumLE(120).writeByte(4).writeByte(119).writeZero(119);
        return out.writeMediumLE(5).writeByte(5).writeByte(0xFE).writeShortLE(0).writeShortLE(2);
    }

    @Benchmark
    public void textQuery() {
        exchange(query, oneRow);
    }

    @Benchmark
    public void manyRows() {
        exchange(query, rows);
    }

    @Benchmark
    public void preparedExecute() {
        exchange(execute, oneRow);
    }

    @Benchmark
    public void update() {
        exchange(update, ok);
    }

    private void exchange(ByteBuf command, ByteBuf response) {
        session.fromClient(command.retain());
        session.clientReadComplete();
        session.fromServer(response.retain());
        session.serverReadComplete();
    }
}
