package io.understudy.session;

import io.understudy.command.CommandListener;
import io.understudy.command.Exchange;
import io.understudy.command.SessionModel;
import io.understudy.host.SessionPlugin;
import io.understudy.inject.GtidTracking;
import io.understudy.inject.InjectionSource;
import io.understudy.metrics.CoreMetrics;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionObserver;
import io.understudy.wire.packet.ErrPacket;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The observers of one session, called in the order of the configuration, followed by the proxy's own
 * {@link GtidTracking}. An observer that throws is reported and replaced by one that undoes its statements; the session
 * continues. Must be used on the session's event loop.
 */
final class ObserverChain implements CommandListener, InjectionSource, WatchedRows.Fault {
    private static final int ER_USER_LIMIT_REACHED = 1226;
    /** The reason that an observer is told when its plugin is removed, in place of one why the session ended. */
    private static final String REMOVED = "removed";

    private static final Logger log = LoggerFactory.getLogger(ObserverChain.class);

    private final SessionModel session;
    private final SessionEnvironment environment;
    private final CoreMetrics metrics;
    private final LimitedAccounts limited;
    private final GtidTracking tracking;
    private final int core;
    private final String[] names;
    private final SessionObserver[] observers;
    private final int[] interests;
    /** Interests of the plugins' observers; that of the proxy itself depends on {@link GtidTracking#wants}. */
    private final int union;

    /** Whether nothing is injected, because the account's queries are limited. */
    private boolean quiet;
    /** Whether a plugin has changed the session, and may have to undo the change. */
    private boolean changed;

    ObserverChain(
            List<SessionPlugin> plugins, GtidTracking tracking, SessionModel session, SessionEnvironment environment) {
        this.session = session;
        this.environment = environment;
        this.metrics = environment.metrics();
        this.limited = environment.limitedAccounts();
        this.tracking = tracking;
        core = plugins.size();
        names = new String[core + 1];
        observers = new SessionObserver[core + 1];
        interests = new int[core + 1];
        for (int i = 0; i < core; i++) {
            names[i] = plugins.get(i).id();
            observers[i] = plugins.get(i).observer();
            interests[i] = plugins.get(i).interests();
        }
        names[core] = "core";
        observers[core] = tracking;
        interests[core] = tracking.interests();
        union = SessionPlugin.interests(plugins);
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
            observers[observer].onInjected(injected, result);
        } catch (Throwable fault) {
            retire(observer, "onInjected", fault);
        }
    }

    /** Returns whether an observer may watch rows. */
    boolean mayWatchRows() {
        return (union & Interest.ROWS) != 0;
    }

    @Override
    public void rowWatcherFailed(Exchange exchange, Throwable fault) {
        retire(exchange.rowWatcherSlot(), "onRow", fault);
    }

    @Override
    public void onReset() {
        begin();
        for (int i = 0; i < observers.length; i++) {
            try {
                observers[i].onReset();
            } catch (Throwable fault) {
                retire(i, "onReset", fault);
            }
        }
    }

    /**
     * Reports to the observers that the session has ended or is relayed unread, by the label of a {@link CloseReason}
     * or {@link Unread#LABEL}.
     */
    void close(String reason) {
        for (int i = 0; i < observers.length; i++) {
            try {
                observers[i].onClose(reason);
            } catch (Throwable fault) {
                remove(i, "onClose", fault);
            }
        }
    }

    /** Returns whether {@link #wants} can ever be true. */
    boolean mayWant() {
        return (union & Interest.BOUNDARY) != 0 || tracking.isOn();
    }

    @Override
    public boolean wants() {
        return !quiet && ((union & Interest.BOUNDARY) != 0 || tracking.wants());
    }

    @Override
    public boolean wantsAheadOfPreparation() {
        return wants();
    }

    @Override
    public boolean owes() {
        if ((union & Interest.BOUNDARY) == 0) {
            return false;
        }
        for (int i = 0; i < observers.length; i++) {
            if (owes(i)) {
                return true;
            }
        }
        return false;
    }

    private boolean owes(int observer) {
        try {
            return observers[observer].owes();
        } catch (Throwable fault) {
            retire(observer, "owes", fault);
            return owes(observer);
        }
    }

    @Override
    public int size() {
        return observers.length;
    }

    @Override
    public @Nullable InjectedStatement afterLogin(int observer) {
        if (quiet || (interests[observer] & Interest.BOUNDARY) == 0) {
            return null;
        }
        try {
            return observers[observer].afterLogin();
        } catch (Throwable fault) {
            retire(observer, "afterLogin", fault);
            return null;
        }
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(int observer, Exchange exchange) {
        if ((interests[observer] & Interest.BOUNDARY) == 0) {
            return null;
        }
        exchange.setSlot(observer);
        boolean statement = exchange.isStatement();
        try {
            return statement
                    ? observers[observer].beforeCommand(exchange)
                    : observers[observer].beforePreparation(exchange);
        } catch (Throwable fault) {
            retire(observer, statement ? "beforeCommand" : "beforePreparation", fault);
            return beforeCommand(observer, exchange);
        }
    }

    @Override
    public @Nullable InjectedStatement beforeUnknown(int observer, Exchange exchange) {
        if (!owes(observer)) {
            return null;
        }
        exchange.setSlot(observer);
        try {
            return observers[observer].beforeUnknown(exchange);
        } catch (Throwable fault) {
            retire(observer, "beforeUnknown", fault);
            return beforeUnknown(observer, exchange);
        }
    }

    /** Takes out the observer of a plugin that was removed from the configuration. */
    void leave(String plugin) {
        for (int i = 0; i < core; i++) {
            // One that stands in for a retired observer has to undo its statements yet.
            if (names[i].equals(plugin) && !(observers[i] instanceof UndoingObserver)) {
                leave(i);
            }
        }
    }

    private void leave(int observer) {
        SessionObserver leaving = observers[observer];
        takeOut(observer);
        try {
            undoLater(observer, leaving.onRemoved());
        } catch (Throwable fault) {
            environment.plugins().faulted(session, names[observer], "onRemoved", fault);
        }
        try {
            leaving.onClose(REMOVED);
        } catch (Throwable fault) {
            environment.plugins().faulted(session, names[observer], "onClose", fault);
        }
    }

    /** Has an observer called no more, not for rows of responses in flight either. */
    private void takeOut(int observer) {
        observers[observer] = SessionObserver.NONE;
        interests[observer] = Interest.NONE;
        if (mayWatchRows()) {
            session.inFlight().unwatchRows(observer);
        }
    }

    private void undoLater(int observer, @Nullable InjectedStatement undo) {
        if (undo != null) {
            observers[observer] = new UndoingObserver(undo);
            interests[observer] = Interest.BOUNDARY;
        }
    }

    private void retire(int observer, String where, Throwable fault) {
        SessionObserver retired = observers[observer];
        remove(observer, where, fault);
        try {
            undoLater(observer, retired.onRetired());
        } catch (Throwable again) {
            log.debug("{}: threw once more when it was retired", names[observer], again);
        }
    }

    private void remove(int observer, String where, Throwable fault) {
        takeOut(observer);
        environment.plugins().faulted(session, names[observer], where, fault);
    }
}
