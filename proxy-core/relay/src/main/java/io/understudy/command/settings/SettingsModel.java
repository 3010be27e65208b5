package io.understudy.command.settings;

import io.understudy.plugin.SessionSettings;
import io.understudy.sql.Collations;
import io.understudy.sql.ReadVariables;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlModes;
import io.understudy.sql.WriteVariables;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The {@link SessionSettings}, derived from the session's commands and responses. */
public final class SettingsModel implements SessionSettings {
    private static final int CHARSET_LIMIT = 256;
    /** Makes the lexer assume the worst case. */
    private static final String UNKNOWN_CHARSET = "unknown";

    private static final int CHARSET = 1;
    private static final int TIME_ZONE = 1 << 1;
    private static final int SQL_MODE = 1 << 2;
    /** Any setting, including the schema and temporary tables; cleared only by a reset. */
    private static final int ANYTHING = 1 << 3;

    private final int product;
    private int loginCollation;
    /** Bits for the settings whose value is not known. */
    private int unknown;

    private AssignedVariables reading = AssignedVariables.NONE;
    private AssignedVariables writing = AssignedVariables.NONE;
    private TransactionMode transaction = TransactionMode.NONE;
    private boolean autocommit = true;

    private long timeZoneToldBy = -1;
    private @Nullable String characterSet;
    private @Nullable String charsetName;
    private @Nullable String timeZone;
    private AdoptedMode serverMode;
    private SqlModeSetting sqlMode;
    private boolean noBackslashEscapes;
    private final TemporaryTables temporaryTables = new TemporaryTables();
    private final ServerLocks locks = new ServerLocks();
    private final FollowedState followed = new FollowedState();
    private int modes;

    /**
     * Creates the settings that a session has right after the login.
     *
     * @param collation the collation in the login packet
     * @param mode the server's, as taken over by the login
     * @param product {@link SqlModes#MARIADB} or {@link SqlModes#MYSQL}
     */
    public SettingsModel(int collation, AdoptedMode mode, int product) {
        this.product = product;
        serverMode = mode;
        sqlMode = SqlModeSetting.serverDefault(mode);
        loginCollation = collation;
        refresh();
    }

    /** Sets the monotonic times between which a command that may change settings was executed. */
    public void during(long receivedNanos, long respondedNanos) {
        serverMode = new AdoptedMode(serverMode.server(), receivedNanos, respondedNanos);
    }

    /** Restores the settings that a login at this time would have. */
    public void reset() {
        unknown = 0;
        reading = AssignedVariables.NONE;
        writing = AssignedVariables.NONE;
        transaction = TransactionMode.NONE;
        characterSet = null;
        charsetName = null;
        timeZone = null;
        sqlMode = SqlModeSetting.serverDefault(serverMode);
        temporaryTables.clear();
        locks.clear();
        followed.clear();
        refresh();
    }

    /** Sets the collation that the session starts with from now on. */
    public void loginCollation(int collation) {
        loginCollation = collation;
        refresh();
    }

    /**
     * Applies a SET statement that has succeeded.
     *
     * @param command number of the command
     */
    public void apply(SetStatement statement, long command) {
        for (SetStatement.Assignment assignment : statement.assignments()) {
            switch (assignment.scope()) {
                case SESSION -> assign(assignment, command);
                case USER -> followed.unknown(FollowedState.USER_VARIABLES);
                case TRANSACTION -> followed.nextTransaction(assignment, command);
                default -> {
                    // Changes nothing of the session.
                }
            }
        }
        refresh();
    }

    private void unknown(int what, boolean is) {
        unknown = is ? unknown | what : unknown & ~what;
    }

    private void assign(SetStatement.Assignment assignment, long command) {
        String value = assignment.literalValue();
        switch (assignment.name()) {
            case "names", "character_set" -> names(assignment.name(), value);
            case "character_set_client", "character_set_connection", "collation_connection" ->
                charsetVariable(assignment.name(), value);
            case "time_zone" -> {
                // If the client has requested tracking, the server has already reported the value.
                if (value != null || assignment.isDefault() || timeZoneToldBy != command) {
                    timeZone = value == null ? null : SqlModeSetting.quoted(value);
                    unknown(TIME_ZONE, value == null && !assignment.isDefault());
                }
            }
            case "sql_mode" -> sqlMode(assignment, value);
            case "transaction_isolation", "tx_isolation", "transaction_read_only", "tx_read_only" ->
                transaction = transaction.assigned(assignment);
            default -> {
                // A variable that is not carried does not change the meaning of a read, or is set by the mirror itself:
                // see docs/mirroring.md.
                if (ReadVariables.carried(assignment.name())) {
                    reading = reading.assigned(assignment);
                } else if (WriteVariables.carried(assignment.name())) {
                    writing = writing.assigned(assignment);
                } else {
                    followed.assigned(assignment);
                }
            }
        }
    }

