package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.command.prepared.PreparedStatements;
import io.understudy.command.prepared.TextPrepared;
import io.understudy.command.response.ResponseGrammars;
import io.understudy.command.settings.AdoptedMode;
import io.understudy.command.settings.ServerSqlMode;
import io.understudy.command.settings.SettingsModel;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionRefusal;
import io.understudy.plugin.SessionSettings;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.SessionState;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The state of a logged-in session: user, addresses, default schema, transaction, settings, prepared statements.
 * Updated by the trackers. Must be used on the session's event loop only.
 */
public final class SessionModel implements SessionContext, SessionState.Visitor {
    /** Longer commands are not looked at for questions. */
    private static final int LONGEST_QUESTION = 1024;

    private static final Pattern GLOBAL = Pattern.compile("(?<!\\w)(?:global|persist|persist_only)(?!\\w)");

    private final Login login;
    private long serverThreadId;
    private final long capabilities;
    final int statementLimit;
    final SqlAnalyzer analyzer;

    private final SettingsModel settings;
    private final PreparedStatements prepared;
    private boolean movable;
    /** Null if no session moves. */
    @Nullable
    ThreadIds threadIds;

    private Supplier<String> server = () -> "";
    final CommitDomain commitDomain = new CommitDomain();
    final StatementBytes statement;
    private final InFlight inFlight;

    private String user;
    private @Nullable String schema;
    private boolean schemaUnread;
    /** Number of the last command in flight that may change the schema; -1 if there is none. */
    private long schemaCommand = -1;

    private long lastAnswered = -1;

    private int status;
    private long transactionNanos;
    boolean wroteInTransaction;
    private boolean responsesInDoubt;
    private boolean statusInDoubt;
    private boolean sending;
    private boolean multiStatements;
    private long commands;
    long nanos;
    private GtidTracking tracking = GtidTracking.off();
    private final AtomicReference<@Nullable SessionRefusal> refusal = new AtomicReference<>();

    /**
     * Who has logged in.
     *
     * @param certificateSubject of a certificate that was verified, or null
     * @param attributes connection attributes
     * @param refused called by any thread when a plugin has refused the session
     */
    public record Client(
            boolean tls, @Nullable String certificateSubject, Map<String, String> attributes, Runnable refused) {}

