package io.understudy.session;

import io.understudy.command.CommandListener;
import io.understudy.command.Exchange;
import io.understudy.command.GtidTracking;
import io.understudy.command.SessionModel;
import io.understudy.host.SessionPlugin;
import io.understudy.metrics.CoreMetrics;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.Outcome;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionRefusal;
import io.understudy.plugin.SessionVariable;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementSummary;
import io.understudy.wire.packet.ErrPacket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The observers of one session, called in the order of the configuration, followed by the proxy's own
 * {@link GtidTracking}. An observer that throws is reported and taken out, and its variables are set back; the session
 * continues. Must be used on the session's event loop.
 */
final class ObserverChain implements CommandListener {
    private static final int ER_USER_LIMIT_REACHED = 1226;
    /** The reasons that an observer is told when the session goes on without it. */
    private static final String REMOVED = "removed";

    private static final String RETIRED = "retired";

    private static final Logger log = LoggerFactory.getLogger(ObserverChain.class);

    private final SessionModel session;
    private final SessionEnvironment environment;
    private final CoreMetrics metrics;
    private final LimitedAccounts limited;
    private final GtidTracking tracking;
    private final int core;
    private final String[] names;
    private final SessionObserver[] observers;
    private final SessionVariable[][] variables;
    private final int[] interests;
    /** Interests of the plugins' observers; that of the proxy itself depends on {@link GtidTracking#wants}. */
    private final int union;

    private boolean setsVariables;

    /** Whether nothing is injected, because the account's queries are limited. */
    private boolean quiet;
    /** Whether a plugin has changed the session, and may have to undo the change. */
    private boolean changed;

    ObserverChain(List<SessionPlugin> plugins, SessionModel session, SessionEnvironment environment) {
        this.session = session;
        this.environment = environment;
        this.metrics = environment.metrics();
        this.limited = environment.limitedAccounts();
        this.tracking = session.tracking();
        core = plugins.size();
        names = new String[core + 1];
        observers = new SessionObserver[core + 1];
        interests = new int[core + 1];
        variables = new SessionVariable[core + 1][];
        for (int i = 0; i < core; i++) {
            names[i] = plugins.get(i).id();
            observers[i] = plugins.get(i).observer();
            interests[i] = plugins.get(i).interests();
            variables[i] = plugins.get(i).variables().toArray(new SessionVariable[0]);
            setsVariables |= variables[i].length > 0;
        }
        names[core] = "core";
        observers[core] = tracking;
        interests[core] = tracking.interests();
        variables[core] = new SessionVariable[0];
        union = SessionPlugin.interests(plugins) | (setsVariables ? Interest.COMMANDS | Interest.BOUNDARY : 0);
        begin();
    }

    /** Sets the state that a session has after a login. */
    private void begin() {
        changed = false;
        quiet = limited.contains(session.user());
    }

    @Override
    public int interests() {
        return union;
    }

    @Override
    public void onCommand(Exchange exchange) {
        if (setsVariables) {
            noteSettings(exchange);
        }
        for (int i = 0; i < observers.length; i++) {
            if ((interests[i] & Interest.COMMANDS) != 0) {
                exchange.setSlot(i);
                try {
                    observers[i].onCommand(exchange);
                } catch (Throwable fault) {
                    retire(i, "onCommand", fault);
                }
            }
        }
    }

    private void noteSettings(Exchange exchange) {
        boolean resets = exchange.code() == CommandCode.RESET_CONNECTION || exchange.code() == CommandCode.CHANGE_USER;
        String settingText = resets ? "" : SessionVariable.settingText(exchange);
        for (int i = 0; settingText != null && i < core; i++) {
            try {
                for (SessionVariable variable : variables[i]) {
                    if (resets) {
                        variable.resetSent();
                    } else {
                        variable.sent(settingText);
                    }
                }
            } catch (Throwable fault) {
                retire(i, "onClientSets", fault);
            }
        }
    }

    @Override
    public void onResponse(Exchange exchange) {
        InjectedStatement injected = exchange.injected();
        if (injected != null) {
            onInjected(exchange, injected);
            return;
        }
        for (int i = 0; i < observers.length; i++) {
            if ((interests[i] & Interest.RESPONSES) != 0) {
                exchange.setSlot(i);
                try {
                    observers[i].onResponse(exchange, exchange);
                } catch (Throwable fault) {
                    retire(i, "onResponse", fault);
                }
            }
        }
    }

