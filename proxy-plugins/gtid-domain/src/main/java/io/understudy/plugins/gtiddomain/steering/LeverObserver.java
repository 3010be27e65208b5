package io.understudy.plugins.gtiddomain.steering;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.steering.SteeringMeters.Outcome;
import io.understudy.protocol.CommandCode;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns one session's levers on before the statements that a rule matches, and off before the next statement that wants
 * something else. A lever stays on between statements that want it.
 */
public final class LeverObserver implements SessionObserver {
    /** Purpose of the injected statements. */
    public static final String PURPOSE = "steering";

    private static final Lever[] LEVERS = Lever.values();

    private final SessionContext session;
    private final Supplier<Levers> inForce;
    private final SessionLevers state;
    /** Levers that the server has. */
    private final int supported;

    private Levers levers;
    private Wish wish;
    /** Number of the command that {@link #wish} is about. */
    private long wishedFor = -1;
    /** Number of the last command ahead of which something could be injected. */
    private long boundaryCommand = -1;

    public LeverObserver(SessionContext session, Supplier<Levers> inForce) {
        this.session = session;
        this.inForce = inForce;
        levers = inForce.get();
        state = new SessionLevers(levers.meters);
        wish = new Wish(levers, session);
        int known = 0;
        for (Lever lever : LEVERS) {
            known |= lever.refusal(session.flavor(), session.serverVersion()).isEmpty() ? lever.bit() : 0;
        }
        supported = known;
    }

    @Override
    public int interests() {
        return Interest.BOUNDARY | Interest.COMMANDS | Interest.STATEMENTS;
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(CommandView command) {
        return ahead(command);
    }

    /** Decides as for the execution, which clients send without waiting for the response to the preparation. */
    @Override
    public @Nullable InjectedStatement beforePreparation(CommandView command) {
        return ahead(command);
    }

    private @Nullable InjectedStatement ahead(CommandView command) {
        Levers latest = inForce.get();
        if (latest != levers) {
            levers = latest;
            wish = new Wish(latest, session);
        }
        decide(command);
        boundaryCommand = command.number();
        return state.change(levers.active ? wish.levers & supported : 0);
    }

    private void decide(CommandView command) {
        wish.of(command, session.settings().autocommit());
        wishedFor = command.number();
    }

    @Override
    public boolean owes() {
        return state.on() != 0;
    }

    /** Off a boundary levers are only turned off. */
    @Override
    public @Nullable InjectedStatement beforeUnknown(CommandView command) {
        if (!command.isStatement() && command.code() != CommandCode.STMT_PREPARE) {
            return state.change(0);
        }
        decide(command);
        return state.change(state.on() & wish.levers);
    }

    @Override
    public void onCommand(CommandView command) {
        if (!command.isStatement()) {
            return;
        }
        if (wishedFor != command.number()) {
            decide(command);
        }
        if (wish.clientSets != 0) {
            state.clientSets(wish.clientSets);
            return;
        }
        for (Lever lever : LEVERS) {
            int rule = wish.rule(lever);
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
        if (lever == Lever.TWO_PHASE && wish.notCovered) {
            return Outcome.NOT_COVERED;
        } else if ((supported & lever.bit()) == 0) {
            return Outcome.UNSUPPORTED;
        } else if (state.clientSets(lever)) {
            return Outcome.RESPECTED;
        } else if ((state.on() & lever.bit()) != 0) {
            return command.inTransactionBefore() ? null : Outcome.STEERED;
        } else if (command.inTransactionBefore()) {
            return Outcome.IN_TRANSACTION;
        } else if (command.number() != boundaryCommand) {
            return Outcome.NO_BOUNDARY;
        }
        return levers.active ? Outcome.LEFT_ALONE : Outcome.ADVISED;
    }

    @Override
    public void onInjected(InjectedStatement statement, InjectionResult result) {
        state.onInjected(result);
    }

    @Override
    public void onReset() {
        state.reset();
    }

    @Override
    public @Nullable InjectedStatement onRetired() {
        return state.change(0);
    }
}