    /** Values that the login has determined. */
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
            int status,
            Client client) {}

    /**
     * Creates the model right after the login.
     *
     * @param statementLimit longest payload, in bytes, of a command that is shown to observers whole
     * @param sqlMode the server's global mode
     * @param pipeline what all sessions share
     * @param begunNanos monotonic time before the connection to the server was made
     */
    public SessionModel(
            Login login,
            SqlAnalyzer analyzer,
            int statementLimit,
            ServerSqlMode sqlMode,
            PipelineBudget pipeline,
            long begunNanos) {
        this.login = login;
        user = login.user();
        serverThreadId = login.serverThreadId();
        capabilities = login.capabilities();
        status = login.status();
        multiStatements = (capabilities & Capabilities.MULTI_STATEMENTS) != 0;
        this.analyzer = analyzer;
        this.statementLimit = statementLimit;
        prepared = new PreparedStatements(this::preparation, () -> new TextPrepared(analyzer, movable));
        settings = new SettingsModel(
                login.collation(), new AdoptedMode(sqlMode, begunNanos, System.nanoTime()), product(login.flavor()));
        statement = new StatementBytes(analyzer, this);
        inFlight = new InFlight(statement, commitDomain, pipeline);
        settings.status((status & ServerStatus.NO_BACKSLASH_ESCAPES) != 0, autocommit());
        setSchema(login.schema());
    }

    private static int product(ServerFlavor flavor) {
        return flavor == ServerFlavor.MARIADB ? SqlModes.MARIADB : SqlModes.MYSQL;
    }

    /** Sets the time of the read whose bytes are being processed: the clock is read once for all commands in them. */
    public void tick(long monotonicNanos) {
        nanos = monotonicNanos;
    }

    public InFlight inFlight() {
        return inFlight;
    }

    /**
     * Keeps what moving the session to another server takes: texts and types of prepared statements, and settings. Must
     * be called before the session is relayed.
     */
    public void setMovable() {
        movable = true;
    }

    /** Returns whether all that moving takes is kept. */
    public boolean movable() {
        return movable;
    }

    /**
     * Sets what is known of numbers in the client's KILLs. Must be called before the session is relayed.
     *
     * @param presentServer names the server that they go to
     */
    public void setThreadIds(ThreadIds ids, Supplier<String> presentServer) {
        threadIds = ids;
        server = presentServer;
    }

    /** Returns the present number of the session that the client calls by this one, see {@link ThreadIds#translate}. */
    long presentThreadId(long number) {
        return threadIds == null ? number : threadIds.translate(number, user, server.get());
    }

    public PreparedStatements prepared() {
        return prepared;
    }

    /** Returns the settings that a statement prepared now has. */
    PreparedEntry.Preparation preparation() {
        return new PreparedEntry.Preparation(
                schemaInFlight() ? null : schema, settings.characterSet(), settings.mode(), settings.known());
    }

    /** Returns whether a COM_QUERY of the session has query attributes before its text. */
    public boolean hasQueryAttributes() {
        return (capabilities & Capabilities.QUERY_ATTRIBUTES) != 0;
    }

    /** Returns the settings that the responses so far have made; without those of commands in flight. */
    PreparedEntry.Preparation preparationAnswered() {
        return new PreparedEntry.Preparation(schema, settings.characterSet(), settings.mode(), settings.known());
    }

    /** Returns the settings with what is followed beyond them. */
    public SettingsModel settingsModel() {
        return settings;
    }

    long nextNumber() {
        return ++commands;
    }

    /** Returns the number of commands that the client has sent. */
    public long commands() {
        return commands;
    }

    public boolean inTransaction() {
        return (status & ServerStatus.IN_TRANS) != 0;
    }

    public boolean autocommit() {
        return (status & ServerStatus.AUTOCOMMIT) != 0;
    }

    /**
     * Returns whether nothing is in flight and there is no transaction, open cursor or pending long data. Statements
     * are injected only then, or to undo an injected one.
     */
    public boolean atBoundary() {
        return inFlight.isEmpty() && atRest();
    }

    private boolean atRest() {
        return !responsesInDoubt && !inTransaction() && prepared.atRest();
    }

    /**
     * Returns whether, at any time, an unknown command got no error and another was sent behind it. Whether it has a
     * response is not known, so a packet while none is due is no error, and what is in flight is not known.
     */
    boolean responsesInDoubt() {
        return responsesInDoubt;
    }

    void doubtResponses() {
        responsesInDoubt = true;
    }

    /**
     * Returns whether the session may be held, or ended, here: at a boundary, and without a lock that others wait for.
     */
    public boolean mayPause() {
        return inFlight.isEmpty() && keepsNothing();
    }

    /** Returns whether nothing but a command in flight keeps the session from {@link #mayPause}. */
    boolean keepsNothing() {
        return atRest() && !sending && !settings.locks().any();
    }

    /**
     * Returns whether the end of a command, or of the file that it has sent, is still to come from the client; also if
     * the response has come.
     */
    public boolean sending() {
        return sending;
    }

    void sending(boolean begun) {
        sending = begun;
    }

    /**
     * Returns whether the command at the beginning of the bytes asks about the statement before it. It has its header
     * and has not been sent, and nothing is in flight.
     */
    public Question question(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int shown = bytes.readableBytes() - Packets.HEADER;
        if (shown < 0) {
            return Question.CUT;
        }
        int length = bytes.getUnsignedMediumLE(at);
        if (length < 1 || length > LONGEST_QUESTION) {
            return Question.NOT_ASKED;
        }
        if (length > shown) {
            return Question.CUT;
        }
        int payload = at + Packets.HEADER;
        int code = bytes.getByte(payload);
        if (code == CommandCode.QUERY || code == CommandCode.STMT_PREPARE) {
            int text = StatementBytes.textOffset(bytes, payload, length, capabilities);
            byte[] sql = ByteBufUtil.getBytes(bytes, payload + text, length - text);
            Question asked = question(analyzer.summarize(sql, 0, sql.length, settings.sqlModes()), sql);
            return asked == Question.USED && code == CommandCode.STMT_PREPARE ? Question.ASKED : asked;
        }
        if (code != CommandCode.STMT_EXECUTE || length < 1 + Integer.BYTES) {
            return Question.NOT_ASKED;
        }
        PreparedEntry entry = prepared.find(bytes.getIntLE(payload + 1));
        byte[] sql = entry == null ? null : entry.text();
        return entry == null || sql == null ? Question.NOT_ASKED : question(entry.summary(), sql);
    }

    private static Question question(@Nullable StatementSummary summary, byte[] text) {
        boolean asks = summary != null
                && (summary.readsDiagnostics()
                        // The last GTID is of a commit of the same connection.
                        || summary.sessionDependent() && ascii(text).contains(SessionState.LAST_GTID));
        if (summary == null || !asks) {
            return Question.NOT_ASKED;
        }
        boolean harmless = switch (summary.kind()) {
            case SHOW, GET_DIAGNOSTICS -> true;
            // What they change of the session is asked for afterwards.
            case SELECT, DO, SET ->
                summary.writes().isEmpty()
                        && summary.functions().isEmpty()
                        && !GLOBAL.matcher(ascii(text)).find();
            default -> false;
        };
        return harmless ? Question.ASKED : Question.USED;
    }

    private static String ascii(byte[] text) {
        return new String(text, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    /**
     * Returns whether the client is a standby, or a reader of the binary log, that is being sent it. Any thread may
     * call this: the result may be out of date.
     */
    public boolean readsBinaryLog() {
        Exchange oldest = inFlight.head();
        return oldest != null
                && (oldest.code() == CommandCode.BINLOG_DUMP || oldest.code() == CommandCode.BINLOG_DUMP_GTID);
    }

    /**
     * Returns what keeps the session from {@link #mayPause}, in a few words, and since when. Any thread may call this:
     * the result may be out of date, and "open cursor" where the oldest command is being taken out.
     */
    public Occupation occupation() {
        if (settings.locks().any()) {
            return new Occupation(
                    settings.locks().description(), "lock", settings.locks().sinceNanos());
        }
        if (inTransaction()) {
            return new Occupation("transaction", "transaction", transactionNanos);
        }
        Exchange oldest = inFlight.head();
        return oldest == null
                ? new Occupation("open cursor", "cursor", nanos)
                : new Occupation("statement", "statement", oldest.receivedNanos());
    }

    /**
     * What a session is busy with.
     *
     * @param what transaction, statement, open cursor, or the statements that took locks
     * @param reason the same as one word
     * @param sinceNanos monotonic time at which that began
     */
    public record Occupation(String what, String reason, long sinceNanos) {}

    /**
     * Returns whether an error left it unknown if a transaction is open; false again after the server's next status.
     */
    public boolean statusInDoubt() {
        return statusInDoubt;
    }

    void statusInDoubt(boolean doubt) {
        statusInDoubt = doubt;
    }

    /** Returns whether a COM_QUERY may hold several statements, as set by the login and by COM_SET_OPTION since. */
    public boolean multiStatements() {
        return multiStatements;
    }

    void setMultiStatements(boolean on) {
        multiStatements = on;
    }

    /** Returns the bits of {@link ServerStatus} in the last OK or EOF packet. */
    int status() {
        return status;
    }

    /** Called when the server is gone, and with it the transaction, and the session goes on. */
    public void lostTransaction() {
        status &= ~(ServerStatus.IN_TRANS | ServerStatus.IN_TRANS_READONLY);
        wroteInTransaction = false;
        statusInDoubt = false;
    }

    void wrote() {
        wroteInTransaction = true;
    }

    /** Takes the status bits of a response's last OK or EOF packet. */
    void status(int bits) {
        if ((bits & ServerStatus.IN_TRANS) != 0 && !inTransaction()) {
            transactionNanos = nanos;
        }
        if (status != bits) {
            status = bits;
            settings.status((bits & ServerStatus.NO_BACKSLASH_ESCAPES) != 0, autocommit());
        }
        if ((bits & ServerStatus.IN_TRANS) == 0) {
            wroteInTransaction = false;
        } else {
            settings.followed().inTransaction();
        }
    }

    /** Must be called at most once, before the first command. */
    public void setTracking(GtidTracking own) {
        tracking = own;
    }

    /** Returns the proxy's own session tracking. */
    public GtidTracking tracking() {
        return tracking;
    }

    /**
     * Sets the schema that the client has named. A name that is not in UTF-8 is not known, as if there were none: read
     * as UTF-8 it can be the name of another schema.
     */
    void setSchema(@Nullable String name) {
        setSchema(name, name == null || SqlModes.isUtf8(settings.sqlModes()) || isAscii(name));
    }

    /** Sets the schema of a USE; null if its name could not be read. */
    void useSchema(@Nullable String name) {
        if (name == null) {
            setSchema(null, false);
        } else {
            setSchema(name);
        }
    }

    private void setSchema(@Nullable String name, boolean known) {
        schema = known ? name : null;
        schemaUnread = !known;
        if (!known) {
            prepared.schemaUnread();
        }
    }

    /** Returns whether the session has a schema whose name could not be read. */
    public boolean schemaUnread() {
        return schemaUnread;
    }

    /** Called when a command that may change the schema is being sent. */
    void changesSchema(long command) {
        schemaCommand = command;
    }

    /** Called with each response to a client's command, after its effect. */
    void answered(long command) {
        lastAnswered = command;
        if (command == schemaCommand) {
            schemaCommand = -1;
        }
    }

    /** Returns the number of the last command that the server has responded to. */
    public long lastAnswered() {
        return lastAnswered;
    }

    private static boolean isAscii(String name) {
        return name.chars().allMatch(c -> c < 0x80);
    }

    /**
     * Called when COM_CHANGE_USER has succeeded.
     *
     * @param collation the collation in the command; negative if it has none, and that of the login remains
     */
    void changeUser(String name, @Nullable String newSchema, int collation) {
        user = name;
        if (collation >= 0) {
            settings.loginCollation(collation);
        }
        setSchema(newSchema);
    }

    /** Called when the session has gone on, at a boundary, to another server, with the same state. */
    public void moved(long threadId) {
        serverThreadId = threadId;
        commitDomain.reset();
        settings.followed().moved();
        prepared.textsMoved();
    }

    void reset() {
        settings.reset();
        commitDomain.reset();
        prepared.clear();
        wroteInTransaction = false;
    }

    /**
     * Called when COM_CHANGE_USER was refused. MySQL then closes the connection. MariaDB goes on with it, but it resets
     * the session before it authenticates (transaction, variables, prepared statements, temporary tables), and restores
     * only the user, the schema and the character sets.
     */
    void changeUserRefused() {
        reset();
        settings.lost();
        status &= ~ServerStatus.IN_TRANS;
    }

    /** Registers an injected statement that is sent ahead of the client's command, which is already last in flight. */
    public void expectInjected(InjectedStatement injectedStatement, int observer) {
        expect(inFlight.addBeforeLast(), injectedStatement, observer);
    }

    /** Registers an injected statement that is sent without a command of the client after it. */
    public void expectInjectedAlone(InjectedStatement injectedStatement, int observer) {
        expect(inFlight.add(), injectedStatement, observer);
    }

    private void expect(Exchange exchange, InjectedStatement injectedStatement, int observer) {
        exchange.begin(CommandCode.QUERY, 0, 0, nanos, false, false);
        exchange.expect(ResponseGrammars.RESULT, capabilities, tracking.isOn() ? this : null);
        exchange.ownedBy(injectedStatement, observer);
    }

    /** Returns null if no observer uses statements or GTIDs: session state is then not parsed. */
    SessionState.@Nullable Visitor stateVisitor(int interests) {
        return (interests & (Interest.STATEMENTS | Interest.GTIDS)) == 0 ? null : this;
    }

    @Override
    public void variable(String name, String value) {
        Exchange exchange = inFlight.head(); // whose response is being read
        if (name.equals("last_gtid")) {
            if (exchange != null && !value.isEmpty()) {
                exchange.setGtid(value, nanos);
                commitDomain.committed(value, exchange.number());
            }
        } else if (name.equals("gtid_domain_id")) {
            if (exchange != null && tracking.setsForItself(exchange.number())) {
                commitDomain.setOnce(value, exchange.number());
            } else {
                commitDomain.set(value);
            }
        } else if (name.equals("session_track_system_variables")) {
            tracking.reported(value);
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
        return login.id();
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
    public boolean schemaInFlight() {
        return schemaCommand >= 0;
    }

    @Override
    public SocketAddress clientAddress() {
        return login.clientAddress();
    }

    @Override
    public ServerFlavor flavor() {
        return login.flavor();
    }

    @Override
    public String serverVersion() {
        return login.serverVersion();
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
    public boolean isTls() {
        return login.client().tls();
    }

    @Override
    public @Nullable String certificateSubject() {
        return login.client().certificateSubject();
    }

    @Override
    public Map<String, String> attributes() {
        return login.client().attributes();
    }

    @Override
    public void refuse(SessionRefusal wanted) {
        if (refusal.compareAndSet(null, wanted)) {
            login.client().refused().run();
        }
    }

    /** Returns why a plugin refuses the session, or null. */
    public @Nullable SessionRefusal refusal() {
        return refusal.get();
    }

    @Override
    public SessionSettings settings() {
        return settings;
    }
}