    private void onInjected(Exchange exchange, InjectedStatement injected) {
        int observer = exchange.injectedBy();
        ErrPacket err = exchange.error();
        InjectionResult result =
                err == null ? InjectionResult.OK : new InjectionResult(exchange.errorCode(), err.message());
        if (result.ok()) {
            metrics.injected(names[observer]);
            changed |= observer != core;
        } else {
            metrics.injectionRefused(names[observer], result.errorCode());
            log.debug(
                    "{}: {} was refused: {} {}", names[observer], injected.sql(), result.errorCode(), result.message());
        }
        if (result.errorCode() == ER_USER_LIMIT_REACHED) {
            // Injection continues in a session that a plugin has changed, so that it can undo the change; new sessions
            // of the account get none.
            limited.met(session.user());
            quiet = !changed;
        }
        try {
            for (SessionVariable variable : variables[observer]) {
                if (variable.responded(injected, result)) {
                    return;
                }
            }
            observers[observer].onInjected(injected, result);
        } catch (Throwable fault) {
            retire(observer, "onInjected", fault);
        }
    }

    /** Returns whether an observer may watch rows. */
    boolean mayWatchRows() {
        return (union & Interest.ROWS) != 0;
    }

    /** Called with the response whose watcher of rows has thrown. */
    void rowWatcherFailed(Exchange exchange, Throwable fault) {
        retire(exchange.rowWatcherSlot(), "onRow", fault);
    }

    @Override
    public void onReset() {
        begunAnew("onReset", SessionObserver::onReset);
    }

    /** Called when the session has gone on to another server, whose connection has none of the proxy's variables. */
    void moved() {
        begunAnew("onMoved", SessionObserver::onMoved);
    }

    private void begunAnew(String where, Consumer<SessionObserver> call) {
        begin();
        for (int i = 0; i < observers.length; i++) {
            try {
                for (SessionVariable variable : variables[i]) {
                    variable.reset();
                }
                call.accept(observers[i]);
            } catch (Throwable fault) {
                retire(i, where, fault);
            }
        }
    }

    /**
     * Asks each observer what became of a command, see {@link SessionObserver#outcomeOf}.
     *
     * @return the first observer's stage that can find out, or null
     */
    @Nullable
    CompletionStage<Outcome> outcomeOf(Exchange exchange, Duration patience) {
        CompletionStage<Outcome> first = null;
        for (int i = 0; i < core; i++) {
            exchange.setSlot(i);
            try {
                CompletionStage<Outcome> stage = observers[i].outcomeOf(exchange, patience);
                first = first == null ? stage : first;
            } catch (Throwable fault) {
                retire(i, "outcomeOf", fault);
            }
        }
        return first;
    }

    /** See {@link SessionObserver#onOutcomeTold}. */
    void outcomeTold(Exchange exchange, Outcome outcome, boolean told) {
        for (int i = 0; i < core; i++) {
            exchange.setSlot(i);
            try {
                observers[i].onOutcomeTold(exchange, outcome, told);
            } catch (Throwable fault) {
                retire(i, "onOutcomeTold", fault);
            }
        }
    }

    /** Returns the session variables whose present values are the proxy's. */
    Set<String> ownVariables() {
        Set<String> own = new HashSet<>();
        for (int i = 0; i < core; i++) {
            for (SessionVariable variable : variables[i]) {
                own.addAll(variable.isAway() ? variable.names() : List.of());
            }
        }
        if (tracking.addedGtids()) {
            own.add("session_track_gtids");
        }
        return own;
    }

    /**
     * Reports to the observers that the session has ended or is relayed unread, by the label of a {@link CloseReason}
     * or {@link Unread#LABEL}.
     */
    void close(String reason) {
        for (int i = 0; i < observers.length; i++) {
            close(i, observers[i], reason);
        }
    }

    private void close(int number, SessionObserver observer, String reason) {
        try {
            observer.onClose(reason);
        } catch (Throwable fault) {
            environment.plugins.faulted(session, names[number], "onClose", fault);
        }
    }

