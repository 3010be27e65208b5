package io.understudy.plugins.gtiddomain.steering;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugin.VariableValue;
import io.understudy.plugins.gtiddomain.steering.SteeringMeters.Outcome;
import io.understudy.rules.SessionRules;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns one session's levers on before the statements that a rule matches, and off before the next statement that wants
 * something else. A lever stays on between statements that want it.
 */
public final class LeverObserver implements SessionObserver {
    private static final Lever[] LEVERS = Lever.values();
    private static final int NONE = SessionRules.NONE;

    private final SessionContext session;
    private final Supplier<Levers> inForce;
    private final List<SessionVariable> variables = new ArrayList<>();
    /** The rules of the levers that have some: without one nothing is ever wanted. */
    private final Map<Lever, SessionRules<DomainRule>> rules = new EnumMap<>(Lever.class);
    /** Levers that the server has; -1 until a rule's lever asks. */
    private int supported = -1;

    private Levers levers;

    /** Number of the command that was decided about last; what follows is about it. */
    private long decided;
    /** The rule that matches for each lever. */
    private final int[] rule = new int[LEVERS.length];
    /** Levers that a rule wants on. */
    private int wanted;

    private boolean wasAtBoundary;
    /** Whether a rule with {@code alter: two-phase} matches a schema change that it has no effect on. */
    private boolean notCovered;

    public LeverObserver(SessionContext session, Supplier<Levers> inForce) {
        this.session = session;
        this.inForce = inForce;
        levers = inForce.get();
        follow();
        for (Lever lever : LEVERS) {
            variables.add(lever.ofSession(new SessionVariable.Listener() {
                @Override
                public void onResponse(VariableValue value, InjectionResult result) {
                    if (!result.ok() && value == lever.on()) {
                        levers.meters.refused(lever, result.errorCode());
                    }
                }

                @Override
                public void onClientSets() {
                    levers.meters.clientSets();
                }
            }));
        }
    }

    private void follow() {
        decided = -1;
        rules.clear();
        for (Lever lever : LEVERS) {
            if (levers.uses(lever)) {
                rules.put(lever, levers.rules(lever).forSession(session));
            }
        }
    }

    private boolean supports(Lever lever) {
        if (supported < 0) {
            supported = 0;
            for (Lever each : LEVERS) {
                supported |=
                        each.refusal(session.flavor(), session.serverVersion()).isEmpty() ? each.bit() : 0;
            }
        }
        return (supported & lever.bit()) != 0;
    }

    @Override
    public int interests() {
        return Interest.BOUNDARY | Interest.COMMANDS | Interest.STATEMENTS;
    }

    @Override
    public List<SessionVariable> variables() {
        return variables;
    }

    /** Decides about a preparation as about the execution, which clients send without waiting for the response. */
    @Override
    public void chooseVariables(CommandView command, boolean atBoundary) {
        Levers latest = inForce.get();
        if (atBoundary && latest != levers) {
            levers = latest;
            follow();
        }
        if (rules.isEmpty()) {
            return;
        }
        decide(command, atBoundary);
        for (Lever lever : LEVERS) {
            if (levers.active && (wanted & lever.bit()) != 0 && supports(lever)) {
                variable(lever).want(lever.on());
            }
        }
    }

    private SessionVariable variable(Lever lever) {
        return variables.get(lever.ordinal());
    }

    /** Finds which levers a command wants, unless that is known. */
    private void decide(CommandView command, boolean atBoundary) {
        if (decided == command.number()) {
            return;
        }
        decided = command.number();
        wasAtBoundary = atBoundary;
        wanted = 0;
        notCovered = false;
        Arrays.fill(rule, NONE);
        StatementSummary summary = command.summary();
        StatementKind kind = summary == null ? command.kind() : summary.runs();
        if (rules.containsKey(Lever.TWO_PHASE) && (kind.isDdl() || kind == StatementKind.ADMIN)) {
            twoPhase(command, kind);
        }
        if (rules.containsKey(Lever.SKIP_PARALLEL)) {
            skip(command, summary, kind);
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

    private void skip(CommandView command, @Nullable StatementSummary summary, StatementKind kind) {
        if (kind == StatementKind.BEGIN || kind == StatementKind.XA) {
            int found = rules(Lever.SKIP_PARALLEL).sessionIndex();
            wants(Lever.SKIP_PARALLEL, found, found != NONE);
        } else if (writes(summary, kind) || !session.settings().autocommit() && kind.beginsTransaction()) {
            int found = rules(Lever.SKIP_PARALLEL).peekIndex(command);
            wants(Lever.SKIP_PARALLEL, found, found != NONE);
        }
    }

    private void wants(Lever lever, int found, boolean on) {
        rule[lever.ordinal()] = found;
        wanted |= on ? lever.bit() : 0;
    }

    private SessionRules<DomainRule> rules(Lever lever) {
        return Objects.requireNonNull(rules.get(lever));
    }

    static boolean writes(@Nullable StatementSummary summary, StatementKind kind) {
        return summary == null
                ? kind.writes()
                : !summary.writesListed() || !summary.writes().isEmpty() && kind != StatementKind.LOCK;
    }

    @Override
    public void onCommand(CommandView command) {
        if (rules.isEmpty() || !command.isStatement()) {
            return;
        }
        decide(command, false);
        for (Lever lever : LEVERS) {
            int found = rule[lever.ordinal()];
            Outcome outcome = found == NONE ? null : outcome(lever, command);
            if (outcome != null) {
                levers.count(lever, found, outcome);
            }
        }
    }

    /** Returns null for the statements of a transaction that its first one has counted. */
    private @Nullable Outcome outcome(Lever lever, CommandView command) {
        SessionVariable variable = variable(lever);
        if (lever == Lever.TWO_PHASE && notCovered) {
            return Outcome.NOT_COVERED;
        } else if (!supports(lever)) {
            return Outcome.UNSUPPORTED;
        } else if (variable.isClients()) {
            return Outcome.RESPECTED;
        } else if (variable.isAway()) {
            return command.inTransactionBefore() ? null : Outcome.STEERED;
        } else if (command.inTransactionBefore()) {
            return Outcome.IN_TRANSACTION;
        } else if (!wasAtBoundary) {
            return Outcome.NO_BOUNDARY;
        }
        return levers.active ? Outcome.LEFT_ALONE : Outcome.ADVISED;
    }
}
