package io.understudy.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.understudy.wire.PacketScanner;
import io.understudy.wire.PacketSink;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Scans one buffer of at most 64 KiB, full of packets of one size, none of which the sink inspects. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ScannerBenchmark {
    private static final int BUFFER = 64 * 1024;

    /** Payload bytes of each packet. */
    @Param({"20", "190", "65000"})
    public int payload;

    /** Whether the sink takes rows without a call for each. */
    @Param({"false", "true"})
    public boolean rows;

    private final ByteBufAllocator alloc = PooledByteBufAllocator.DEFAULT;
    private final ByteBuf bytes = alloc.directBuffer(BUFFER);
    private final PacketScanner scanner = new PacketScanner(new Discard(), alloc);

    @Setup
    public void fill() {
        while (bytes.writableBytes() >= payload + 4) {
            bytes.writeMediumLE(payload).writeByte(1).writeZero(payload);
        }
    }

    @Benchmark
    public void buffer() {
        scanner.scan(bytes.retain());
    }

    private final class Discard implements PacketSink {
        @Override
        public int onPacket(int length, int sequence, int first) {
            return 0;
        }

        @Override
        public boolean onShown(ByteBuf buf, int index, int length) {
            return true;
        }

        @Override
        public void onEnd() {}

        @Override
        public boolean takesRows() {
            return rows;
        }

        @Override
        public void forward(ByteBuf forwarded) {
            forwarded.release();
        }
    }
}
