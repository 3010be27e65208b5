package io.understudy.config;

import io.understudy.base.ByteSize;
import io.understudy.config.bind.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Bounds on time and memory.
 *
 * @param handshakeTimeout maximum time from accept to authenticated
 * @param drainDelay how long the proxy goes on accepting when it stops, while its readiness check fails already
 * @param drainTimeout how long sessions may finish their transactions when the proxy stops
 * @param nameTtl longest time for which the address of a host name is cached, if its record allows that
 * @param statementBytes bytes of a statement's text that plugins see; longer statements are forwarded all the same
 * @param inflationBytes memory that the decompressors of all sessions may take together; null: an eighth of the heap
 */
public record LimitsConfig(
        Duration handshakeTimeout,
        Duration drainDelay,
        Duration drainTimeout,
        Duration nameTtl,
        ByteSize statementBytes,
        @Nullable ByteSize inflationBytes) {

    private static final ByteSize SMALLEST_STATEMENT = new ByteSize(1 << 10);
    private static final ByteSize SMALLEST_INFLATION = new ByteSize(17 << 20);
    private static final ByteSize LARGEST_STATEMENT = new ByteSize(16 << 20);

    public LimitsConfig {
        handshakeTimeout = handshakeTimeout == null ? Duration.ofSeconds(10) : handshakeTimeout;
        drainDelay = drainDelay == null ? Duration.ZERO : drainDelay;
        drainTimeout = drainTimeout == null ? Duration.ofSeconds(30) : drainTimeout;
        nameTtl = nameTtl == null ? Duration.ofSeconds(60) : nameTtl;
        statementBytes = statementBytes == null ? new ByteSize(64 << 10) : statementBytes;
        Checks checks = new Checks();
        Legs.positive(checks, handshakeTimeout, "handshakeTimeout");
        checks.that(
                        nameTtl.compareTo(Duration.ofSeconds(1)) >= 0 && nameTtl.compareTo(Duration.ofDays(1)) <= 0,
                        "nameTtl",
                        "expected 1s to 1d")
                .that(
                        statementBytes.compareTo(SMALLEST_STATEMENT) >= 0
                                && statementBytes.compareTo(LARGEST_STATEMENT) <= 0,
                        "statementBytes",
                        "expected " + SMALLEST_STATEMENT + " to " + LARGEST_STATEMENT + " but found " + statementBytes)
                .that(
                        inflationBytes == null || inflationBytes.compareTo(SMALLEST_INFLATION) >= 0,
                        "inflationBytes",
                        "expected at least " + SMALLEST_INFLATION
                                + ", which the largest frame with zstd takes, but found " + inflationBytes)
                .done();
    }
}
