package io.understudy.plugins.mirror.selection;

import io.understudy.base.ByteSize;
import io.understudy.base.Secret;
import io.understudy.rules.Match;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code plugins.mirror}.
 *
 * @param concurrency connections to each standby
 * @param queue bounds of the queue to each standby
 * @param timeout per mirrored statement, enforced on the standby too
 * @param initSql run on each new standby connection, after the proxy's own read-only settings; may hold a secret
 * @param order whether a session's statements stay in order
 * @param pauseAbove load of a standby above which mirroring to it pauses
 * @param functions stored functions that are known to read only, {@code schema.name} or {@code name}
 * @param rules first match wins; no match: not mirrored
 * @param target pages a statement above the primary's that count as warm
 * @param standbyIops page reads a second that a standby can do, for the forecast; null for the highest rate seen
 * @param probes statements a second and standby whose page reads are counted; 0 for none
 * @param budget load of a standby within which {@code sample: adaptive} stays
 * @param writes what is mirrored of statements that write or lock
 * @param rows what becomes of the rows that a mirrored SELECT returns
 * @param verify the share of mirrored reads whose results are compared with the primary's, or null for none
 */
public record MirrorConfig(
        Integer concurrency,
        Queue queue,
        Duration timeout,
        List<Secret> initSql,
        Order order,
        PauseAbove pauseAbove,
        List<String> functions,
        List<Rule> rules,
        Double target,
        @Nullable Integer standbyIops,
        Integer probes,
        Budget budget,
        Writes writes,
        Rows rows,
        @Nullable SampleRate verify) {

    /** Order of statements on a standby. */
    public enum Order {
        NONE,
        SESSION
    }

    /** The population of which {@code sample} is a share. */
    public enum By {
        STATEMENT,
        SESSION
    }

    /** The part of writing and locking statements that is mirrored. */
    public enum Writes {
        NONE,
        /** Reads of the rows that their conditions select. */
        LOOKUPS
    }

    /** The treatment of the rows that a mirrored SELECT returns. */
    public enum Rows {
        SEND,
        /** The standby executes the statement and returns a few counts. */
        DISCARD_ON_STANDBY
    }

    @SuppressWarnings("NullAway") // absent keys are null
    public MirrorConfig {
        concurrency = concurrency == null ? 16 : concurrency;
        queue = queue == null ? new Queue(null, null, null) : queue;
        timeout = timeout == null ? Duration.ofSeconds(5) : timeout;
        initSql = initSql == null ? List.of() : List.copyOf(initSql);
        order = order == null ? Order.NONE : order;
        pauseAbove = pauseAbove == null ? new PauseAbove(null, null, null) : pauseAbove;
        functions = functions == null ? List.of() : List.copyOf(functions);
        rules = rules == null ? List.of() : List.copyOf(rules);
        target = target == null ? 0.1 : target;
        probes = probes == null ? 5 : probes;
        budget = budget == null ? new Budget(null, null, null) : budget;
        writes = writes == null ? Writes.NONE : writes;
        rows = rows == null ? Rows.SEND : rows;
        if (concurrency < 1 || concurrency > 1000) {
            throw new IllegalArgumentException("concurrency: expected 1 to 1000 but found " + concurrency);
        }
        if (timeout.toMillis() < 1) {
            throw new IllegalArgumentException("timeout: expected at least 1ms but found " + timeout);
        }
        if (!(target >= 0.001 && target <= 1000)) {
            throw new IllegalArgumentException("target: expected 0.001 to 1000 pages but found " + target);
        }
        atLeastOne("standbyIops", standbyIops);
        if (probes < 0 || probes > 1000) {
            throw new IllegalArgumentException("probes: expected 0 to 1000 but found " + probes);
        }
        if (probes == 0 && rules.stream().anyMatch(rule -> rule.sample().isAdaptive())) {
            throw new IllegalArgumentException("probes: expected at least 1 where a rule has sample: adaptive,"
                    + " which follows what the probes find; without them it would mirror everything for ever");
        }
        if (verify != null && verify.isAdaptive()) {
            throw new IllegalArgumentException("verify: expected a percentage such as 1% but found 'adaptive'");
        }
    }

    /**
     * Load of a standby above which {@code sample: adaptive} halves the sample.
     *
     * @param pageReads its page reads a second, or null for no bound
     * @param replicationLag how far it is behind
     * @param threadsRunning its Threads_running
     */
    public record Budget(@Nullable Integer pageReads, Duration replicationLag, Integer threadsRunning) {
        @SuppressWarnings("NullAway") // absent keys are null
        public Budget {
            replicationLag = replicationLag == null ? Duration.ofSeconds(5) : replicationLag;
            threadsRunning = threadsRunning == null ? 32 : threadsRunning;
            atLeastOne("pageReads", pageReads);
            atLeastOne("threadsRunning", threadsRunning);
        }
    }

    private static void atLeastOne(String key, @Nullable Integer value) {
        if (value != null && value < 1) {
            throw new IllegalArgumentException(key + ": expected at least 1 but found " + value);
        }
    }

    /** Returns whether results of mirrored reads are compared with the primary's. */
    public boolean verifies() {
        return verify != null && verify.millionths() > 0;
    }

    /** Returns {@link #functions} in lower case. */
    public Set<String> pureFunctions() {
        return functions.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Bounds of the queue to each standby; a statement that exceeds one is dropped and counted.
     *
     * @param statements number of statements
     * @param bytes total size of their packets
     * @param age longest time in the queue
     */
    public record Queue(Integer statements, ByteSize bytes, Duration age) {
        private static final Duration SHORTEST_AGE = Duration.ofMillis(50);

        @SuppressWarnings("NullAway") // absent keys are null
        public Queue {
            statements = statements == null ? 10_000 : statements;
            bytes = bytes == null ? new ByteSize(64 << 20) : bytes;
            age = age == null ? Duration.ofSeconds(5) : age;
            if (statements < 1 || statements > 10_000_000) {
                throw new IllegalArgumentException("statements: expected 1 to 10000000 but found " + statements);
            }
            if (bytes.bytes() < 1) {
                throw new IllegalArgumentException("bytes: expected at least 1 byte but found " + bytes);
            }
            if (age.compareTo(SHORTEST_AGE) < 0) {
                throw new IllegalArgumentException("age: expected at least " + SHORTEST_AGE.toMillis()
                        + "ms, because less than a batch may wait 20 ms by itself, but found " + age.toMillis()
                        + "ms");
            }
        }
    }

    /**
     * Bounds above which mirroring to a standby pauses, until the figure has fallen to four fifths of its bound.
     *
     * @param replicationLag how far the standby is behind
     * @param threadsRunning the standby's Threads_running
     * @param stoppedApplier pause while a replication channel of the standby is stopped, so that its lag is unknown
     */
    public record PauseAbove(Duration replicationLag, Integer threadsRunning, Boolean stoppedApplier) {
        @SuppressWarnings("NullAway") // absent keys are null
        public PauseAbove {
            replicationLag = replicationLag == null ? Duration.ofSeconds(10) : replicationLag;
            threadsRunning = threadsRunning == null ? 64 : threadsRunning;
            stoppedApplier = stoppedApplier == null || stoppedApplier;
            atLeastOne("threadsRunning", threadsRunning);
        }
    }

    /**
     * One rule.
     *
     * @param name for metrics and explanations
     * @param match conditions of the rule; absent: every statement
     * @param sample the share that is mirrored
     * @param by of statements, or of sessions, which are then mirrored whole or not at all
     * @param maxPerSecond statements that this rule mirrors in a second at most, on average; or null for no bound
     * @param standbys names of the standbys it mirrors to; empty for all
     */
    public record Rule(
            String name,
            Match match,
            SampleRate sample,
            By by,
            @Nullable Integer maxPerSecond,
            List<String> standbys) {
        @SuppressWarnings("NullAway") // absent keys are null
        public Rule {
            if (name == null || name.isEmpty()) {
                throw new IllegalArgumentException("name: required: what metrics call this rule");
            }
            match = match == null ? Match.ANY : match;
            sample = sample == null ? new SampleRate(SampleRate.ALL) : sample;
            by = by == null ? By.STATEMENT : by;
            standbys = standbys == null ? List.of() : List.copyOf(standbys);
            if (sample.isAdaptive() && by == By.SESSION) {
                throw new IllegalArgumentException("by: session does not go with sample: adaptive, which measures the"
                        + " load and the standby by single statements; leave it out");
            }
            atLeastOne("maxPerSecond", maxPerSecond);
        }
    }
}
