package io.understudy.command;

import io.understudy.plugin.SessionSettings;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlModes;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@link SessionSettings} as followed from what passes. */
final class SettingsModel implements SessionSettings {
    private static final int CHARSET_LIMIT = 256;

    private int loginCollation;
    private boolean known = true;
    private @Nullable String characterSet;
    private @Nullable String charsetName;
    private @Nullable String timeZone;
    private AdoptedMode serverMode;
    private SqlModeSetting sqlMode;
    private boolean noBackslashEscapes;
    private boolean temporaryTables;
    private boolean lockedTables;
    private int modes;

    /**
     * Right after the login.
     *
     * @param collation of the login packet
     * @param mode the server's, as the login has taken it over
     */
    SettingsModel(int collation, AdoptedMode mode) {
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
        known = true;
        characterSet = null;
        charsetName = null;
        timeZone = null;
        sqlMode = SqlModeSetting.serverDefault(serverMode);
        temporaryTables = false;
        lockedTables = false;
        refresh();
    }

    /** A SET statement succeeded. */
    void apply(SetStatement statement) {
        for (SetStatement.Assignment assignment : statement.assignments()) {
            if (assignment.scope() == SetStatement.Scope.SESSION) {
                assign(assignment);
            }
        }
        refresh();
    }

    private void assign(SetStatement.Assignment assignment) {
        String value = assignment.literalValue();
        switch (assignment.name()) {
            case "names", "character_set" -> names(assignment.name(), value);
            case "character_set_client", "character_set_connection", "collation_connection" ->
                charsetVariable(assignment.name(), value);
            case "time_zone" -> {
                timeZone = value == null ? null : SqlModeSetting.quoted(value);
                known &= value != null || assignment.isDefault();
            }
            case "sql_mode" -> sqlMode(assignment, value);
            default -> {
                // Other settings do not change what a mirrored read means; character_set_results only what comes back.
            }
        }
    }

    private void names(String name, @Nullable String value) {
        if (value == null) {
            characterSet = null;
            charsetName = null;
            return;
        }
        charsetName = value.split("\\s", 2)[0];
        characterSet = (name.equals("names") ? "NAMES " : "CHARACTER SET ") + value;
        if (!value.matches("[A-Za-z0-9_]+( COLLATE [A-Za-z0-9_]+)?")) {
            lost();
        }
    }

    private void charsetVariable(String name, @Nullable String value) {
        if (value == null || !value.matches("[A-Za-z0-9_]+")) {
            lost();
            return;
        }
        if (name.equals("character_set_client")) {
            charsetName = value;
        }
        String before = characterSet;
        String next = (before == null ? "" : before + ", ") + "@@session." + name + " = " + value;
        characterSet = next;
        if (next.length() > CHARSET_LIMIT) {
            lost();
        }
    }

    private void sqlMode(SetStatement.Assignment assignment, @Nullable String value) {
        if (assignment.isDefault()) {
            sqlMode = SqlModeSetting.serverDefault(serverMode);
        } else if (value != null) {
            sqlMode = SqlModeSetting.literal(value);
        } else {
            SqlModeSetting next = sqlMode.assigned(assignment.expression(), serverMode);
            if (next == null) {
                lost();
            } else {
                sqlMode = next;
            }
        }
    }

    /** The server told of a variable by session tracking. */
    void tracked(String name, String value) {
        switch (name) {
            case "time_zone" -> timeZone = SqlModeSetting.quoted(value);
            case "sql_mode" -> sqlMode = SqlModeSetting.literal(value);
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

    void lost() {
        known = false;
    }

    void setTemporaryTables() {
        temporaryTables = true;
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
        String charset = named != null ? named.toLowerCase(Locale.ROOT) : Collations.charset(loginCollation);
        int bits = SqlModes.withCharset(sqlMode.lexerModes(), charset);
        modes = noBackslashEscapes ? bits | SqlModes.NO_BACKSLASH_ESCAPES : bits & ~SqlModes.NO_BACKSLASH_ESCAPES;
    }

    @Override
    public boolean known() {
        // A mode that the standby would have to guess, and of which the server's status says that it is not the usual
        // one.
        return known && !(noBackslashEscapes && mode().adopted() != null);
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
        return temporaryTables;
    }

    @Override
    public boolean lockedTables() {
        return lockedTables;
    }
}