    private void names(String name, @Nullable String value) {
        followed.namesSet();
        if (value == null) {
            // The server's global ones, which need not be those of the login.
            characterSet = (name.equals("names") ? "NAMES" : "CHARACTER SET") + " DEFAULT";
            charsetName = UNKNOWN_CHARSET;
            unknown(CHARSET, false);
            return;
        }
        charsetName = value.split("\\s", 2)[0];
        characterSet = (name.equals("names") ? "NAMES " : "CHARACTER SET ") + value;
        unknown(CHARSET, !value.matches("[A-Za-z0-9_]+( COLLATE [A-Za-z0-9_]+)?"));
    }

    private void charsetVariable(String name, @Nullable String value) {
        if (value == null || !value.matches("[A-Za-z0-9_]+")) {
            unknown(CHARSET, true);
            return;
        }
        if (name.equals("character_set_client")) {
            charsetName = value;
        }
        String next = (characterSet == null ? "" : characterSet + ", ") + "@@session." + name + " = " + value;
        characterSet = next;
        if (next.length() > CHARSET_LIMIT) {
            unknown(CHARSET, true);
        }
    }

    private void sqlMode(SetStatement.Assignment assignment, @Nullable String value) {
        if (assignment.isDefault()) {
            sqlMode = SqlModeSetting.serverDefault(serverMode);
            unknown(SQL_MODE, false);
        } else if (value != null) {
            sqlMode = SqlModeSetting.literal(value);
            unknown(SQL_MODE, false);
        } else {
            SqlModeSetting next = sqlMode.assigned(assignment.expression(), serverMode);
            if (next == null) {
                unknown(SQL_MODE, true);
            } else {
                sqlMode = next;
            }
        }
    }

    /**
     * Applies a variable that the server has reported by session tracking.
     *
     * @param command number of the command whose response reported it
     */
    public void tracked(String name, String value, long command) {
        switch (name) {
            case "time_zone" -> {
                timeZone = SqlModeSetting.quoted(value);
                timeZoneToldBy = command;
                unknown(TIME_ZONE, false);
            }
            case "sql_mode" -> {
                sqlMode = SqlModeSetting.literal(value);
                unknown(SQL_MODE, false);
            }
            case "character_set_client" -> charsetName = value;
            default -> {
                return;
            }
        }
        refresh();
    }

    /** Takes the server's status bits for NO_BACKSLASH_ESCAPES and autocommit. */
    public void status(boolean noBackslash, boolean commits) {
        autocommit = commits;
        if (noBackslashEscapes != noBackslash) {
            noBackslashEscapes = noBackslash;
            refresh();
        }
    }

    /** Marks all settings as not known, after a statement that may have changed any. */
    public void lost() {
        unknown |= ANYTHING;
    }

    /** Returns the names of the session's temporary tables. */
    public TemporaryTables tables() {
        return temporaryTables;
    }

    /** Returns the locks that the session keeps between its statements. */
    public ServerLocks locks() {
        return locks;
    }

    /** Returns what is followed only for moving the session. */
    public FollowedState followed() {
        return followed;
    }

    /** Returns the mode as far as it is known by now. */
    @SuppressWarnings("ReferenceEquality") // settled() returns the same object while nothing is decided
    public SqlModeSetting mode() {
        if (sqlMode.adopted() != null) {
            SqlModeSetting now = sqlMode.settled();
            if (now != sqlMode) {
                sqlMode = now;
                refresh();
            }
        }
        return sqlMode;
    }

    private void refresh() {
        String charset =
                charsetName != null ? charsetName.toLowerCase(Locale.ROOT) : Collations.clientCharset(loginCollation);
        if (charset == null) {
            charset = UNKNOWN_CHARSET;
        }
        int bits = SqlModes.withCharset(sqlMode.lexerModes(), charset);
        modes = SqlModes.withNoBackslashEscapes(bits, noBackslashEscapes) | product;
    }

    @Override
    public boolean known() {
        // A mode that the standby would have to guess, and that is not the usual one according to the server's status.
        return unknown == 0 && reading.known() && !(noBackslashEscapes && mode().adopted() != null);
    }

    @Override
    public int loginCollation() {
        return loginCollation;
    }

    @Override
    public @Nullable String characterSet() {
        return characterSet;
    }

    @Override
    public @Nullable String timeZone() {
        return timeZone;
    }

    @Override
    public @Nullable String reading() {
        return reading.assignments();
    }

    @Override
    public boolean autocommit() {
        return autocommit;
    }

    @Override
    public @Nullable String transaction() {
        return transaction.characteristics();
    }

    @Override
    public @Nullable String writing() {
        return writing.assignments();
    }

    @Override
    public List<String> unknownForWrites() {
        List<String> names = transaction.unknown();
        names.addAll(writing.unknown());
        return names;
    }

    @Override
    public @Nullable String sqlMode() {
        return mode().portable();
    }

    @Override
    public int sqlModes() {
        mode();
        return modes;
    }

    @Override
    public boolean temporaryTables() {
        return temporaryTables.any();
    }

    @Override
    public boolean lockedTables() {
        return locks.tables();
    }
}
