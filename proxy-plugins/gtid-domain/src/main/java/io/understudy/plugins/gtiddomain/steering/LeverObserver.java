package io.understudy.plugins.gtiddomain.steering;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugin.VariableValue;
import io.understudy.plugins.gtiddomain.steering.SteeringMeters.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns one session's levers on before the statements that a rule matches, and off before the next statement that wants
 * something else. A lever stays on between statements that want it.
 */
public final class LeverObserver implements SessionObserver {
    private static final Lever[] LEVERS = Lever.values();

    private final SessionContext session;
    private final Supplier<Levers> inForce;
    private final List<SessionVariable> variables = new ArrayList<>();
    /** Levers that the server has; -1 until a rule's lever asks. */
    private int supported = -1;

    private Levers levers;
    private Wanted wanted;

    public LeverObserver(SessionContext session, Supplier<Levers> inForce) {
        this.session = session;
        this.inForce = inForce;
        levers = inForce.get();
        wanted = new Wanted(levers, session);
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
            wanted = new Wanted(latest, session);
        }
        if (!wanted.used) {
            return;
        }
        wanted.decide(command, atBoundary, session.settings().autocommit());
        for (Lever lever : LEVERS) {
            if (levers.active && (wanted.levers & lever.bit()) != 0 && supports(lever)) {
                variable(lever).want(lever.on());
            }
        }
    }

    private SessionVariable variable(Lever lever) {
        return variables.get(lever.ordinal());
    }

    @Override
    public void onCommand(CommandView command) {
        if (!wanted.used || !command.isStatement()) {
            return;
        }
        wanted.decide(command, false, session.settings().autocommit());
        for (Lever lever : LEVERS) {
            int rule = wanted.rule(lever);
            if (rule >= 0) {
                Outcome outcome = outcome(lever, command);
                if (outcome != null) {
                    levers.count(lever, rule, outcome);
                }
            }
        }
    }

    /** Returns null for the statements of a transaction that its first one has counted. */
    private @Nullable Outcome outcome(Lever lever, CommandView command) {
        SessionVariable variable = variable(lever);
        if (lever == Lever.TWO_PHASE && wanted.notCovered) {
            return Outcome.NOT_COVERED;
        } else if (!supports(lever)) {
            return Outcome.UNSUPPORTED;
        } else if (variable.isClients()) {
            return Outcome.RESPECTED;
        } else if (variable.isAway()) {
            return command.inTransactionBefore() ? null : Outcome.STEERED;
        } else if (command.inTransactionBefore()) {
            return Outcome.IN_TRANSACTION;
        } else if (!wanted.atBoundary) {
            return Outcome.NO_BOUNDARY;
        }
        return levers.active ? Outcome.LEFT_ALONE : Outcome.ADVISED;
    }
}
