package io.understudy.plugins.querylog;

import io.understudy.base.ByteSize;
import io.understudy.plugins.querylog.stream.StreamConfig;
import io.understudy.rules.Match;
import io.understudy.sql.Literals;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The section {@code plugins.query-log}.
 *
 * @param digests number of digests with figures of their own
 * @param literals what the stream shows of the statements' values
 * @param readers readers of the stream at the same time
 * @param queue bounds of what waits for one reader
 * @param rules names for sets of statements, for readers that request one of them; first match wins
 */
public record QueryLogConfig(Integer digests, Literals literals, Integer readers, Queue queue, List<Rule> rules) {

    @SuppressWarnings("NullAway") // absent keys are null
    public QueryLogConfig {
        digests = digests == null ? 1000 : digests;
        literals = literals == null ? Literals.DROP : literals;
        readers = readers == null ? 16 : readers;
        queue = queue == null ? new Queue(10_000, new ByteSize(16 << 20)) : queue;
        rules = rules == null ? List.of() : List.copyOf(rules);
        if (digests < 16 || digests > 100_000) {
            throw new IllegalArgumentException("digests: expected 16 to 100000 but found " + digests);
        }
        if (readers < 1 || readers > 64) {
            throw new IllegalArgumentException("readers: expected 1 to 64 but found " + readers);
        }
        Set<String> names = new HashSet<>();
        for (Rule rule : rules) {
            if (!names.add(rule.name())) {
                throw new IllegalArgumentException("rules: two rules have the name '" + rule.name() + "'");
            }
        }
    }

    StreamConfig stream() {
        return new StreamConfig(
                literals,
                readers,
                queue.statements(),
                queue.bytes().bytes(),
                rules.stream().map(Rule::name).toList());
    }

    /**
     * Bounds of what waits for one reader; an event that exceeds one is dropped and counted.
     *
     * @param statements number of events
     * @param bytes their size
     */
    public record Queue(Integer statements, ByteSize bytes) {
        @SuppressWarnings("NullAway") // absent keys are null
        public Queue {
            statements = statements == null ? 10_000 : statements;
            bytes = bytes == null ? new ByteSize(16 << 20) : bytes;
            if (statements < 1 || statements > 1_000_000) {
                throw new IllegalArgumentException("statements: expected 1 to 1000000 but found " + statements);
            }
            if (bytes.bytes() < 1024) {
                throw new IllegalArgumentException("bytes: expected at least 1KiB but found " + bytes);
            }
        }
    }

    /**
     * One rule.
     *
     * @param name the value of {@code ?rule=}
     * @param match its condition; absent: every statement
     */
    public record Rule(String name, Match match) {
        @SuppressWarnings("NullAway") // absent keys are null
        public Rule {
            if (name == null || name.isEmpty()) {
                throw new IllegalArgumentException("name: required: what readers of the stream ask for");
            }
            match = match == null ? Match.ANY : match;
        }
    }
}
