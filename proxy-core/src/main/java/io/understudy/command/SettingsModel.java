package io.understudy.command;

import io.understudy.plugin.SessionSettings;
import io.understudy.sql.ReadVariables;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlModes;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@link SessionSettings} as followed from what passes. */
final class SettingsModel implements SessionSettings {
    private static final int CHARSET_LIMIT = 256;

    private static final int CHARSET = 1;
    private static final int TIME_ZONE = 1 << 1;
    private static final int SQL_MODE = 1 << 2;
    /** Anything, the schema and temporary tables too: only a reset ends it. */
    private static final int ANYTHING = 1 << 3;

    private final int product;
    private int loginCollation;
    /** What has a value that could not be followed. */
    private int unknown;
    /** Null until the first of them is set. */
    private @Nullable ReadSettings reading;

    private long timeZoneToldBy = -1;
    private @Nullable String characterSet;
    private @Nullable String charsetName;
    private @Nullable String timeZone;
    private AdoptedMode serverMode;
    private SqlModeSetting sqlMode;
    private boolean noBackslashEscapes;
    private final TemporaryTables temporaryTables = new TemporaryTables();
    private boolean lockedTables;
    private int modes;

    /**
     * Right after the login.
     *
     * @param collation of the login packet
     * @param mode the server's, as the login has taken it over
     * @param product {@link SqlModes#MARIADB} or {@link SqlModes#MYSQL}
     */
    SettingsModel(int collation, AdoptedMode mode, int product) {
        this.product = product;
        serverMode = mode;
        sqlMode = SqlModeSetting.serverDefault(mode);
        loginCollation = collation;
        refresh();
    }

    /** A command that may change settings was received and has been answered at these monotonic times. */
    void during(long receivedNanos, long answeredNanos) {
        serverMode = new AdoptedMode(serverMode.server(), receivedNanos, answeredNanos);
    }

    /** Back to what a login at this time would leave. */
    void reset() {
        unknown = 0;
        reading = null;
        characterSet = null;
        charsetName = null;
        timeZone = null;
        sqlMode = SqlModeSetting.serverDefault(serverMode);
        temporaryTables.clear();
        lockedTables = false;
        refresh();
    }

    /** The collation that the session begins with from now on. */
    void loginCollation(int collation) {
        loginCollation = collation;
        refresh();
    }

    /**
     * A SET statement succeeded.
     *
     * @param command its number
     */
    void apply(SetStatement statement, long command) {
        for (SetStatement.Assignment assignment : statement.assignments()) {
            if (assignment.scope() == SetStatement.Scope.SESSION) {
                assign(assignment, command);
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
                // The server has told its value already when the client has asked for that.
                if (value != null || assignment.isDefault() || timeZoneToldBy != command) {
                    timeZone = value == null ? null : SqlModeSetting.quoted(value);
                    unknown(TIME_ZONE, value == null && !assignment.isDefault());
                }
            }
            case "sql_mode" -> sqlMode(assignment, value);
            default -> {
                // What is not carried does not change what a read means, or is the mirror's own: see docs/mirroring.md.
                if (ReadVariables.carried(assignment.name())) {
                    ReadSettings settings = reading;
                    if (settings == null) {
                        settings = new ReadSettings();
                        reading = settings;
                    }
                    settings.assign(assignment);
                }
            }
        }
    }

    private void names(String name, @Nullable String value) {
        if (value == null) {
            characterSet = null;
            charsetName = null;
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
        String before = characterSet;
        String next = (before == null ? "" : before + ", ") + "@@session." + name + " = " + value;
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
     * The server told of a variable by session tracking.
     *
     * @param command number of the command whose response told it
     */
    void tracked(String name, String value, long command) {
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

    /** The server's status bit of NO_BACKSLASH_ESCAPES. */
    void status(boolean noBackslash) {
        if (noBackslashEscapes != noBackslash) {
            noBackslashEscapes = noBackslash;
            refresh();
        }
    }

    /** Something was run that may have changed anything. */
    void lost() {
        unknown |= ANYTHING;
    }

    /** A statement created temporary tables, with {@code schema} as its default. */
    void createdTemporary(List<TableName> tables, @Nullable String schema) {
        temporaryTables.created(tables, schema);
    }

    /** A statement dropped tables, with {@code schema} as its default. */
    void dropped(List<TableName> tables, @Nullable String schema) {
        temporaryTables.dropped(tables, schema);
    }

    /** A statement may have renamed a temporary table. */
    void renamedTemporary() {
        temporaryTables.renamed();
    }

    void setLockedTables(boolean locked) {
        lockedTables = locked;
    }

    /** The mode as far as it is known by now. */
    SqlModeSetting mode() {
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
        String named = charsetName;
        String charset = named != null ? named.toLowerCase(Locale.ROOT) : CollationCharsets.charset(loginCollation);
        int bits = SqlModes.withCharset(sqlMode.lexerModes(), charset);
        bits = noBackslashEscapes ? bits | SqlModes.NO_BACKSLASH_ESCAPES : bits & ~SqlModes.NO_BACKSLASH_ESCAPES;
        modes = bits | product;
    }

    @Override
    public boolean known() {
        // A mode that the standby would have to guess, and of which the server's status says that it is not the usual
        // one.
        ReadSettings settings = reading;
        return unknown == 0
                && (settings == null || settings.known())
                && !(noBackslashEscapes && mode().adopted() != null);
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
        ReadSettings settings = reading;
        return settings == null ? null : settings.assignments();
    }

    @Override
    public @Nullable String sqlMode() {
        return mode().expression();
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
        return lockedTables;
    }
}
