package io.understudy.plugins.blackbox;

import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.plugins.blackbox.kept.Keeping;
import io.understudy.plugins.blackbox.kept.LogQueue;
import io.understudy.plugins.blackbox.kept.LogStall;
import io.understudy.plugins.blackbox.kept.RestoredLog;
import io.understudy.plugins.blackbox.log.LogException;
import io.understudy.plugins.blackbox.log.TransactionLog;
import io.understudy.plugins.blackbox.witness.Withdrawal;
import io.understudy.plugins.blackbox.witness.Witness;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what the black box retains to the log, on a thread of its own, and acknowledges it from there. The witness
 * begins once the log is read, which is tried until it succeeds.
 */
final class KeptInLog implements Keeping, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KeptInLog.class);

    private static final long REOPEN_MILLIS = 2_000;
    private static final long RETRY_MILLIS = 200;
    private static final long CLOSE_MILLIS = 5_000;
    /** Transactions of the log of which the connection can be asked for after a restart. */
    private static final int TRACED = 16_000;

    private static final long TRACED_BYTES = 64 << 20;
    private static final int SYNCS = 9;
    private static final int SYNCED_BYTES = 512;

    private final BlackBox box;
    private final BlackBoxConfig config;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final LogStall stall = new LogStall();
    private final Thread thread = new Thread(this::run, "black-box-log");

    /** What the last attempt to open the log has read. Used by the thread alone. */
    private @Nullable RestoredLog restored;

    private volatile @Nullable Witness witness;
    private volatile @Nullable LogQueue queue;
    private volatile boolean failing;
    private volatile boolean closed;

    KeptInLog(BlackBox box, BlackBoxConfig config, Clock clock, LongSupplier nanoClock) {
        this.box = box;
        this.config = config;
        this.clock = clock;
        this.nanoClock = nanoClock;
        thread.setDaemon(true);
    }

    /** Opens the log, then starts the witness. */
    void start(Witness filling) {
        witness = filling;
        thread.start();
    }

    private void run() {
        try (TransactionLog opened = open()) {
            if (opened == null) {
                return;
            }
            LogQueue filled = new LogQueue(box, opened, clock, nanoClock);
            queue = filled;
            Objects.requireNonNull(restored).trace(TRACED, TRACED_BYTES);
            box.writeTo(filled);
            Witness filling = witness;
            if (filling != null) {
                filling.start();
            }
            while (!closed || !failing && !filled.isEmpty()) {
                write(filled);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            // An Error too: the primary waits for what this thread does.
            failing = true;
            withdraw(Withdrawal.FAULT, String.valueOf(e));
            log.error("black-box: the log in {} is not written any more", config.directory(), e);
        }
    }

    private @Nullable TransactionLog open() throws InterruptedException {
        while (!closed) {
            RestoredLog reading = box.restored(clock);
            restored = reading;
            try {
                return TransactionLog.open(
                        Objects.requireNonNull(config.directory()),
                        config.size().bytes(),
                        config.acknowledge() == BlackBoxConfig.Acknowledge.DISK,
                        config.key(),
                        reading);
            } catch (LogException e) {
                Witness waiting = witness;
                if (waiting != null) {
                    waiting.cannotBegin(reason(e), String.valueOf(e.getMessage()));
                }
                for (long waited = 0; waited < REOPEN_MILLIS && !closed; waited += RETRY_MILLIS) {
                    Thread.sleep(RETRY_MILLIS);
                }
            }
        }
        return null;
    }

    private void write(LogQueue filled) throws InterruptedException {
        if (!filled.await(RETRY_MILLIS)) {
            return;
        }
        try {
            filled.write();
            failing = false;
        } catch (LogException e) {
            boolean first = !failing;
            failing = true;
            if (first) {
                withdraw(reason(e), String.valueOf(e.getMessage()));
            }
            Thread.sleep(RETRY_MILLIS);
        }
    }

    private static Withdrawal reason(LogException e) {
        return switch (e.reason()) {
            case DISK_FULL -> Withdrawal.DISK_FULL;
            case SIZE_FULL -> Withdrawal.SIZE;
            case IO -> Withdrawal.IO;
            case UNUSABLE -> Withdrawal.UNUSABLE;
        };
    }

    private void withdraw(Withdrawal reason, String text) {
        Witness filling = witness;
        if (filling != null) {
            filling.withdraw(reason, text);
        }
    }

    /** Has the witness withdraw while the primary waits for the log too long. Called every tenth of a second. */
    void watch() {
        if (stall.watch() && !failing) { // a failure has a reason of its own
            withdraw(Withdrawal.SLOW, "the log has taken nothing for half a second, and commits wait for it");
        }
    }

    @Override
    public void whenKept(Runnable acknowledgement) {
        LogQueue filled = queue;
        if (filled != null) {
            stall.due();
            filled.then(() -> {
                acknowledgement.run();
                stall.sent();
            });
        }
    }

    @Override
    public boolean mayContinue() {
        LogQueue filled = queue;
        return !failing && filled != null && filled.isEmpty() && box.hasRoomAgain();
    }

    /** Returns the median time to append about a transaction to a file of the directory and synchronise it. Waits. */
    static Duration syncTime(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, ".sync-", null);
        long[] times = new long[SYNCS];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int i = 0; i < SYNCS; i++) {
                long begun = System.nanoTime();
                channel.write(ByteBuffer.allocate(SYNCED_BYTES));
                channel.force(false);
                times[i] = System.nanoTime() - begun;
            }
        } finally {
            Files.deleteIfExists(file);
        }
        Arrays.sort(times);
        return Duration.ofNanos(times[SYNCS / 2]);
    }

    /** Writes what is left and closes the log. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
