package io.understudy.session;

import io.understudy.base.RepeatedWarning;
import io.understudy.command.PipelineBudget;
import io.understudy.command.ThreadIds;
import io.understudy.command.settings.ServerSqlMode;
import io.understudy.handshake.LoginPolicy;
import io.understudy.host.PluginHost;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.wire.compress.InflationBudget;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Objects that all sessions share. Thread-safe. */
public final class SessionEnvironment {
    private static final Logger log = LoggerFactory.getLogger(SessionEnvironment.class);

    final PluginHost plugins;
    private final CoreMetrics metrics;
    final SqlAnalyzer analyzer;
    final LatencyHistogram passthroughSeconds;
    private final ServerSqlMode sqlMode = new ServerSqlMode();
    private final LimitedAccounts limitedAccounts = new LimitedAccounts();
    private final InflationBudget inflation = new InflationBudget(InflationBudget.defaultLimit());
    final PipelineBudget pipeline = PipelineBudget.ofHeap();
    private final Hold hold;
    private final AbsentPrimary absentPrimary;
    /** The earlier thread ids of sessions that have moved. */
    final ThreadIds threadIds;

    private volatile Supplier<Collection<ClientSession>> sessions = List::of;
    /** Limits warnings that many sessions have one cause for. */
    final RepeatedWarning repeated = new RepeatedWarning(System::nanoTime);

    private volatile int statementLimit;
    private volatile long handshakeTimeoutMillis = TimeUnit.SECONDS.toMillis(10);
    private volatile boolean moves;
    private volatile LoginPolicy loginPolicy = LoginPolicy.PLAIN;

    /** @param statementLimit longest payload, in bytes, of a command that is shown to observers whole */
    public SessionEnvironment(PluginHost plugins, CoreMetrics metrics, SqlAnalyzer analyzer, int statementLimit) {
        this.plugins = plugins;
        this.metrics = metrics;
        this.analyzer = analyzer;
        setStatementLimit(statementLimit);
        this.threadIds = new ThreadIds(
                (number, server) -> sessions.get().stream().anyMatch(session -> session.isThread(number, server)));
        metrics.setKinds(Relaying.KINDS);
        this.hold = new Hold(metrics.histograms()
                .series("understudy_held_seconds", "How long sessions and new connections were held on request"));
        this.absentPrimary = new AbsentPrimary(metrics.registry());
        this.passthroughSeconds = metrics.histograms()
                .series(
                        "understudy_passthrough_session_seconds",
                        "Sessions whose TLS is relayed unread, from the client's request for TLS to the end");
    }

    /** Returns the meters of the relay. */
    public CoreMetrics metrics() {
        return metrics;
    }

    /** Returns the primary's global SQL mode, which is to be updated by each probe. */
    public ServerSqlMode sqlMode() {
        return sqlMode;
    }

    /** Returns the accounts for which nothing is injected. */
    public LimitedAccounts limitedAccounts() {
        return limitedAccounts;
    }

    /** Sets the sessions of the process. */
    public void sessions(Supplier<Collection<ClientSession>> all) {
        sessions = all;
    }

    /** Returns what holds sessions on request. */
    public Hold hold() {
        return hold;
    }

    /** Returns what has sessions wait while there is no primary. */
    public AbsentPrimary absentPrimary() {
        return absentPrimary;
    }

    /** Returns whether sessions move to a new primary, in place of ending. */
    boolean moves() {
        return moves;
    }

    /** Sets whether sessions move, from the next change of the primary on. */
    public void setMoves(boolean on) {
        moves = on;
    }

    /** Called when the primary told a client to connect to another address, and the client was not told so. */
    void redirectRemoved() {
        metrics.redirectRemoved();
        if (repeated.mayLog("redirect_url") >= 0) {
            log.warn("the primary directs clients to another address with its variable redirect_url; they do not see"
                    + " it and stay with the proxy. To move them, change the address that they connect to; to end this"
                    + " warning, SET GLOBAL redirect_url='' on the primary");
        }
    }

    LoginPolicy loginPolicy() {
        return loginPolicy;
    }

    /** Sets the policy for sessions that connect from now on. */
    public void setLoginPolicy(LoginPolicy policy) {
        loginPolicy = policy;
    }

    /** Returns the bound on the memory of all sessions' decompressors. */
    public InflationBudget inflation() {
        return inflation;
    }

    int statementLimit() {
        return statementLimit;
    }

    /** Returns the longest time from accept to the end of the login. */
    public long handshakeTimeoutMillis() {
        return handshakeTimeoutMillis;
    }

    /** Sets that time for connections accepted from now on. */
    public void setHandshakeTimeoutMillis(long millis) {
        handshakeTimeoutMillis = millis;
    }

    /** Sets the limit for sessions that log in from now on. What observers are shown whole is analysed whole. */
    public void setStatementLimit(int bytes) {
        statementLimit = bytes;
        analyzer.setMaxLength(Math.max(SqlAnalyzer.DEFAULT_MAX_LENGTH, bytes));
    }
}
