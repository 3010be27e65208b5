package io.understudy.command;

import io.understudy.command.response.ResponseGrammars;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.wire.Capabilities;
import io.understudy.wire.CommandCode;
import io.understudy.wire.ServerStatus;
import io.understudy.wire.packet.SessionState;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a logged-in session: who, where, in which schema, in a transaction or not, with which statements
 * prepared. Updated by the intakes, read by everyone; on the session's event loop only.
 */
public final class SessionModel implements SessionContext, SessionState.Visitor {
    private final long id;
    private final SocketAddress clientAddress;
    private final ServerFlavor flavor;
    private final String serverVersion;
    private final long serverThreadId;
    private final long capabilities;
    private final int statementLimit;
    private final SqlAnalyzer analyzer;

    private final SettingsModel settings;
    private final PreparedStatements prepared = new PreparedStatements();
    /** Null until the first statement that is prepared in SQL. */
    private @Nullable TextPrepared textPrepared;

    private final StatementBytes statement;
    private final InFlight inFlight;

    private String user;
    private @Nullable String schema;
    private int status;
    private boolean wroteInTransaction;
    private boolean statusInDoubt;
    private boolean multiStatements;
    private long commands;
    private long nanos;
    private TrackingWatch trackingWatch = TrackingWatch.NONE;

    /** What the login has settled. */
    public record Login(
            long id,
            String user,
            @Nullable String schema,
            int collation,
            SocketAddress clientAddress,
            ServerFlavor flavor,
            String serverVersion,
            long serverThreadId,
            long capabilities,
            int status) {}

    /**
     * Begins right after the login.
     *
     * @param statementLimit longest payload of a command that is read whole for observers, bytes
     * @param sqlMode the server's own
     * @param begunNanos monotonic time before the connection to the server was made
     */
    public SessionModel(Login login, SqlAnalyzer analyzer, int statementLimit, ServerSqlMode sqlMode, long begunNanos) {
        id = login.id();
        user = login.user();
        schema = login.schema();
        clientAddress = login.clientAddress();
        flavor = login.flavor();
        serverVersion = login.serverVersion();
        serverThreadId = login.serverThreadId();
        capabilities = login.capabilities();
        status = login.status();
        multiStatements = (capabilities & Capabilities.MULTI_STATEMENTS) != 0;
        this.analyzer = analyzer;
        this.statementLimit = statementLimit;
        settings = new SettingsModel(
                login.collation(), new AdoptedMode(sqlMode, begunNanos, System.nanoTime()), product(flavor));
        statement = new StatementBytes(analyzer, this);
        inFlight = new InFlight(statement);
        settings.status((status & ServerStatus.NO_BACKSLASH_ESCAPES) != 0);
    }

    private static int product(ServerFlavor flavor) {
        return flavor == ServerFlavor.MARIADB ? SqlModes.MARIADB : SqlModes.MYSQL;
    }

    /** Time of the read whose bytes are passing now: one look at the clock serves all commands in them. */
    public void tick(long monotonicNanos) {
        nanos = monotonicNanos;
    }

    long nanos() {
        return nanos;
    }

    public InFlight inFlight() {
        return inFlight;
    }

    PreparedStatements prepared() {
        return prepared;
    }

    StatementBytes statement() {
        return statement;
    }

    SqlAnalyzer analyzer() {
        return analyzer;
    }

    TextPrepared textPrepared() {
        TextPrepared known = textPrepared;
        if (known == null) {
            known = new TextPrepared(analyzer);
            textPrepared = known;
        }
        return known;
    }

    SettingsModel settingsModel() {
        return settings;
    }

    int statementLimit() {
        return statementLimit;
    }

    long nextNumber() {
        return ++commands;
    }

    /** Commands that the client has sent. */
    public long commands() {
        return commands;
    }

    public boolean inTransaction() {
        return (status & ServerStatus.IN_TRANS) != 0;
    }

    public boolean autocommit() {
        return (status & ServerStatus.AUTOCOMMIT) != 0;
    }

    /** Nothing in flight, no transaction, no open cursor, no pending long data: the one place for a statement of ours. */
    public boolean atBoundary() {
        return inFlight.isEmpty() && !inTransaction() && prepared.atRest();
    }

