package io.understudy.plugins.gtiddomain.steering;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.SessionContext;
import io.understudy.rules.SessionRules;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which levers a statement's text and the rules want, for one session. Reused from statement to statement. */
final class Wanted {
    private static final int NONE = SessionRules.NONE;
    private static final Lever[] LEVERS = Lever.values();

    private final Map<Lever, SessionRules<LeverRule>> rules = new EnumMap<>(Lever.class);
    private final int[] rule = new int[LEVERS.length];
    /** Whether any rule has a lever; without one nothing is ever wanted, and nothing need be decided. */
    final boolean used;
    /** Number of the command that it is about. */
    private long number = -1;
    /** Levers that a rule wants on. */
    int levers;
    /** Whether the statement was at a boundary. */
    boolean atBoundary;
    /** Whether a rule with {@code alter: two-phase} matches a schema change that it has no effect on. */
    boolean notCovered;

    Wanted(Levers levers, SessionContext session) {
        boolean any = false;
        for (Lever lever : LEVERS) {
            if (levers.uses(lever)) {
                rules.put(lever, levers.rules(lever).forSession(session));
                any = true;
            }
        }
        used = any;
    }

    /** Returns the index of the rule that matches for a lever, or {@link SessionRules#NONE}. */
    int rule(Lever lever) {
        return rule[lever.ordinal()];
    }

    /**
     * Decides about a command, unless it has done so.
     *
     * @param autocommit whether the session commits each statement outside of transactions
     */
    void decide(CommandView command, boolean boundary, boolean autocommit) {
        if (number == command.number()) {
            return;
        }
        number = command.number();
        atBoundary = boundary;
        levers = 0;
        notCovered = false;
        Arrays.fill(rule, NONE);
        StatementSummary summary = command.summary();
        StatementKind kind = summary == null ? command.kind() : summary.runs();
        if (rules.containsKey(Lever.TWO_PHASE) && (kind.isDdl() || kind == StatementKind.ADMIN)) {
            twoPhase(command, kind);
        }
        if (rules.containsKey(Lever.SKIP_PARALLEL)) {
            skip(command, summary, kind, autocommit);
        }
    }

    private void twoPhase(CommandView command, StatementKind kind) {
        int found = rules(Lever.TWO_PHASE).peekIndex(command);
        if (found == NONE) {
            return;
        }
        String gap = TwoPhaseCoverage.gap(kind, command.text());
        if (gap != null) {
            notCovered = !gap.isEmpty();
            wants(Lever.TWO_PHASE, found, !notCovered);
        }
    }

    private void skip(CommandView command, @Nullable StatementSummary summary, StatementKind kind, boolean autocommit) {
        if (kind == StatementKind.BEGIN || kind == StatementKind.XA) {
            int found = rules(Lever.SKIP_PARALLEL).sessionIndex();
            wants(Lever.SKIP_PARALLEL, found, found != NONE);
        } else if (writes(summary, kind) || !autocommit && begins(kind)) {
            int found = rules(Lever.SKIP_PARALLEL).peekIndex(command);
            wants(Lever.SKIP_PARALLEL, found, found != NONE);
        }
    }

    private void wants(Lever lever, int found, boolean on) {
        rule[lever.ordinal()] = found;
        levers |= on ? lever.bit() : 0;
    }

    private SessionRules<LeverRule> rules(Lever lever) {
        return Objects.requireNonNull(rules.get(lever));
    }

    static boolean writes(@Nullable StatementSummary summary, StatementKind kind) {
        return summary == null
                ? kind.writes()
                : !summary.writesListed() || !summary.writes().isEmpty() && kind != StatementKind.LOCK;
    }

    /** With autocommit off, every statement but those about transactions or settings begins a transaction. */
    private static boolean begins(StatementKind kind) {
        return switch (kind) {
            case SET, USE, COMMIT, ROLLBACK, EMPTY -> false;
            default -> true;
        };
    }
}