    /** Returns whether {@link #wants} can ever be true. */
    boolean mayWant() {
        return (union & Interest.BOUNDARY) != 0 || tracking.isOn();
    }

    /**
     * Returns whether any observer may inject or refuse a statement now. Only then are statements held until they are
     * complete.
     */
    boolean wants() {
        return (union & Interest.BOUNDARY) != 0 || !quiet && tracking.wants();
    }

    /**
     * Returns whether a variable must still be set back, so that commands that may write are held even off a boundary.
     */
    boolean owes() {
        for (int i = 0; setsVariables && i < core; i++) {
            if (isAway(i)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAway(int observer) {
        for (SessionVariable variable : variables[observer]) {
            if (variable.isAway()) {
                return true;
            }
        }
        return false;
    }

    /** Gives the statements to inject before the session's first command. */
    void afterLogin(BoundaryInjector sink) {
        for (int i = 0; !quiet && i < core; i++) {
            set(i, null, true, sink);
        }
    }

    private void set(int observer, @Nullable String settingText, boolean atBoundary, BoundaryInjector sink) {
        for (SessionVariable variable : variables[observer]) {
            InjectedStatement statement = variable.ahead(settingText, atBoundary);
            if (statement != null) {
                sink.inject(statement, observer);
            }
        }
    }

    /**
     * Gives the statements to inject ahead of a command, in the order in which they are sent; off a boundary only those
     * that set variables back. At a boundary it may also refuse the command, by an exception.
     */
    void ahead(Exchange exchange, boolean atBoundary, BoundaryInjector sink) {
        boolean statement = exchange.isStatement();
        StatementSummary summary = exchange.summary();
        boolean wouldClear = summary != null && summary.readsDiagnostics();
        boolean injects = atBoundary && !quiet && !wouldClear && !session.statusInDoubt();
        boolean asked = statement || exchange.code() == CommandCode.STMT_PREPARE;
        String settingText = setsVariables && asked ? SessionVariable.settingText(exchange) : null;
        for (int i = 0; i < observers.length; i++) {
            exchange.setSlot(i);
            if (variables[i].length > 0 && !wouldClear && (injects || isAway(i))) {
                if (asked) {
                    choose(i, exchange, injects);
                }
                set(i, settingText, injects, sink);
            }
            boolean called = i == core ? injects : atBoundary && statement;
            if (called && (interests[i] & Interest.BOUNDARY) != 0) {
                beforeCommand(i, exchange, injects, sink);
            }
        }
        SessionRefusal refusal = atBoundary ? session.refusal() : null;
        if (refusal != null) {
            throw new PluginRefusal(refusal); // the command is still held, and is not sent
        }
    }

    private void choose(int observer, Exchange exchange, boolean atBoundary) {
        try {
            observers[observer].chooseVariables(exchange, atBoundary);
        } catch (Throwable fault) {
            retire(observer, "chooseVariables", fault);
        }
    }

    private void beforeCommand(int observer, Exchange exchange, boolean injects, BoundaryInjector sink) {
        InjectedStatement statement;
        try {
            statement = observers[observer].beforeCommand(exchange);
        } catch (Throwable fault) {
            retire(observer, "beforeCommand", fault);
            return;
        }
        if (statement != null && injects) {
            sink.inject(statement, observer);
        }
    }

    /** Takes out the observer of a plugin that was removed from the configuration. */
    void leave(String plugin) {
        for (int i = 0; i < core; i++) {
            if (names[i].equals(plugin)) {
                takeOut(i, REMOVED);
            }
        }
    }

    /** Has an observer called no more, not for rows of responses in flight either, and sets its variables back. */
    private void takeOut(int observer, String reason) {
        SessionObserver leaving = observers[observer];
        observers[observer] = SessionObserver.NONE;
        interests[observer] = Interest.NONE;
        for (SessionVariable variable : variables[observer]) {
            variable.release();
        }
        if (mayWatchRows()) {
            session.inFlight().unwatchRows(observer);
        }
        close(observer, leaving, reason);
    }

    private void retire(int observer, String where, Throwable fault) {
        environment.plugins.faulted(session, names[observer], where, fault);
        takeOut(observer, RETIRED);
    }
}