    /** True after an error that does not tell whether it left a transaction open, until the server's next status. */
    public boolean statusInDoubt() {
        return statusInDoubt;
    }

    void statusInDoubt(boolean doubt) {
        statusInDoubt = doubt;
    }

    /** Whether a COM_QUERY may hold several statements: by the login, and by COM_SET_OPTION since. */
    boolean multiStatements() {
        return multiStatements;
    }

    void setMultiStatements(boolean on) {
        multiStatements = on;
    }

    boolean wroteInTransaction() {
        return wroteInTransaction;
    }

    void wrote() {
        wroteInTransaction = true;
    }

    /** Status bits of an answer's last OK or EOF packet. */
    void status(int bits) {
        status = bits;
        if ((bits & ServerStatus.IN_TRANS) == 0) {
            wroteInTransaction = false;
        }
        settings.status((bits & ServerStatus.NO_BACKSLASH_ESCAPES) != 0);
    }

    /** Set once, before the first command. */
    public void setTrackingWatch(TrackingWatch watch) {
        trackingWatch = watch;
    }

    TrackingWatch trackingWatch() {
        return trackingWatch;
    }

    void setSchema(@Nullable String name) {
        schema = name;
    }

    /**
     * COM_CHANGE_USER succeeded.
     *
     * @param collation that the command names; negative: it names none, and that of the login stays
     */
    void changeUser(String name, @Nullable String newSchema, int collation) {
        user = name;
        schema = newSchema;
        if (collation >= 0) {
            settings.loginCollation(collation);
        }
    }

    void reset() {
        settings.reset();
        textPrepared = null;
        prepared.clear();
        wroteInTransaction = false;
    }

    /** A statement of ours goes out ahead of the client's, which is already last in flight. */
    public void expectInjected(InjectedStatement injectedStatement, int observer) {
        expect(inFlight.addBeforeLast(), injectedStatement, observer);
    }

    /** A statement of ours goes out, and nothing of the client's behind it. */
    public void expectInjectedAlone(InjectedStatement injectedStatement, int observer) {
        expect(inFlight.add(), injectedStatement, observer);
    }

    private void expect(Exchange exchange, InjectedStatement injectedStatement, int observer) {
        exchange.begin(CommandCode.QUERY, 0, 0, nanos, false, false);
        exchange.expect(ResponseGrammars.RESULT, capabilities, trackingWatch == TrackingWatch.NONE ? null : this);
        exchange.ownedBy(injectedStatement, observer);
    }

    /** Session state is read only when somebody watches statements or GTIDs. */
    SessionState.@Nullable Visitor stateVisitor(int interests) {
        return (interests & (Interest.STATEMENTS | Interest.GTIDS)) == 0 ? null : this;
    }

    @Override
    public void variable(String name, String value) {
        Exchange exchange = inFlight.head(); // whose response is being read
        if (name.equals("last_gtid")) {
            if (exchange != null && !value.isEmpty()) {
                exchange.setGtid(value, nanos);
            }
        } else if (name.equals("session_track_system_variables")) {
            trackingWatch.reported(value);
        } else {
            settings.tracked(name, value, exchange == null ? -1 : exchange.number());
        }
    }

    @Override
    public void schema(String name) {
        schema = name.isEmpty() ? null : name;
    }

    @Override
    public void gtids(String text) {
        Exchange exchange = inFlight.head(); // whose response is being read
        if (exchange != null) {
            exchange.setGtid(text, nanos);
        }
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String user() {
        return user;
    }

    @Override
    public @Nullable String schema() {
        return schema;
    }

    @Override
    public SocketAddress clientAddress() {
        return clientAddress;
    }

    @Override
    public ServerFlavor flavor() {
        return flavor;
    }

    @Override
    public String serverVersion() {
        return serverVersion;
    }

    @Override
    public long serverThreadId() {
        return serverThreadId;
    }

    @Override
    public long capabilities() {
        return capabilities;
    }

    @Override
    public SessionSettings settings() {
        return settings;
    }
}
