package io.understudy.session;

import io.understudy.command.CommandListener;
import io.understudy.command.Exchange;
import io.understudy.host.ObserverChain;
import io.understudy.inject.GtidTracking;
import io.understudy.inject.InjectionSource;
import io.understudy.metrics.CoreMetrics;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionContext;
import io.understudy.wire.packet.ErrPacket;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Joins the tracker to the session's observers. */
final class ObserverBridge implements CommandListener, InjectionSource, IntConsumer {
    private static final int ER_USER_LIMIT_REACHED = 1226;
    private static final Logger log = LoggerFactory.getLogger(ObserverBridge.class);

    private final ObserverChain chain;
    private final CoreMetrics metrics;
    private final @Nullable GtidTracking tracking;
    private final @Nullable LimitedAccounts limited;
    private final @Nullable SessionContext session;
    private @Nullable Exchange current;
    /** Nothing is injected: the account's queries are bounded. */
    private boolean quiet;
    /** A plugin has changed the session, and may have to change it back. */
    private boolean changed;

    ObserverBridge(ObserverChain chain, CoreMetrics metrics) {
        this(chain, metrics, null);
    }

    /** @param tracking the core's own injections, asked after the observers; null for none */
    ObserverBridge(ObserverChain chain, CoreMetrics metrics, @Nullable GtidTracking tracking) {
        this(chain, metrics, tracking, null, null);
    }

    /** @param limited accounts for which nothing is injected, {@code session}'s perhaps among them; null for none */
    ObserverBridge(
            ObserverChain chain,
            CoreMetrics metrics,
            @Nullable GtidTracking tracking,
            @Nullable LimitedAccounts limited,
            @Nullable SessionContext session) {
        this.limited = limited;
        this.session = session;
        this.chain = chain;
        this.metrics = metrics;
        this.tracking = tracking;
        begin();
    }

    /** The session has what a login leaves. */
    private void begin() {
        LimitedAccounts accounts = limited;
        SessionContext context = session;
        changed = false;
        quiet = accounts != null && context != null && accounts.contains(context.user());
    }

    @Override
    public boolean wants() {
        GtidTracking own = tracking;
        return !quiet && ((chain.interests() & Interest.BOUNDARY) != 0 || own != null && own.wants());
    }

    @Override
    public boolean wantsAheadOfPreparation() {
        return wants();
    }

    @Override
    public boolean owes() {
        return (chain.interests() & Interest.BOUNDARY) != 0 && chain.owes();
    }

    /** Whether {@link #wants} can ever be true. */
    boolean mayWant() {
        return (chain.interests() & Interest.BOUNDARY) != 0 || tracking != null;
    }

    /** @param reason label of a {@link CloseReason}, or {@link Unread#LABEL} */
    void close(String reason) {
        chain.onClose(reason);
    }

    @Override
    public int interests() {
        return chain.interests();
    }

    @Override
    public void accept(int observer) {
        Exchange exchange = current;
        if (exchange != null) {
            exchange.setSlot(observer);
        }
    }

    @Override
    public void onCommand(Exchange exchange) {
        current = exchange;
        chain.onCommand(exchange, this);
        current = null;
    }

    @Override
    public void onResponse(Exchange exchange) {
        InjectedStatement injected = exchange.injected();
        if (injected != null) {
            onInjected(exchange, injected);
            return;
        }
        current = exchange;
        chain.onResponse(exchange, exchange, this);
        current = null;
    }

    private void onInjected(Exchange exchange, InjectedStatement injected) {
        boolean own = exchange.injectedBy() == chain.size();
        String plugin = own ? "core" : chain.plugin(exchange.injectedBy());
        ErrPacket err = exchange.error();
        InjectionResult result =
                err == null ? InjectionResult.OK : new InjectionResult(exchange.errorCode(), err.message());
        if (result.ok()) {
            metrics.injected(plugin);
        } else {
            metrics.injectionRefused(plugin, result.errorCode());
            log.debug("{}: {} was refused: {} {}", plugin, injected.sql(), result.errorCode(), result.message());
        }
        changed |= result.ok() && !own;
        if (result.errorCode() == ER_USER_LIMIT_REACHED) {
            limitMet();
        }
        GtidTracking core = tracking;
        if (!own) {
            chain.onInjected(exchange.injectedBy(), injected, result);
        } else if (core != null) {
            core.done(result);
        }
    }

    /** A session that a plugin has changed goes on, so that it can be changed back; others of the account are left alone. */
    private void limitMet() {
        LimitedAccounts accounts = limited;
        SessionContext context = session;
        if (accounts != null && context != null) {
            accounts.met(context.user());
            quiet = !changed;
        }
    }

    @Override
    public void onReset() {
        begin();
        GtidTracking own = tracking;
        if (own != null) {
            own.reset();
        }
        chain.onReset();
    }

    @Override
    public int size() {
        return tracking == null ? chain.size() : chain.size() + 1;
    }

    @Override
    public @Nullable InjectedStatement afterLogin(int observer) {
        return quiet || observer == chain.size() ? null : chain.afterLogin(observer);
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(int observer, CommandView command) {
        if (observer == chain.size()) {
            GtidTracking own = tracking;
            return own == null ? null : own.take(command.number());
        }
        if (command instanceof Exchange exchange) {
            exchange.setSlot(observer);
        }
        return command.isStatement()
                ? chain.beforeCommand(observer, command)
                : chain.beforePreparation(observer, command);
    }

    @Override
    public @Nullable InjectedStatement beforeUnknown(int observer, CommandView command) {
        return observer == chain.size() ? null : chain.beforeUnknown(observer, command);
    }
}
